/**
 * Sessions of work in one process, by the invocation that each belongs to.
 *
 * Restate may call a handler again in the same process, such as after its server was gone. Then the session goes on.
 *
 * @module
 */
import type { WorkFact } from '../runtime/steps/outstanding-work.ts';
import type { WorkBatch, WorkSession } from '../runtime/steps/work-batch.ts';

/** Sessions of this process. */
export interface Sessions {
  /**
   * Resolves with a batch of a session. The first batch begins it.
   *
   * @returns `working` if there is none yet. It says so every few seconds, as Restate passes on no cancellation to a silent handler. `waiting`
   *   if a try waits for room, too. `lost` if another process has begun the session.
   */
  batch(key: string, index: number, begin: () => WorkSession): Promise<WorkBatch | 'working' | 'waiting' | 'lost'>;
  /** Tells a session which tasks have room. @param step Number of the answer; a repeated one changes nothing. */
  grant(key: string, step: number, tasks: readonly string[]): void;
  /** Stops a session. Resolves with facts that no batch has told, such as usage. @param told Number of batches that were told. */
  rest(key: string, told: number): Promise<readonly WorkFact[]>;
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
      if (known) return soon(known.session, index);
      if (index > 0) return 'lost';
      const session = begin();
      open.set(key, { session });
      return soon(session, index);
    },
    grant: (key, step, tasks) => open.get(key)?.session.grant(step, tasks),
    async rest(key, told) {
      const entry = open.get(key);
      open.delete(key);
      clearTimeout(entry?.timer);
      return entry ? entry.session.rest(told) : [];
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

/** Time between two questions for room, in milliseconds. Another phase may have released some. */
const WAITING_MS = 1000;

/** Resolves with a batch, or says that it takes long. */
async function soon(session: WorkSession, index: number): Promise<WorkBatch | 'working' | 'waiting'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const word = session.isWaiting() ? 'waiting' : 'working';
  const silence = new Promise<typeof word>((resolve) => {
    timer = setTimeout(() => resolve(word), word === 'waiting' ? WAITING_MS : SILENT_MS);
  });
  const first = await Promise.race([session.batch(index), silence]);
  clearTimeout(timer);
  return first;
}
