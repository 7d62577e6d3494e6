/**
 * Relative times, with the exact time as a tooltip.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { distanceText, isoTime, timeText } from './words.ts';

interface TimeAgoProps {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

/** A relative time, for example `2 min ago` or `in 3 h`. */
export function TimeAgo({ time, now }: TimeAgoProps): ReactNode {
  return (
    <time dateTime={isoTime(time)} title={timeText(time)}>
      {distanceText(time, now)}
    </time>
  );
}
