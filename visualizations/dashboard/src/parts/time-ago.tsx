/**
 * Times, told from now, with the exact ones behind them.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { distanceText, isoTime, timeText } from './words.ts';

interface TimeAgoProps {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The same, of now. */
  readonly now: number;
}

/** `2 min ago`, or `in 3 h`. */
export function TimeAgo({ time, now }: TimeAgoProps): ReactNode {
  return (
    <time dateTime={isoTime(time)} title={timeText(time)}>
      {distanceText(time, now)}
    </time>
  );
}
