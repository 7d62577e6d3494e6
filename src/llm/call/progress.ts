/**
 * Progress reports of a streamed answer.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';
import { unusable } from './model-error.ts';

/**
 * Creates a function that takes the pieces of an answer and reports progress. It reports the first piece, and again each time
 * the answer has grown by a quarter and by at least 200 characters. So an answer of 100 000 characters causes some 30 records,
 * not one per token.
 *
 * @param who The asking task, for messages.
 * @returns A function that throws `MODEL_ANSWER_INVALID` for a piece that is not text.
 */
export function createProgress(who: string, report: (report: Report) => void): (delta: unknown) => void {
  let length = 0;
  let tail = '';
  let next = 1;
  return (delta) => {
    if (typeof delta !== 'string') throw noText(who, delta);
    length += delta.length;
    tail = (tail + delta).slice(-TAIL);
    if (length < next) return;
    next = length + Math.max(STEP, length / 4);
    const line = tail.replaceAll(/\s+/gu, ' ').trim();
    report({ progress: `${length} characters: ${length > TAIL ? '…' : ''}${line}` });
  };
}

// --- internal ---

const STEP = 200;
const TAIL = 80;

function noText(who: string, delta: unknown): Error {
  const found = delta === null ? 'null' : typeof delta;
  return unusable(who, `\`ask\` called \`onDelta\` with ${found}, which is not text`, {
    hint: 'Call it with the text of each piece, and not for pieces without text.',
    retryable: false,
  });
}
