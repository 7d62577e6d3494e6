/**
 * The time of work of a phase at work, in the graph.
 *
 * @module
 */
import { createContext, type ReactNode, use } from 'react';
import type { TimelineBar } from '../../../../../src/projections/timeline/timeline.ts';
import { useNow } from '../../data/now.ts';
import { exactDuration } from '../../parts/words.ts';
import { timesOf } from '../timeline/use-timeline.ts';

/** The bars of each phase, and the end of open bars. */
export interface ElapsedSource {
  readonly bars: ReadonlyMap<string, readonly TimelineBar[]>;
  /** Milliseconds since 1970; `null` if they last until now. */
  readonly until: number | null;
}

/** The source of times. */
export const ElapsedContext = createContext<ElapsedSource>({ bars: new Map(), until: 0 });

/** The work of a phase so far, without waits. Screen readers find it in the list, as a name that changes each second is read again. */
export function Elapsed({ phase }: { readonly phase: string }): ReactNode {
  const { bars, until } = use(ElapsedContext);
  const now = useNow(until === null ? 1000 : NEVER);
  const { workMs } = timesOf(bars.get(phase) ?? [], until ?? now);
  return workMs === 0 ? null : (
    <span aria-hidden="true" className="elapsed">
      {' '}
      {exactDuration(workMs)}
    </span>
  );
}

// --- internal ---

/** Milliseconds. */
const NEVER = 1e9;
