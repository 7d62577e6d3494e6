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

/** The age of something that has happened, for example `2 min ago`. Clocks may differ, but it is never in the future. */
export function TimeAgo({ time, now }: TimeAgoProps): ReactNode {
  return (
    <time dateTime={isoTime(time)} title={timeText(time)}>
      {distanceText(Math.min(time, now), now)}
    </time>
  );
}
