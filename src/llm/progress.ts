/**
 * What is told of an answer while it comes.
 *
 * @module
 */
import type { Report } from '../model/task-types.ts';

/**
 * Takes the pieces of an answer and reports how far it is: at the first piece, and then each time the answer has grown by a
 * quarter and by 200 characters at least. So an answer of 100 000 characters makes some 30 records, not one per token.
 */
export function createProgress(attempt: number, report: (report: Report) => void): (delta: string) => void {
  let length = 0;
  let tail = '';
  let next = 1;
  return (delta) => {
    length += delta.length;
    tail = (tail + delta).slice(-TAIL);
    if (length < next) return;
    next = length + Math.max(STEP, length / 4);
    const line = tail.replaceAll(/\s+/gu, ' ').trim();
    report({ progress: `attempt ${attempt + 1}, ${length} characters: ${length > TAIL ? '…' : ''}${line}` });
  };
}

// --- internal ---

const STEP = 200;
const TAIL = 80;
