/**
 * Search for a text in records, in time linear in their size.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunEvent } from '../../model/events/event.ts';
import type { PackedEvent, PackedRecord } from '../../model/events/large-values.ts';

/** The part of a record that has the text. `event` is any other one, such as the reason of an escalation. */
export type FoundIn = 'input' | 'tag' | 'output' | 'decision' | 'question' | 'answer' | 'report' | 'error' | 'event';

/** The first place in a record that has the text. */
export interface Found {
  readonly in: FoundIn;
  readonly phase: string | null;
  readonly task: string | null;
  /** The text as it is there, and at most 80 characters on each side. */
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** The result for one record. */
export interface FoundInRecord {
  /** `null` if the record does not have the text. */
  readonly found: Found | null;
  /** The number of characters that were compared. */
  readonly compared: number;
}

/** Most characters of a text to search for. */
export const LONGEST_SEARCH = 200;

/**
 * Creates the search for a text: plain, without regard to case.
 *
 * It looks in inputs, tags, outputs, decisions with their feedback, questions, answers, reports, errors and reasons. A text that
 * several records repeat is found in the first of them: not again in the start of the next attempt, or in the approval.
 *
 * @throws PhasegateError `INPUT_INVALID` if the text is blank, or longer than 200 characters.
 */
export function createSearch(text: string): (record: PackedRecord) => FoundInRecord {
  const wanted = text.trim().toLowerCase();
  if (wanted === '' || wanted.length > LONGEST_SEARCH) {
    const found = wanted === '' ? 'the text is blank' : `the text has ${wanted.length} characters`;
    throw new PhasegateError('INPUT_INVALID', `Cannot search as ${found}`, {
      hint: `Search for 1 to ${LONGEST_SEARCH} characters.`,
    });
  }
  return ({ event }) => {
    let compared = 0;
    for (const [place, value] of partsOf(event)) {
      for (const one of textsIn(value)) {
        compared += one.length;
        const excerpt = excerptOf(one, wanted);
        if (excerpt) return { found: { in: place, ...namesOf(event), ...excerpt }, compared };
      }
    }
    return { found: null, compared };
  };
}

// --- internal ---

type Part = readonly [FoundIn, unknown];

function partsOf(event: PackedEvent): readonly Part[] {
  if (REPEATING.has(event.type)) return [];
  if (event.type === 'run.started')
    return [
      ['input', event.input],
      ['tag', event.tags],
    ];
  if (event.type === 'task.completed') return [['output', event.output]];
  if (event.type === 'review.decided')
    return [
      ['decision', [event.verdict, event.verdicts, event.failedChecks, event.who]],
      ['output', event.edited],
    ];
  if (event.type === 'task.asked') return [['question', [event.question, event.description, event.choices]]];
  if (event.type === 'task.answered') return [['answer', [event.answer, event.who]]];
  return [[event.type === 'task.reported' ? 'report' : 'error' in event ? 'error' : 'event', withoutNames(event)]];
}

/** Events whose texts are in earlier records, or are plans. */
const REPEATING: ReadonlySet<RunEvent['type']> = new Set([
  'run.resumed',
  'phase.started',
  'phase.retrying',
  'phase.rewinding',
  'phase.approved',
]);

function withoutNames(event: PackedEvent): unknown {
  return Object.entries(event).flatMap(([key, value]: readonly [string, unknown]) =>
    key === 'type' || key === 'phase' || key === 'task' ? [] : [value],
  );
}

function namesOf(event: PackedEvent): Pick<Found, 'phase' | 'task'> {
  return { phase: 'phase' in event ? event.phase : null, task: 'task' in event ? event.task : null };
}

/** Generates the texts and numbers of a JSON value in their order. Nesting costs no stack. */
function* textsIn(value: unknown): Generator<string> {
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const one = rest.pop();
    if (typeof one === 'string') yield one;
    else if (typeof one === 'number') yield String(one);
    else if (typeof one === 'object' && one !== null) {
      const inner: readonly unknown[] = Object.values(one);
      for (let at = inner.length - 1; at >= 0; at -= 1) rest.push(inner[at]);
    }
  }
}

/** Characters on each side of the match. */
const AROUND = 80;

function excerptOf(text: string, wanted: string): Pick<Found, 'before' | 'match' | 'after'> | undefined {
  const lower = text.toLowerCase();
  const at = lower.indexOf(wanted);
  if (at === -1) return undefined;
  // A few letters get longer in lower case, so that positions no longer agree.
  const shown = lower.length === text.length ? text : lower;
  const end = at + wanted.length;
  return {
    before: wholeCharacters(shown.slice(Math.max(0, at - AROUND), at)),
    match: shown.slice(at, end),
    after: wholeCharacters(shown.slice(end, end + AROUND)),
  };
}

/** Drops the half of a character at either end. */
function wholeCharacters(text: string): string {
  const from = /^[\uDC00-\uDFFF]/u.test(text) ? 1 : 0;
  const to = /[\uD800-\uDBFF]$/u.test(text) ? text.length - 1 : text.length;
  return text.slice(from, to);
}
