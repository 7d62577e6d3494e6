/**
 * A run as plain lines, one for each event, for pipes, files and build logs.
 *
 * @module
 */
import type { EventOf, RunRecord, Verdict } from '../../model/events/event.ts';
import type { GatePlan } from '../../model/plan/plan.ts';
import { joinDemands, type Correction } from '../../model/revision/revision.ts';
import { issueWords, type IssueWords } from '../../projections/run/loop-words.ts';
import { usageText } from '../../projections/wording/amount-words.ts';
import { phraseText } from '../../projections/wording/phrase.ts';
import { askedFor, recordText, recordWords, type Voice } from '../../projections/wording/record-words.ts';
import { verdictWords } from '../../projections/wording/verdict-words.ts';
import { problemOf } from '../terminal/error-text.ts';
import { cut, duration, oneLine, reasonText } from '../terminal/text.ts';

/** Converts the records of one run to lines, in order. */
export interface EventLines {
  (record: RunRecord): string;
  /** Applies a record without showing it. */
  readonly recall: (record: RunRecord) => void;
}

/** Creates a converter. It takes the plan from `run.started` and `run.resumed`. */
export function createEventLines(): EventLines {
  let startedAt = 0;
  let gates: ReadonlyMap<string, GatePlan | null> = new Map();
  /** The issues of the latest review, by phase. */
  const issues = new Map<string, IssueWords>();
  /** Attempts so far, by phase. */
  const numbers = new Map<string, number>();
  /** Corrections that were shown since the last start of a phase, by phase. */
  const corrections = new Map<string, readonly Correction[]>();

  function recall({ time, event }: RunRecord): void {
    if (event.type === 'run.started') startedAt = time;
    if ((event.type === 'run.started' || event.type === 'run.resumed') && event.plan)
      gates = new Map(event.plan.phases.map(({ name, gate }) => [name, gate]));
    if (event.type === 'review.decided' && event.by === 'gate') issues.set(event.phase, issueWords(event));
    if (event.type !== 'phase.started') return;
    corrections.delete(event.phase);
    numbers.set(event.phase, (numbers.get(event.phase) ?? 0) + 1);
  }

  function line(record: RunRecord): string {
    const { time, event } = record;
    const phase = 'phase' in event ? event.phase : undefined;
    const isTold = event.type === 'phase.started' && isShown(event, corrections.get(event.phase));
    recall(record);
    if (event.type === 'phase.retrying' || event.type === 'phase.rewinding') {
      const target = event.type === 'phase.retrying' ? event.phase : event.target;
      corrections.set(target, [...(corrections.get(target) ?? []), event.correction]);
    }
    const known =
      phase === undefined
        ? {}
        : { gate: gates.get(phase), number: numbers.get(phase), isTold, issues: issues.get(phase) };
    const about = phase === undefined ? '' : `${oneLine(phase)}: `;
    const words = reasonText(oneLine(recordText(recordWords(record, VOICE, known))));
    return cut(`${duration(time - startedAt).padStart(7)}  ${about}${words}`, LONGEST_LINE);
  }

  return Object.assign(line, { recall });
}

/** Describes a verdict in one line, with its feedback. */
export function verdictText(verdict: Verdict): string {
  return oneLine(phraseText(verdictWords(verdict)));
}

/** Returns the demand of a correction in one line. */
export function correctionText(correction: Pick<Correction, 'feedback' | 'requiredChange'>): string {
  return oneLine(askedFor(correction));
}

// --- internal ---

/** True if earlier lines have shown the whole demand on an attempt. The demand joins all corrections since the last start. */
function isShown({ revision }: EventOf<'phase.started'>, corrections: readonly Correction[] = []): boolean {
  if (!revision || corrections.length === 0) return false;
  const { feedback, requiredChange } = joinDemands(corrections);
  return revision.feedback === feedback && revision.requiredChange === requiredChange;
}

/** The most columns of a line; the records have the whole text. */
const LONGEST_LINE = 1000;

/** The most columns of a correction; the line of its verdict has the whole text. */
const LONGEST_CORRECTION = 120;

const VOICE: Voice = { duration, usage: usageText, error: problemOf, correction: shortCorrection };

/** Returns the required change, else the beginning of the feedback. */
function shortCorrection({ feedback, requiredChange = '' }: Pick<Correction, 'feedback' | 'requiredChange'>): string {
  return cut(oneLine(requiredChange.trim() === '' ? feedback : requiredChange), LONGEST_CORRECTION);
}
