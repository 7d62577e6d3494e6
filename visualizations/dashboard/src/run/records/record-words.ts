/**
 * Records in words, one line each.
 *
 * @module
 */
import { usageText } from '../../../../../src/projections/wording/amount-words.ts';
import type { EventOf, RunRecord } from '../../../../../src/model/events/event.ts';
import { issueWords, type IssueWords } from '../../../../../src/projections/run/loop-words.ts';
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import { errorText } from '../../../../../src/projections/wording/error-words.ts';
import {
  type KnownBefore,
  recordText,
  recordWords,
  type Voice,
} from '../../../../../src/projections/wording/record-words.ts';
import { startOf } from '../../parts/untrusted-text.ts';
import { exactDuration } from '../../parts/words.ts';

/** A record on one line, without the name of its phase. Texts of models are cut; the panel of the phase has them in full. */
export function wordsOf(record: RunRecord, known?: KnownBefore): string {
  return startOf(recordText(recordWords(record, VOICE, known)), MOST);
}

/**
 * The context that the words of a record need: the number of the attempt, the gate of its phase, or the issues of the review before
 * it.
 *
 * @param records All records of the run up to it, from the first.
 */
export function knownBefore(records: readonly RunRecord[], record: RunRecord, plan: Plan | undefined): KnownBefore {
  const { event, seq } = record;
  if (event.type === 'phase.started') return { number: numberOf(records, { event, seq }) };
  if (event.type === 'loop.detected') return { issues: issuesBefore(records, seq, event.phase) };
  if (event.type !== 'phase.retrying' && event.type !== 'phase.rewinding') return {};
  return { gate: plan?.phases.find(({ name }) => name === event.phase)?.gate };
}

// --- internal ---

/** Characters. */
const MOST = 300;

const VOICE: Voice = { duration: exactDuration, usage: usageText, error: errorText };

function issuesBefore(records: readonly RunRecord[], seq: number, phase: string): IssueWords | undefined {
  for (let at = seq - 1; at >= 1; at -= 1) {
    const before = records[at - 1]?.event;
    if (before?.type === 'review.decided' && before.by === 'gate' && before.phase === phase) return issueWords(before);
  }
  return undefined;
}

/** The numbers of attempts, by the event that started them. */
const numbers = new WeakMap<RunRecord['event'], number>();

/** Counts the starts of a phase up to one of them. Later starts count from there. */
function numberOf(
  records: readonly RunRecord[],
  { event, seq }: { readonly event: EventOf<'phase.started'>; readonly seq: number },
): number {
  let number = 1;
  for (let at = seq - 1; at >= 1; at -= 1) {
    const before = records[at - 1]?.event;
    if (before?.type !== 'phase.started' || before.phase !== event.phase) continue;
    const known = numbers.get(before);
    number += known ?? 1;
    if (known !== undefined) break;
  }
  numbers.set(event, number);
  return number;
}
