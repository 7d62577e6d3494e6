/**
 * What the next attempt is told, and how that is written into a prompt.
 *
 * @module
 */
import type { Issue } from './issue.ts';
import type { FullGatePolicy } from './policy.ts';

/** One earlier demand for changes, oldest first in a history. */
export interface Correction {
  /** The attempt that was sent back, 0-based. */
  readonly attempt: number;
  /** Who sent it back: the phase's own name, or the name of a later phase. */
  readonly from: string;
  readonly feedback: string;
  readonly requiredChange?: string | undefined;
  /** The issues that this phase has to correct; the feedback has them in words. */
  readonly issues?: readonly Issue[] | undefined;
}

/** What one attempt of a phase should do differently. */
export interface Revision {
  /** The attempt that is told this, 0-based. */
  readonly attempt: number;
  /** The reviewer's words, verbatim; those of several requests are joined by a blank line. */
  readonly feedback: string;
  /** The change that is needed, as one imperative sentence. */
  readonly requiredChange?: string | undefined;
  /** The issues that this attempt has to correct; the feedback has them in words. */
  readonly issues?: readonly Issue[] | undefined;
  /** Every correction so far, this one included, oldest first. */
  readonly history: readonly Correction[];
}

/** How a gate wants revisions rendered. */
export type RevisionStyle = Pick<FullGatePolicy, 'layout' | 'strategy' | 'maxRevisionChars'>;

/** Joins demands that reach a phase together into one revision. Nothing is lost: every feedback is in it, in order. */
export function mergeCorrections(
  attempt: number,
  fresh: readonly Correction[],
  earlier: readonly Correction[],
): Revision {
  const joined = { attempt, ...joinDemands(fresh), history: [...earlier, ...fresh] };
  const issues = fresh.flatMap((one) => one.issues ?? []);
  return issues.length > 0 ? { ...joined, issues } : joined;
}

/** Demands for changes as one: every feedback and every required change, in order. */
export function joinDemands(
  demands: readonly Pick<Correction, 'feedback' | 'requiredChange'>[],
): Pick<Correction, 'feedback' | 'requiredChange'> {
  const changes = demands.flatMap((one) => one.requiredChange ?? []);
  return {
    feedback: demands
      .map((one) => one.feedback)
      .filter((feedback) => feedback !== '')
      .join('\n\n'),
    ...(changes.length > 0 && { requiredChange: changes.join(' ') }),
  };
}

/**
 * Renders a task's prompt: the revision, where there is one, and then the description, unchanged.
 *
 * Over `maxRevisionChars` the revision is cut in a fixed order: previous output, history, then the tail of the feedback.
 * A required change that was given and the description are never cut. Sections without content are left out.
 *
 * @param previousOutput What this task put out in the attempt that is revised; left out when `undefined`, `null` or ''.
 */
export function renderPrompt(
  description: string,
  revision: Revision | undefined,
  previousOutput: unknown,
  style: RevisionStyle,
): string {
  if (!revision || style.strategy === 'none') return description;
  const parts = partsOf(revision, previousOutput, style);
  if (style.layout === 'rejection-first') return fit(parts, style.maxRevisionChars, renderRejection) + description;
  const empty = parts.feedback + parts.previous + parts.history + (parts.requiredChange ?? '') === '';
  return empty ? description : fit(parts, style.maxRevisionChars, renderEnsemble) + description;
}

// --- internal ---

interface Parts {
  /** The attempt that is about to run, from 1. */
  readonly number: number;
  readonly feedback: string;
  readonly requiredChange: string | undefined;
  readonly history: string;
  readonly previous: string;
}

/** What each strategy carries. */
function partsOf(revision: Revision, previousOutput: unknown, { layout, strategy }: RevisionStyle): Parts {
  const { feedback, requiredChange } = revision;
  const previous = rawText(previousOutput);
  const all: Parts = {
    number: revision.attempt + 1,
    feedback,
    requiredChange,
    history: '',
    previous: layout === 'ensemble' ? previous : '',
  };
  switch (strategy) {
    case 'feedback':
    case 'none':
      return all;
    case 'feedbackHistory':
      return { ...all, history: historyLines(revision) };
    case 'lastAttempt':
      return { ...all, feedback: '', previous };
    case 'fresh':
      return { ...all, previous: '', feedback: `Start over.${feedback && ` Avoid what was rejected: ${feedback}`}` };
  }
}

function renderEnsemble({ number, feedback, requiredChange, history, previous }: Parts): string {
  // The layout has no place of its own for a required change, which most reviewers say in their feedback anyway.
  const change = requiredChange === undefined || feedback.includes(requiredChange) ? '' : requiredChange;
  return [
    `## Revision Instructions (Attempt ${number})`,
    'This task is being re-executed based on reviewer feedback.',
    ...(feedback + change + history === '' ? [] : ['Incorporate the feedback below into your response.']),
    '',
    ...section('### Required Change', change),
    ...section('### Feedback', feedback),
    ...section('### Earlier Required Changes', history),
    ...section('### Previous Output', previous),
    '## Task',
    '',
  ].join('\n');
}

function renderRejection({ number, feedback, requiredChange, history, previous }: Parts): string {
  const change = requiredChange ?? firstSentence(feedback);
  const lines = [
    ...(change === '' ? [] : [`**Required change**: ${change}`]),
    ...(feedback === '' ? [] : [`**Reviewer critique**: ${feedback}`]),
  ];
  return [
    `## ATTEMPT #${number} — previous attempt rejected`,
    '',
    ...(lines.length === 0 ? [] : [...lines, '']),
    ...section('**Earlier required changes**:', history),
    ...section('**Previous output**:', previous),
    '---',
    '',
    '',
  ].join('\n');
}

function section(heading: string, content: string): readonly string[] {
  return content === '' ? [] : [heading, content, ''];
}

/** Drops parts, least important first, until the revision fits; the tail of the feedback goes last. */
function fit(parts: Parts, limit: number, render: (parts: Parts) => string): string {
  const short = { ...parts, previous: '', history: '' };
  for (const some of [parts, { ...parts, previous: '' }, short]) {
    const text = render(some);
    if (text.length <= limit) return text;
  }
  if (short.feedback === '') return render(short);
  const bare = { ...short, requiredChange: short.requiredChange ?? firstSentence(short.feedback) };
  const room = limit - render({ ...bare, feedback: CUT }).length;
  return render({ ...bare, feedback: head(short.feedback, room) + CUT });
}

const CUT = ' […]';

/** The beginning of a text. Does not cut a character in two. */
function head(text: string, length: number): string {
  return text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, '');
}

/** The last three changes that were asked for before this revision, and whether this one asks for one of them again. */
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

/** How many corrections at the end of the history this revision is made of. */
function freshOf({ feedback, history }: Revision): number {
  let joined = '';
  for (let count = 1; count <= history.length && joined.length <= feedback.length; count++) {
    const one = history.at(-count)?.feedback ?? '';
    joined = [one, joined].filter((part) => part !== '').join('\n\n');
    if (joined === feedback) return count;
  }
  return Math.min(1, history.length);
}

/** The first sentence of a text, or as much of it as goes for one. */
function firstSentence(text: string): string {
  const line = text.trimStart().split('\n', 1)[0]?.trimEnd() ?? '';
  const sentence = /^.*?[.!?](?=\s|$)/u.exec(line)?.[0] ?? line;
  return sentence.length <= LONGEST_SENTENCE ? sentence : head(sentence, LONGEST_SENTENCE) + CUT;
}

const LONGEST_SENTENCE = 200;

function rawText(output: unknown): string {
  if (output === undefined || output === null) return '';
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2);
}
