/**
 * A run as plain lines, one for each event: what a pipe, a file and a build log get.
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
import { cut, duration, oneLine } from '../terminal/text.ts';

/** Turns the records of one run into lines, in order. */
export interface EventLines {
  (record: RunRecord): string;
  /** Takes note of a record that is not shown. */
  readonly recall: (record: RunRecord) => void;
}

/** A reader of records that knows the plan once `run.started` has brought it. */
export function createEventLines(): EventLines {
  let startedAt = 0;
  let gates: ReadonlyMap<string, GatePlan | null> = new Map();
  /** Of the latest review of each phase. */
  const issues = new Map<string, IssueWords>();
  /** Corrections of each phase that were shown since it last started. */
  const asked = new Map<string, readonly Correction[]>();

  function recall({ time, event }: RunRecord): void {
    if (event.type === 'run.started') startedAt = time;
    if ((event.type === 'run.started' || event.type === 'run.resumed') && event.plan)
      gates = new Map(event.plan.phases.map(({ name, gate }) => [name, gate]));
    if (event.type === 'review.decided' && event.by === 'gate') issues.set(event.phase, issueWords(event));
    if (event.type === 'phase.started') asked.delete(event.phase);
  }

  function line(record: RunRecord): string {
    const { time, event } = record;
    const phase = 'phase' in event ? event.phase : undefined;
    const isTold = event.type === 'phase.started' && isShown(event, asked.get(event.phase));
    recall(record);
    if (event.type === 'phase.retrying' || event.type === 'phase.rewinding') {
      const target = event.type === 'phase.retrying' ? event.phase : event.target;
      asked.set(target, [...(asked.get(target) ?? []), event.correction]);
    }
    const known = phase === undefined ? {} : { gate: gates.get(phase), isTold, issues: issues.get(phase) };
    const about = phase === undefined ? '' : `${oneLine(phase)}: `;
    const words = oneLine(recordText(recordWords(record, VOICE, known)));
    return cut(`${duration(time - startedAt).padStart(7)}  ${about}${words}`, LONGEST_LINE);
  }

  return Object.assign(line, { recall });
}

/** A verdict in a few words, with what it says. */
export function verdictText(verdict: Verdict): string {
  return oneLine(phraseText(verdictWords(verdict)));
}

/** What a correction asks for, in one line. */
export function correctionText(correction: Pick<Correction, 'feedback' | 'requiredChange'>): string {
  return oneLine(askedFor(correction));
}

// --- internal ---

/** Tells if lines have said all that an attempt is asked for, which is joined if several have asked. */
function isShown({ revision }: EventOf<'phase.started'>, asked: readonly Correction[] = []): boolean {
  if (!revision || asked.length === 0) return false;
  const { feedback, requiredChange } = joinDemands(asked);
  return revision.feedback === feedback && revision.requiredChange === requiredChange;
}

/** Longer lines help nobody; the records have the whole text. */
const LONGEST_LINE = 1000;

/** Columns of what a correction asks for: the line of its verdict has all of it. */
const LONGEST_CORRECTION = 120;

const VOICE: Voice = { duration, usage: usageText, error: problemOf, correction: shortCorrection };

/** The change that is required, else how the feedback begins. */
function shortCorrection({ feedback, requiredChange = '' }: Pick<Correction, 'feedback' | 'requiredChange'>): string {
  return cut(oneLine(requiredChange.trim() === '' ? feedback : requiredChange), LONGEST_CORRECTION);
}
