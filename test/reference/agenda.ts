/**
 * What will happen when: the heart of a discrete-event simulation.
 *
 * @module
 */

interface Entry {
  readonly at: number;
  readonly act: () => void;
}

/** A priority queue of things to do, by virtual time. */
export interface Agenda {
  now(): number;
  after(delay: number, act: () => void): void;
  /** Does the next thing; false where there is none. */
  step(): boolean;
  /** Whether two things were ever due at the same time: then their order is not defined, and the run proves nothing. */
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
