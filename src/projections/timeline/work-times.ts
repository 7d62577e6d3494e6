/**
 * Times of work apart from times of waiting, for scales and for sums.
 *
 * @module
 */
import type { Stretch } from './time-axis.ts';
import type { TimelineBar } from './timeline-bars.ts';

/** Times of a phase. */
export interface WorkTimes {
  /** Milliseconds in which its tasks or its gate worked. */
  readonly workMs: number;
  /** Milliseconds in which it waited: for a person, for the next try, or to start again. */
  readonly waitMs: number;
}

/** A bar, and the end to use if it is open. */
export type EndedBar = Pick<TimelineBar, 'phase' | 'kind' | 'task' | 'from'> & { readonly to: number };

/**
 * Returns the stretches of time in which phases work, for `createTimeAxis`. A task or a reviewer that waits for a person makes its
 * whole phase wait, so that a wait of hours is drawn short.
 */
export function busyStretches(bars: readonly EndedBar[]): readonly Stretch[] {
  return worked(bars, (kind) => kind === 'person', true);
}

/** Sums the times of some bars, such as those of a phase or of one attempt. */
export function workTimes(bars: readonly EndedBar[]): WorkTimes {
  const workMs = lengthOf(worked(bars, (kind) => kind !== 'work' && kind !== 'review', false));
  const all = bars.reduce((sum, { task, from, to }) => (task === undefined ? sum + Math.max(0, to - from) : sum), 0);
  return { workMs, waitMs: Math.max(0, all - workMs) };
}

/** Groups bars by their phase. */
export function barsByPhase(bars: readonly TimelineBar[]): ReadonlyMap<string, readonly TimelineBar[]> {
  const byPhase = new Map<string, TimelineBar[]>();
  for (const bar of bars) {
    const own = byPhase.get(bar.phase);
    if (own) own.push(bar);
    else byPhase.set(bar.phase, [bar]);
  }
  return byPhase;
}

/** Gives open bars an end. @param until Milliseconds since 1970. */
export function endBars(bars: readonly TimelineBar[], until: number): readonly EndedBar[] {
  return bars.map((bar) => ({ ...bar, to: bar.to ?? Math.max(bar.from, until) }));
}

// --- internal ---

/** Returns the activities of phases, without the waits of single tasks in them. */
function worked(
  bars: readonly EndedBar[],
  isWait: (kind: TimelineBar['kind']) => boolean,
  withBackoff: boolean,
): readonly Stretch[] {
  const waits = new Map<string, Stretch[]>();
  for (const bar of bars) {
    if (bar.task === undefined || !isWait(bar.kind)) continue;
    waits.set(bar.phase, [...(waits.get(bar.phase) ?? []), bar]);
  }
  return bars.flatMap((bar) => {
    const isWork = bar.kind === 'work' || bar.kind === 'review' || (withBackoff && bar.kind === 'backoff');
    return isWork && bar.task === undefined ? without(bar, waits.get(bar.phase) ?? []) : [];
  });
}

/** Cuts stretches out of another one. */
function without({ from, to }: Stretch, waits: readonly Stretch[]): readonly Stretch[] {
  const rest: Stretch[] = [];
  let at = from;
  for (const wait of waits.toSorted((a, b) => a.from - b.from)) {
    if (wait.to <= at || wait.from >= to) continue;
    if (wait.from > at) rest.push({ from: at, to: wait.from });
    at = Math.max(at, wait.to);
  }
  return at < to ? [...rest, { from: at, to }] : rest;
}

function lengthOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { from, to }) => sum + (to - from), 0);
}
