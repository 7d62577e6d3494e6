/**
 * The times above the timeline.
 *
 * @module
 */
import type { ReactNode, RefObject } from 'react';
import { type Span, ticksOf, tickText, xOf } from './time-scale.ts';

interface TimelineAxisProps {
  readonly plot: RefObject<HTMLDivElement | null>;
  readonly span: Span;
  /** When the run began. */
  readonly begin: number;
  readonly width: number;
}

/** Marks with the time since the run began. */
export function TimelineAxis({ plot, span, begin, width }: TimelineAxisProps): ReactNode {
  return (
    <div className="timeline-axis" aria-hidden="true">
      <span className="row-name quiet">since the start</span>
      <div className="row-plot" ref={plot}>
        {ticksOf(span, begin, { width, apart: 84 }).map(({ time, since }) => (
          <span key={since} className="tick" style={{ left: xOf(time, span, width) }}>
            {tickText(since)}
          </span>
        ))}
      </div>
    </div>
  );
}
