/**
 * Sessions of work in one process, by the invocation that each belongs to.
 *
 * Restate may call a handler again in the same process, such as after its server was gone. Then the session goes on.
 *
 * @module
 */
import type { WorkBatch, WorkSession } from '../runtime/steps/work-session.ts';

/** Sessions of this process. */
export interface Sessions {
  /**
   * Resolves with a batch of a session. The first batch begins it.
   *
   * @returns `working` if there is none yet. It says so every few seconds, as Restate passes on no cancellation to a silent handler. `lost` if
   *   another process has begun the session.
   */
  batch(key: string, index: number, begin: () => WorkSession): Promise<WorkBatch | 'working' | 'lost'>;
  /** Stops a session soon, unless its invocation comes back to this process. */
  leave(key: string): void;
  /** Stops a session. */
  end(key: string): void;
}

/** Creates an empty set of sessions. */
export function createSessions(): Sessions {
  const open = new Map<string, { readonly session: WorkSession; timer?: ReturnType<typeof setTimeout> }>();

  function end(key: string): void {
    const entry = open.get(key);
    open.delete(key);
    clearTimeout(entry?.timer);
    entry?.session.stop();
  }

  return {
    async batch(key, index, begin) {
      const known = open.get(key);
      clearTimeout(known?.timer);
      if (known) return soon(known.session.batch(index));
      if (index > 0) return 'lost';
      const session = begin();
      open.set(key, { session });
      return soon(session.batch(index));
    },
    leave(key) {
      const entry = open.get(key);
      if (!entry) return;
      clearTimeout(entry.timer);
      entry.timer = setTimeout(() => end(key), GRACE_MS);
      entry.timer.unref();
    },
    end,
  };
}

// --- internal ---

/** Time in which an invocation may come back, in milliseconds. */
const GRACE_MS = 10_000;

/** Longest silence of a handler, in milliseconds. Restate takes one for idle after a minute. */
const SILENT_MS = 10_000;

/** Resolves with a batch, or with `working` if it takes long. */
async function soon(batch: Promise<WorkBatch>): Promise<WorkBatch | 'working'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<'working'>((resolve) => {
    timer = setTimeout(() => resolve('working'), SILENT_MS);
  });
  const first = await Promise.race([batch, silence]);
  clearTimeout(timer);
  return first;
}
