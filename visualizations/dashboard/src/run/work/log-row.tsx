/**
 * A row of a log.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { readable } from '../../parts/untrusted-text.ts';
import { clockText, isoTime, timeText } from '../../parts/words.ts';
import type { LogLine } from '../phase/log-lines.ts';

/** The time and the text, which may have several lines. */
export function LogRow({ line: { time, text } }: { readonly line: LogLine }): ReactNode {
  return (
    <p>
      <time className="quiet" dateTime={isoTime(time)} title={timeText(time)}>
        {clockText(time)}
      </time>{' '}
      {readable(text)}
    </p>
  );
}
