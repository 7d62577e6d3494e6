/**
 * The refusal of the latest answer to an inbox item, as lines.
 *
 * @module
 */
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { refusalOf } from '../../projections/wording/item-words.ts';
import { span, type Line } from '../terminal/line.ts';
import { cut, oneLine } from '../terminal/text.ts';

/** Describes the refusal in one line; no lines if the run has refused no answer. @param indent Spaces before the text. */
export function refusalLines(item: Pick<InboxItem, 'refusal' | 'closedAt'>, indent: string): readonly Line[] {
  const text = refusalOf(item);
  return text === '' ? [] : [[span(`${indent}${cut(oneLine(text), LONGEST)}`, 'warn')]];
}

// --- internal ---

/** The most columns of a refusal; the event of the run has the whole text. */
const LONGEST = 1000;
