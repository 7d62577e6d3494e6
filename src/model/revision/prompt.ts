/**
 * Rendering of a revision into a prompt.
 *
 * @module
 */
import type { SharedArtifact, TaskRecollection, Trajectory } from './revision-extras.ts';
import type { Revision, RevisionStyle } from './revision.ts';

/** Least length, in characters, from which the growth of a prompt is measured. Any revision makes a shorter prompt grow a lot. */
export const SMALLEST_PROMPT = 1000;

/**
 * Renders a task's prompt: the revision, if there is one, and then the description, unchanged.
 *
 * A revision longer than `maxRevisionChars` is cut in a fixed order: trajectory, previous output, shared artifacts from the last on,
 * reflections from the oldest on, history, then the tail of the feedback. The description and a given required change are never cut.
 * Sections without content are left out.
 *
 * @param previousOutput Output of this task in the attempt that is revised; left out when `undefined`, `null` or ''.
 */
export function renderPrompt(
  description: string,
  revision: (Revision & TaskRecollection) | undefined,
  previousOutput: unknown,
  style: RevisionStyle,
): string {
  if (!revision || style.strategy === 'none') return description;
  const parts = partsOf(revision, previousOutput, style);
  if (style.layout === 'rejection-first') return fit(parts, style.maxRevisionChars, renderRejection) + description;
  return isEmpty(parts) ? description : fit(parts, style.maxRevisionChars, renderEnsemble) + description;
}

// --- internal ---

interface Parts {
  /** The attempt that is about to run, from 1. */
  readonly number: number;
  readonly feedback: string;
  readonly requiredChange: string | undefined;
  readonly history: string;
  /** Oldest first. */
  readonly reflections: readonly string[];
  /** Each with its heading. */
  readonly artifacts: readonly string[];
  readonly previous: string;
  readonly trajectory: string;
}

/** Selects the parts that the strategy carries. */
function partsOf(
  revision: Revision & TaskRecollection,
  previousOutput: unknown,
  { layout, strategy }: RevisionStyle,
): Parts {
  const { feedback, requiredChange, reflections = [], artifacts = [], trajectory } = revision;
  const previous = rawText(previousOutput);
  const all: Parts = {
    number: revision.attempt + 1,
    feedback,
    requiredChange,
    history: '',
    reflections: [],
    artifacts: [],
    previous: layout === 'ensemble' ? previous : '',
    trajectory: '',
  };
  switch (strategy) {
    case 'feedback':
    case 'none':
      return all;
    case 'feedbackHistory':
      return { ...all, history: historyLines(revision) };
    case 'lastAttempt':
      return { ...all, feedback: '', previous };
    case 'reflexion':
      return { ...all, reflections, previous: '' };
    case 'lastAttemptAndReflexion':
      return { ...all, reflections, previous };
    case 'sharedPool':
      return { ...all, artifacts: artifacts.map(artifactText) };
    case 'trajectory':
      return { ...all, trajectory: trajectoryLines(trajectory) };
    case 'fresh':
      return { ...all, previous: '', feedback: `Start over.${feedback && ` Avoid what was rejected: ${feedback}`}` };
  }
}

function isEmpty({
  feedback,
  requiredChange = '',
  history,
  reflections,
  artifacts,
  previous,
  trajectory,
}: Parts): boolean {
  const texts = [feedback, requiredChange, history, ...reflections, ...artifacts, previous, trajectory];
  return texts.every((text) => text === '');
}

function renderEnsemble(parts: Parts): string {
  const { number, feedback, requiredChange, history, reflections } = parts;
  // The layout has no section for a required change; most reviewers repeat it in their feedback.
  const change = requiredChange === undefined || feedback.includes(requiredChange) ? '' : requiredChange;
  const hasDemands = [feedback, change, history, ...reflections].some((text) => text !== '');
  return [
    `## Revision Instructions (Attempt ${number})`,
    'This task is being re-executed based on reviewer feedback.',
    ...(hasDemands ? ['Incorporate the feedback below into your response.'] : []),
    '',
    ...section('### Required Change', change),
    ...section('### Feedback', feedback),
    ...section('### Earlier Required Changes', history),
    ...section('### Reflections on Rejected Attempts', reflectionLines(reflections)),
    ...section('### Shared Artifacts', parts.artifacts.join('\n\n')),
    ...section('### Previous Output', parts.previous),
    ...section('### Observations of the Previous Attempt', parts.trajectory),
    '## Task',
    '',
  ].join('\n');
}

