/** Logs that share a list: each keeps its own lines. */
import { expect, it } from 'vitest';
import {
  type LogLine,
  type LogLines,
  noLines,
  withLine,
} from '../../visualizations/dashboard/src/run/phase/log-lines.ts';

const line = (seq: number): LogLine => ({ seq, time: 0, text: '' });
const seqs = ({ all, count }: LogLines) => all.slice(0, count).map(({ seq }) => seq);

it('keeps each log as it was, also if two continue the same one', () => {
  const none = noLines();
  const one = withLine(none, line(1));
  const two = withLine(one, line(2));
  const other = withLine(one, line(3));
  const three = withLine(two, line(4));
  expect([none, one, two, other, three].map(seqs)).toEqual([[], [1], [1, 2], [1, 3], [1, 2, 4]]);
  // A longer log has the list of the shorter one, and copies nothing.
  expect(three.all).toBe(two.all);
  expect(withLine({ all: Object.freeze([line(1)]), count: 1 }, line(2)).count).toBe(2);
});
