/**
 * Looks for runs, one after the other.
 *
 * @module
 */
import type { RunStore, StoreWatch } from '../../store/port.ts';
import { WATCHED_MS } from '../records/message-poll.ts';
import { PAUSE_MS } from './passed-runs.ts';

/** The looks of a worker. */
export interface Looks {
  /** Looks now, unless a look is in progress. */
  now(): void;
  /** Looks no more. A look in progress goes on. */
  stop(): void;
  /** Resolves when no look is in progress. */
  idle(): Promise<void>;
}

/**
 * Repeats looks, once {@link Looks.now} is called. It looks at once if the store tells of a change.
 *
 * @param look Looks once.
 * @param onError Called if it fails. The next look comes after {@link PAUSE_MS} then.
 */
export function repeatLooks(
  store: Pick<RunStore, 'watch'>,
  look: () => Promise<void>,
  onError: (error: unknown) => void,
): Looks {
  let isStopped = false;
  let isTold = false;
  let watch: StoreWatch | undefined;
  let looking: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function now(): void {
    if (isStopped) return;
    looking ??= once()
      .then(
        () => schedule(isTold ? 0 : watch?.isLive() === true ? WATCHED_MS : POLL_MS),
        (error: unknown) => {
          onError(error);
          schedule(PAUSE_MS);
        },
      )
      .finally(() => (looking = undefined));
  }

  async function once(): Promise<void> {
    isTold = false;
    watch ??= store.watch?.(tell);
    await look();
  }

  /** The change may have come after the look in progress, which is then followed by another one. */
  function tell(): void {
    isTold = true;
    now();
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(now, ms);
  }

  return {
    now,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      watch?.stop();
    },
    idle: async () => looking,
  };
}

// --- internal ---

/**
 * Milliseconds between looks for runs. A look is one statement, so an idle worker costs its store fewer than five in a second.
 */
const POLL_MS = 225;
