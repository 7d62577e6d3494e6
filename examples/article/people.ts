/**
 * A staff of functions, which works without a network. It does only what reviews have asked for.
 *
 * @module
 */
import {
  approve,
  retry,
  retryPredecessor,
  task,
  type Decision,
  type Inputs,
  type Outputs,
  type ReviewContext,
  type Revision,
} from 'phasegate';
import { SOURCES } from './sources.ts';
import { factsSchema, work, type Facts, type Staff } from './staff.ts';

export const people: Staff = {
  gather: task('gather', {
    description: work.gather,
    run: ({ revision }: { readonly revision: Revision | undefined }) => gatherFacts(changesAskedFor(revision)),
  }),
  summary: task('summary', {
    description: work.summary,
    after: ['gather'],
    run: ({ context }: { readonly context: Outputs }) => factsSchema.parse(context['gather']).map(lineOf).join('\n'),
  }),
  critic: task('critic', {
    run: ({ outputs }: ReviewContext<{ readonly gather: Facts }>) => reviewResearch(outputs.gather),
  }),
  draft: task('draft', {
    description: work.draft,
    run: ({ inputs }: { readonly inputs: Inputs }) =>
      `# Why there are two tides a day\n\n${String(inputs['research']?.['summary'])}\n`,
  }),
  editor: task('editor', {
    run: ({ outputs }: ReviewContext<{ readonly draft: string }>) => reviewDraft(outputs.draft),
  }),
};

// --- internal ---

const FEWEST_SOURCES = 3;

const requests = {
  sources: `Read at least ${FEWEST_SOURCES} sources.`,
  figures: 'Give a figure for every claim.',
} as const;

/** Returns all changes that reviews have asked for so far. */
function changesAskedFor(revision: Revision | undefined): readonly string[] {
  return (revision?.history ?? []).map(({ requiredChange, feedback }) => requiredChange ?? feedback);
}

/** Gathers facts. It reads two sources and copies no figures, until a review asks for more. */
function gatherFacts(requested: readonly string[]): Facts {
  const read = requested.includes(requests.sources) ? SOURCES : SOURCES.slice(0, 2);
  const withFigures = requested.includes(requests.figures);
  return read.map(({ name, says, figure }) => ({ claim: says, figure: withFigures ? figure : null, source: name }));
}

function lineOf({ claim, figure, source }: Facts[number]): string {
  return `${claim}${figure === null ? '' : ` (${figure})`}. [${source}]`;
}

function reviewResearch(facts: Facts): Decision {
  const sources = new Set(facts.map(({ source }) => source)).size;
  if (sources >= FEWEST_SOURCES) return approve();
  return retry(`The research rests on ${sources} sources.`, { requiredChange: requests.sources });
}

/** Reviews the draft. Missing figures send back the research, which has not looked for them. */
function reviewDraft(draft: string): Decision {
  const claims = draft.split('\n').filter((line) => line.endsWith(']'));
  const bare = claims.filter((line) => !/\d/u.test(line));
  if (bare.length === 0) return approve();
  const found = `${bare.length} of ${claims.length} claims have no figure.`;
  return retryPredecessor('research', found, { requiredChange: requests.figures });
}
