/**
 * Virtual time: the timers and clocks of the whole program, which move from timer to timer.
 *
 * The runtime uses the timers and clocks of its platform, so they are replaced, and no module is. One timer fires at a time, and what it
 * leads to is complete before the next one fires. So everything that happens follows from the seed.
 *
 * @module
 */

/** The wall clock at the beginning, in milliseconds since 1970. */
export const BEGINNING = Date.UTC(2030, 0, 1);

/** A clock with its timers. */
export interface VirtualTime {
  /** Milliseconds since the beginning. It never jumps. */
  now(): number;
  /** Lets the wall clock jump by some milliseconds, forwards or backwards. Timers are not affected. */
  jump(ms: number): void;
  /** Resolves after some milliseconds. */
  wait(ms: number): Promise<void>;
  /** Clears the timer that has fired last, if it would fire again. */
  stopCurrent(): void;
  /** The number of timers that have fired. */
  fired(): number;
}

/**
 * Replaces timers and clocks, calls an action, and moves time until its promise has settled.
 *
 * @param most Most timers that may fire.
 * @param onFired Called right after each timer, before what it leads to.
 * @throws Error if nothing is left that could happen, or too many timers fire.
 */
export async function inVirtualTime<T>(
  act: (time: VirtualTime) => Promise<T>,
  { most, onFired = () => undefined }: { readonly most: number; readonly onFired?: (fired: number) => void },
): Promise<T> {
  const clock = createClock();
  const restore = replaceClocks(clock);
  try {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
    act(clock).then(
      (value) => (outcome = { value }),
      (error: unknown) => (outcome = { error }),
    );
    for (;;) {
      await turn();
      if (outcome) break;
      if (clock.fired() > most) throw new Error(`It has not ended after ${most} timers`);
      if (!clock.fire()) throw new Error('Nothing is left that could happen');
      onFired(clock.fired());
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  } finally {
    restore();
  }
}

// --- internal ---

interface Timer {
  readonly id: number;
  readonly at: number;
  readonly run: () => void;
  /** Milliseconds between firings; `undefined` for one that fires once. */
  readonly every: number | undefined;
}

interface Clock extends VirtualTime {
  wall(): number;
  set(run: () => void, ms: number, isRepeated: boolean): number;
  clear(id: unknown): void;
  /** Fires the earliest timer. Among equals, the one that was set first. @returns False if there is none. */
  fire(): boolean;
}

const turnOf = globalThis.setImmediate;

/** Resolves once no microtask is left. */
function turn(): Promise<void> {
  return new Promise((resolve) => turnOf(resolve));
}

function createClock(): Clock {
  const timers = new Map<number, Timer>();
  let now = 0;
  let jumped = 0;
  let lastId = 0;
  let fired = 0;
  let current = 0;

  function set(run: () => void, ms: number, isRepeated: boolean): number {
    lastId += 1;
    // That of the platform waits for at least a millisecond; an immediate does not wait.
    const wait = Math.max(0, Number.isFinite(ms) ? ms : 0);
    timers.set(lastId, { id: lastId, at: now + wait, run, every: isRepeated ? Math.max(1, wait) : undefined });
    return lastId;
  }

  return {
    now: () => now,
    wall: () => Math.floor(BEGINNING + now + jumped),
    fired: () => fired,
    set,
    jump: (ms) => (jumped += ms),
    clear: (id) => void (typeof id === 'number' && timers.delete(id)),
    wait: (ms) => new Promise((resolve) => void set(resolve, ms, false)),
    stopCurrent: () => void timers.delete(current),
    fire() {
      let next: Timer | undefined;
      for (const timer of timers.values()) if (!next || timer.at < next.at) next = timer;
      if (!next) return false;
      const { id, at, run, every } = next;
      now = Math.max(now, at);
      timers.delete(id);
      if (every !== undefined) timers.set(id, { ...next, at: now + every });
      current = id;
      fired += 1;
      run();
      return true;
    },
  };
}

/** @returns A function that restores those of the platform. */
function replaceClocks(clock: Clock): () => void {
  const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = globalThis;
  const { now } = Date;
  const performanceNow = performance.now.bind(performance);
  const timer =
    (isRepeated: boolean) =>
    (run: () => void, ms = 0): number =>
      clock.set(run, Math.max(1, ms), isRepeated);
  const clear = (id: unknown): void => clock.clear(id);
  Object.assign(globalThis, {
    setTimeout: timer(false),
    setInterval: timer(true),
    setImmediate: (run: () => void): number => clock.set(run, 0, false),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  });
  Date.now = () => clock.wall();
  performance.now = () => clock.now();
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate });
    Date.now = now;
    performance.now = performanceNow;
  };
}
