/**
 * The choice to shorten long waits in the timeline.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { Stretch } from '../../../../../src/projections/timeline/time-axis.ts';
import { counted, exactDuration } from '../../parts/words.ts';

interface TimelineCutsProps {
  readonly cuts: readonly Stretch[];
  /** True if long waits are shortened. */
  readonly isCut: boolean;
  readonly onChange: (isCut: boolean) => void;
}

/** A checkbox with the number of waits; nothing if there are none. */
export function TimelineCuts({ cuts, isCut, onChange }: TimelineCutsProps): ReactNode {
  if (isCut && cuts.length === 0) return null;
  const lasted = cuts.reduce((sum, { from, to }) => sum + (to - from), 0);
  return (
    <p className="timeline-cuts">
      <label>
        <input type="checkbox" checked={isCut} onChange={({ target }) => onChange(target.checked)} /> Shorten long waits
      </label>
      {isCut ? `: ${counted(cuts.length, 'wait')}, ${exactDuration(lasted)} in all` : ''}
    </p>
  );
}
