/**
 * The refusal of the latest answer to an inbox item, as lines.
 *
 * @module
 */
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { span, type Line } from '../terminal/line.ts';
import { cut, oneLine } from '../terminal/text.ts';

/** Describes the refusal in one line; no lines if the run has refused no answer, or if the item is closed. @param indent Spaces before the text. */
export function refusalLines(
  { refusal, closedAt }: Pick<InboxItem, 'refusal' | 'closedAt'>,
  indent: string,
): readonly Line[] {
  if (refusal === undefined || closedAt !== undefined) return [];
  return [[span(`${indent}the latest answer was refused: ${cut(oneLine(refusal), LONGEST)}`, 'warn')]];
}

// --- internal ---

/** The most columns of a refusal; the event of the run has the whole text. */
const LONGEST = 1000;
