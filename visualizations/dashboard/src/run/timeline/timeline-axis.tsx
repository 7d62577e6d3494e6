/**
 * The axis of the timeline.
 *
 * @module
 */
import type { ReactNode, RefObject } from 'react';
import { ticksOf, type TimeScale, xOf } from './time-scale.ts';

interface TimelineAxisProps {
  readonly plot: RefObject<HTMLDivElement | null>;
  readonly scale: TimeScale;
  /** The start of the run. */
  readonly begin: number;
  /** The latest time that has a mark. */
  readonly end: number;
}

/** Marks with the time since the start of the run. */
export function TimelineAxis({ plot, scale, begin, end }: TimelineAxisProps): ReactNode {
  return (
    <div className="timeline-axis" aria-hidden="true">
      <span className="row-name quiet">since the start</span>
      <div className="row-plot" ref={plot}>
        {ticksOf(scale, begin, APART).map(({ time, since, text }) =>
          time > end ? null : (
            <span key={since} className="tick" style={{ left: xOf(time, scale) }}>
              {text}
            </span>
          ),
        )}
      </div>
    </div>
  );
}

// --- internal ---

/** Least distance of marks, in pixels. */
const APART = 84;
