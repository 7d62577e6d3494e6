/**
 * Scheduled actions by time: the core of a discrete-event simulation.
 *
 * @module
 */

interface Entry {
  readonly at: number;
  readonly act: () => void;
}

/** A priority queue of actions, by virtual time. */
export interface Agenda {
  now(): number;
  after(delay: number, act: () => void): void;
  /** Runs the next action. @returns False if there is none. */
  step(): boolean;
  /**
   * Returns true if two actions were ever due at the same time. Their order is then undefined, and the run proves
   * nothing.
   */
  readonly collided: () => boolean;
}

export function createAgenda(): Agenda {
  const entries: Entry[] = [];
  const seen = new Set<number>();
  let now = 0;
  let collided = false;
  return {
    now: () => now,
    collided: () => collided,
    after(delay, act) {
      const at = now + delay;
      collided ||= seen.has(at);
      seen.add(at);
      let index = entries.length;
      while (index > 0 && (entries[index - 1]?.at ?? 0) < at) index--;
      entries.splice(index, 0, { at, act });
    },
    step() {
      const next = entries.pop();
      if (!next) return false;
      now = next.at;
      next.act();
      return true;
    },
  };
}
