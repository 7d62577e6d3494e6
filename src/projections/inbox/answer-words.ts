/**
 * Answers of people in words, as the outcomes of inbox items.
 *
 * @module
 */
import { decisionSchema } from '../../model/decision/decision.ts';
import { formatDecision } from '../../model/decision/decision-text.ts';
import type { EventOf } from '../../model/events/event.ts';
import { editsText } from './edit-words.ts';
import { isFields } from '../../model/values/json.ts';

/** Returns an answer in words. */
export function answerText({ answer, reviewer }: EventOf<'task.answered'>): string {
  // Only an approval may bring outputs.
  if (reviewer && isFields(answer) && isFields(answer['outputs'])) return editsText(answer['outputs']);
  const decision = reviewer ? decisionSchema.safeParse(answer).data : undefined;
  if (decision) return formatDecision(decision);
  const text = JSON.stringify(answer);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** Returns the decision about a review in words. */
export function verdictText({ verdict, edited }: EventOf<'review.decided'>): string {
  if (edited) return editsText(edited);
  const { type } = verdict;
  return type === 'unrecognised' || type === 'inconclusive' || type === 'unavailable' ? type : formatDecision(verdict);
}

// --- internal ---

/** Characters of an answer that are shown, at most. */
const SHOWN = 200;
