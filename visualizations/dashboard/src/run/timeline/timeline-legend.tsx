/**
 * The legend of the timeline.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { timelineKinds, timelineWords } from '../../../../../src/projections/wording/timeline-words.ts';

/** Each kind of bar with its name. */
export function TimelineLegend(): ReactNode {
  return (
    <ul className="timeline-legend" aria-label="Kinds of bars">
      {timelineKinds.map((kind) => (
        <li key={kind}>
          <span className={`bar ${kind}`} aria-hidden="true" /> {timelineWords[kind]}
        </li>
      ))}
      <li>
        <span className="arrow" aria-hidden="true">
          ↑
        </span>{' '}
        sends back
      </li>
    </ul>
  );
}
