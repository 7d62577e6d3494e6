/**
 * What the next attempt is told, and how that is written into a prompt.
 *
 * @module
 */
import type { FullGatePolicy } from './policy.ts';

/** One earlier demand for changes, oldest first in a history. */
export interface Correction {
  /** The attempt that was sent back, 0-based. */
  readonly attempt: number;
  /** Who sent it back: the phase's own name, or the name of a later phase. */
  readonly from: string;
  readonly feedback: string;
  readonly requiredChange?: string | undefined;
}

/** What one attempt of a phase should do differently. */
export interface Revision {
  /** The attempt that is told this, 0-based. */
  readonly attempt: number;
  /** The reviewer's words, verbatim; those of several requests are joined by a blank line. */
  readonly feedback: string;
  /** The change that is needed, as one imperative sentence. */
  readonly requiredChange?: string | undefined;
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
  const changes = fresh.flatMap((one) => one.requiredChange ?? []);
  return {
    attempt,
    feedback: fresh
      .map((one) => one.feedback)
      .filter((feedback) => feedback !== '')
      .join('\n\n'),
    ...(changes.length > 0 && { requiredChange: changes.join(' ') }),
    history: [...earlier, ...fresh],
  };
}

/**
 * Renders a task's prompt: the revision, where there is one, and then the description, unchanged.
 *
 * Over `maxRevisionChars` the revision is cut in a fixed order: previous output, history, then the tail of the feedback.
 * The required change and the description are never cut.
 *
 * @param previousOutput What this task put out in the attempt that is revised; left out when `undefined`.
 */
export function renderPrompt(
  description: string,
  revision: Revision | undefined,
  previousOutput: unknown,
  style: RevisionStyle,
): string {
  if (!revision || style.strategy === 'none') return description;
  const parts = partsOf(revision, previousOutput, style.strategy);
  if (style.layout === 'rejection-first') return renderRejection(description, parts, style.maxRevisionChars);
  return parts.feedback === '' && parts.previous === '' && parts.history === ''
    ? description
    : renderEnsemble(description, parts, style.maxRevisionChars);
}

// --- internal ---

interface Parts {
  readonly number: number;
  readonly feedback: string;
  readonly requiredChange: string | undefined;
  readonly history: string;
  readonly previous: string;
}

/** What each strategy carries. */
function partsOf(revision: Revision, previousOutput: unknown, strategy: RevisionStyle['strategy']): Parts {
  const all: Parts = {
    number: revision.attempt + 1,
    feedback: revision.feedback,
    requiredChange: revision.requiredChange,
    history: '',
    previous: previousOutput === undefined || previousOutput === null ? '' : rawText(previousOutput),
  };
  switch (strategy) {
    case 'feedback':
    case 'none':
      return all;
    case 'feedbackHistory':
      return { ...all, history: historyLines(revision.history) };
    case 'lastAttempt':
      return { ...all, feedback: revision.requiredChange ?? '' };
    case 'fresh':
      return {
        ...all,
        previous: '',
        feedback: `Start over. Avoid what was rejected: ${revision.requiredChange ?? revision.feedback}`,
      };
  }
}

function renderEnsemble(description: string, parts: Parts, limit: number): string {
  return (
    fit(parts, limit, ({ number, feedback, history, previous }) =>
      [
        `## Revision Instructions (Attempt ${number})`,
        'This task is being re-executed based on reviewer feedback.',
        'Incorporate the feedback below into your response.',
        '',
        '### Feedback',
        feedback,
        '',
        ...(history === '' ? [] : ['### Earlier Required Changes', history, '']),
        ...(previous === '' ? [] : ['### Previous Output', previous, '']),
        '## Task',
        '',
      ].join('\n'),
    ) + description
  );
}

function renderRejection(description: string, parts: Parts, limit: number): string {
  return (
    fit(parts, limit, ({ number, feedback, requiredChange, history }) =>
      [
        `## ATTEMPT #${number} — previous attempt rejected`,
        '',
        `**Required change**: ${requiredChange ?? firstSentence(feedback)}`,
        `**Reviewer critique**: ${feedback}`,
        ...(history === '' ? [] : ['', '**Earlier required changes**:', history]),
        '',
        '---',
        '',
        '',
      ].join('\n'),
    ) + description
  );
}

/** Drops parts, least important first, until the revision fits; the tail of the feedback goes last. */
function fit(parts: Parts, limit: number, render: (parts: Parts) => string): string {
  const full = render(parts);
  if (full.length <= limit) return full;
  const short = { ...parts, previous: '', history: '' };
  for (const some of [{ ...parts, previous: '' }, short]) {
    const text = render(some);
    if (text.length <= limit) return text;
  }
  const change = short.requiredChange ?? firstSentence(short.feedback);
  const room = Math.max(0, limit - render({ ...short, feedback: '', requiredChange: change }).length - CUT.length);
  return render({ ...short, feedback: short.feedback.slice(0, room) + CUT, requiredChange: change });
}

const CUT = ' […]';

function historyLines(history: readonly Correction[]): string {
  const changes = history.slice(0, -1).map((one) => one.requiredChange ?? firstSentence(one.feedback));
  const now = history.at(-1);
  const current = now && (now.requiredChange ?? firstSentence(now.feedback));
  const lines = changes.slice(-3).map((change) => `- ${change}`);
  if (current !== undefined && changes.includes(current)) {
    lines.push('Warning: this change was asked for before and not made.');
  }
  return lines.join('\n');
}

function firstSentence(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return /^.*?[.!?](?=\s|$)/u.exec(line)?.[0] ?? line;
}

function rawText(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2);
}