function renderRejection(parts: Parts): string {
  const { number, feedback, requiredChange } = parts;
  const change = requiredChange ?? firstSentence(feedback);
  const lines = [
    ...(change === '' ? [] : [`**Required change**: ${change}`]),
    ...(feedback === '' ? [] : [`**Reviewer critique**: ${feedback}`]),
  ];
  return [
    `## ATTEMPT #${number} — previous attempt rejected`,
    '',
    ...(lines.length === 0 ? [] : [...lines, '']),
    ...section('**Earlier required changes**:', parts.history),
    ...section('**Reflections on rejected attempts**:', reflectionLines(parts.reflections)),
    ...section('**Shared artifacts**:', parts.artifacts.join('\n\n')),
    ...section('**Previous output**:', parts.previous),
    ...section('**Observations of the previous attempt**:', parts.trajectory),
    '---',
    '',
    '',
  ].join('\n');
}

function section(heading: string, content: string): readonly string[] {
  return content === '' ? [] : [heading, content, ''];
}

/** Drops parts, least important first, until the revision fits. The tail of the feedback is cut last. */
function fit(parts: Parts, limit: number, render: (parts: Parts) => string): string {
  let short = parts;
  for (const some of shorter(parts)) {
    const text = render(some);
    if (text.length <= limit) return text;
    short = some;
  }
  if (short.feedback === '') return render(short);
  const bare = { ...short, requiredChange: short.requiredChange ?? firstSentence(short.feedback) };
  const room = limit - render({ ...bare, feedback: CUT }).length;
  return render({ ...bare, feedback: head(short.feedback, room) + CUT });
}

/** Yields the parts, and then each time one droppable part less. */
function* shorter(parts: Parts): Generator<Parts> {
  const { reflections, artifacts } = parts;
  yield parts;
  yield { ...parts, trajectory: '' };
  const bare = { ...parts, trajectory: '', previous: '' };
  yield bare;
  for (let left = artifacts.length - 1; left >= 0; left--) yield { ...bare, artifacts: artifacts.slice(0, left) };
  for (let gone = 1; gone <= reflections.length; gone++)
    yield { ...bare, artifacts: [], reflections: reflections.slice(gone) };
  yield { ...bare, artifacts: [], reflections: [], history: '' };
}

const CUT = ' […]';

/** Returns the beginning of a text. Never splits a surrogate pair. */
function head(text: string, length: number): string {
  return text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, '');
}

/** Lists the last three changes that were required before this revision, with a warning if this one repeats any of them. */
function historyLines(revision: Revision): string {
  const count = revision.history.length - freshOf(revision);
  const changes = revision.history.map((one) => one.requiredChange ?? firstSentence(one.feedback));
  const [earlier, now] = [changes.slice(0, count), changes.slice(count)];
  const lines = earlier
    .filter((change) => change !== '')
    .slice(-3)
    .map((change) => `- ${change}`);
  const repeats = now.some((change) => change !== '' && earlier.includes(change));
  return [...lines, ...(repeats ? ['Warning: this change was asked for before and not made.'] : [])].join('\n');
}

/** Counts the corrections at the end of the history that this revision joins. */
function freshOf({ feedback, history }: Revision): number {
  let joined = '';
  for (let count = 1; count <= history.length && joined.length <= feedback.length; count++) {
    const one = history.at(-count)?.feedback ?? '';
    joined = [one, joined].filter((part) => part !== '').join('\n\n');
    if (joined === feedback) return count;
  }
  return Math.min(1, history.length);
}

/** Returns the first sentence of a text, or as much of its first line as fits. */
function firstSentence(text: string): string {
  const line = text.trimStart().split('\n', 1)[0]?.trimEnd() ?? '';
  const sentence = /^.*?[.!?](?:\s|$)/u.exec(line)?.[0].trimEnd() ?? line;
  return sentence.length <= LONGEST_SENTENCE ? sentence : head(sentence, LONGEST_SENTENCE) + CUT;
}

const LONGEST_SENTENCE = 200;

function reflectionLines(reflections: readonly string[]): string {
  return reflections.map((text) => `- ${text}`).join('\n');
}

function artifactText({ phase, name, content }: SharedArtifact): string {
  return `#### ${phase}/${name}\n${rawText(content)}`;
}

function trajectoryLines(trajectory: Trajectory | undefined): string {
  if (!trajectory) return '';
  const { first, last, omitted } = trajectory;
  const numbered = (texts: readonly string[], from: number) => texts.map((text, at) => `${from + at}. ${text}`);
  return [
    ...numbered(first, 1),
    ...(omitted > 0 ? [`[… ${omitted} left out …]`] : []),
    ...numbered(last, first.length + omitted + 1),
  ].join('\n');
}

function rawText(output: unknown): string {
  if (output === undefined || output === null) return '';
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2);
}
