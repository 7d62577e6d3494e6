/**
 * A team that prepares a launch, played by functions. Each takes some seconds and some cents, as models would.
 *
 * @module
 */
import { approve, requestChanges, retry, type Decision, type Issue, type Report, type TaskRevision } from 'phasegate';

/** The surroundings of the team. */
export interface Desk {
  /** Waits for the given milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
}

type Tell = (report: Report) => void;

/** Writes the brief. It is too long until a review asks for a shorter one. */
export async function writeBrief(desk: Desk, report: Tell, revision?: TaskRevision): Promise<string> {
  await worked(desk, report, 6);
  const brief =
    'A timer for teams: start it together, see who needs a break.\nLaunch: Tuesday. Price: free for five people.';
  return revision
    ? brief
    : `${brief}\nIt was in the spring that we first thought of timers, and of what they mean to us.`;
}

/** Reviews the brief, which must have at most two lines. */
export async function editBrief(desk: Desk, report: Tell, brief: string): Promise<Decision> {
  await worked(desk, report, 2);
  const lines = brief.split('\n').length;
  if (lines <= 2) return { ...approve(), confidence: 0.9 };
  const found = `It has ${lines} lines, and the last says nothing of the product.`;
  return {
    ...retry(found, { requiredChange: 'Keep to what it is, when it comes, and what it costs.' }),
    confidence: 0.8,
  };
}

/** Writes a piece from the brief. */
export async function derive(desk: Desk, report: Tell, of: { readonly what: Piece; readonly brief: string }) {
  const { what, brief } = of;
  await worked(desk, report, EFFORT[what]);
  return `# ${TITLES[what]}\n\n${brief}`;
}

/** Writes the press release. It names a contact only after a review has asked for one. */
export async function writeRelease(desk: Desk, report: Tell, brief: string, revision?: TaskRevision) {
  const text = await derive(desk, report, { what: 'press', brief });
  const isAsked = revision?.issues?.some(({ id }) => id === NO_CONTACT.id) ?? false;
  return isAsked ? `${text}\n\nContact: press@example.com` : text;
}

/** Reviews all pieces together. A missing contact is an issue of the phase "press". */
export async function checkAll(desk: Desk, report: Tell, press: string): Promise<Decision> {
  await worked(desk, report, 4);
  return press.includes('Contact:') ? { ...approve(), confidence: 0.7 } : requestChanges([NO_CONTACT]);
}

// --- internal ---

type Piece = 'site' | 'press' | 'support';

const TITLES: Readonly<Record<Piece, string>> = { site: 'The page', press: 'For the press', support: 'Answers' };
const EFFORT: Readonly<Record<Piece, number>> = { site: 12, press: 8, support: 5 };

const NO_CONTACT = {
  id: 'no-contact',
  category: 'completeness',
  severity: 'high',
  description: 'The press release names nobody to ask.',
  evidence: 'It ends with the price.',
  impact: 'Journalists write to support, who cannot answer them.',
  affectedPhase: 'press',
  requiredChange: 'Name a contact for journalists.',
} as const satisfies Issue;

async function worked(desk: Desk, report: Tell, seconds: number): Promise<void> {
  await desk.wait(1000 * seconds);
  report({ costUsd: 0.004 * seconds, tokens: 350 * seconds });
}
