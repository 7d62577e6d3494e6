/**
 * A run as plain lines, one for each event: what a pipe, a file and a build log get.
 *
 * @module
 */
import type { RunRecord, Verdict } from '../../model/event.ts';
import { issueWords, type IssueWords } from '../../model/loop-text.ts';
import type { GatePlan } from '../../model/plan.ts';
import { askedFor, recordText, recordWords, type Voice } from '../../model/record-words.ts';
import type { Correction } from '../../model/revision.ts';
import { saidText } from '../../model/said.ts';
import { verdictWords } from '../../model/verdict-words.ts';
import { errorText } from './error-text.ts';
import { usageText } from '../../model/amount-text.ts';
import { cut, duration, oneLine } from './text.ts';

/** Turns the records of one run into lines, in order. */
export type EventLines = (record: RunRecord) => string;

/** A reader of records that knows the plan once `run.started` has brought it. */
export function createEventLines(): EventLines {
  let startedAt = 0;
  let gates: ReadonlyMap<string, GatePlan | null> = new Map();
  /** Of the latest review of each phase. */
  const issues = new Map<string, IssueWords>();
  return (record) => {
    const { time, event } = record;
    if (event.type === 'run.started') startedAt = time;
    if ((event.type === 'run.started' || event.type === 'run.resumed') && event.plan)
      gates = new Map(event.plan.phases.map(({ name, gate }) => [name, gate]));
    if (event.type === 'review.decided' && event.by === 'gate') issues.set(event.phase, issueWords(event));
    const phase = 'phase' in event ? event.phase : undefined;
    const known = phase === undefined ? {} : { gate: gates.get(phase), issues: issues.get(phase) };
    const about = phase === undefined ? '' : `${oneLine(phase)}: `;
    const words = oneLine(recordText(recordWords(record, VOICE, known)));
    return cut(`${duration(time - startedAt).padStart(7)}  ${about}${words}`, LONGEST_LINE);
  };
}

/** A verdict in a few words, with what it says. */
export function verdictText(verdict: Verdict): string {
  return oneLine(saidText(verdictWords(verdict)));
}

/** What a correction asks for, in one line. */
export function correctionText(correction: Pick<Correction, 'feedback' | 'requiredChange'>): string {
  return oneLine(askedFor(correction));
}

// --- internal ---

/** Longer lines help nobody; the records have the whole text. */
const LONGEST_LINE = 1000;

/** Columns of what a correction asks for: the line of its verdict has all of it. */
const LONGEST_CORRECTION = 120;

const VOICE: Voice = { duration, usage: usageText, error: errorText, correction: shortCorrection };

/** The change that is required, else how the feedback begins. */
function shortCorrection({ feedback, requiredChange = '' }: Pick<Correction, 'feedback' | 'requiredChange'>): string {
  return cut(oneLine(requiredChange.trim() === '' ? feedback : requiredChange), LONGEST_CORRECTION);
}
