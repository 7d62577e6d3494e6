/**
 * The times above the timeline.
 *
 * @module
 */
import type { ReactNode, RefObject } from 'react';
import { ticksOf, type TimeScale, xOf } from './time-scale.ts';

interface TimelineAxisProps {
  readonly plot: RefObject<HTMLDivElement | null>;
  readonly scale: TimeScale;
  /** When the run began. */
  readonly begin: number;
}

/** Marks with the time since the run began. */
export function TimelineAxis({ plot, scale, begin }: TimelineAxisProps): ReactNode {
  return (
    <div className="timeline-axis" aria-hidden="true">
      <span className="row-name quiet">since the start</span>
      <div className="row-plot" ref={plot}>
        {ticksOf(scale, begin, APART).map(({ time, since, text }) => (
          <span key={since} className="tick" style={{ left: xOf(time, scale) }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}

// --- internal ---

/** Pixels from one mark to the next, at least. */
const APART = 84;
