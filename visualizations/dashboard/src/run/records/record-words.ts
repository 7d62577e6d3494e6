/**
 * Records in words, one line each.
 *
 * @module
 */
import { usageText } from '../../../../../src/projections/wording/amount-words.ts';
import type { RunRecord } from '../../../../../src/model/events/event.ts';
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
 * The context that the words of a record need: the gate of its phase, or the issues of the review before it.
 *
 * @param records All records of the run up to it, from the first.
 */
export function knownBefore(records: readonly RunRecord[], record: RunRecord, plan: Plan | undefined): KnownBefore {
  const { event, seq } = record;
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
