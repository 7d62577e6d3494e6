/**
 * Deadlines of an agent: its first sign of life, silence, and the whole turn.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/** Deadlines of a turn, in milliseconds; 0 for none. */
export interface Deadlines {
  /** Longest wait for the first output. @default 30000, or 0 for a command that is silent until its end */
  readonly handshake?: number | undefined;
  /** Longest silence after that. Any output ends it. @default 600000 (ten minutes) */
  readonly silence?: number | undefined;
  /** Longest turn. The timeout of a task applies as well. @default 3600000 (one hour) */
  readonly total?: number | undefined;
}

/** Deadlines with their defaults. */
export type FullDeadlines = { readonly [K in keyof Deadlines]-?: number };

/** Running deadlines. */
export interface DeadlineWatch {
  /** Notes a sign of life. */
  heard(): void;
  /** Notes that the result is known: from now on, so many milliseconds are left to end. */
  finish(linger: number): void;
  stop(): void;
}

/** Reason for which a deadline ends a program: one of the deadlines, or a program that has its result and does not end. */
export type Expired = keyof Deadlines | 'linger';

/** Adds the defaults. @throws PhasegateError `DEFINITION_INVALID` for a value that is not a number from 0. */
export function fullDeadlines(name: string, given: Deadlines, handshake = 30_000): FullDeadlines {
  const full = {
    handshake: given.handshake ?? handshake,
    silence: given.silence ?? 600_000,
    total: given.total ?? 3_600_000,
  };
  for (const [field, ms] of Object.entries(full)) {
    if (Number.isFinite(ms) && ms >= 0) continue;
    const problem = `Cannot define agent "${name}" as \`${field}\` is ${String(ms)}, not a number of milliseconds from 0`;
    throw new PhasegateError('DEFINITION_INVALID', problem, { hint: 'Give milliseconds, or 0 for no deadline.' });
  }
  return full;
}

/** Starts the deadlines. @param expire Called at most once. */
export function watchDeadlines(deadlines: FullDeadlines, expire: (which: Expired) => void): DeadlineWatch {
  const total = after(deadlines.total, () => end('total'));
  let quiet = after(deadlines.handshake, () => end('handshake'));
  let isOver = false;
  let isFinished = false;

  function end(which: Expired): void {
    if (isOver) return;
    stop();
    expire(which);
  }

  function stop(): void {
    isOver = true;
    clearTimeout(total);
    clearTimeout(quiet);
  }

  return {
    heard() {
      if (isOver || isFinished) return;
      clearTimeout(quiet);
      quiet = after(deadlines.silence, () => end('silence'));
    },
    finish(linger) {
      if (isOver || isFinished) return;
      isFinished = true;
      clearTimeout(quiet);
      quiet = after(linger, () => end('linger'));
    },
    stop,
  };
}

// --- internal ---

/** Milliseconds; Node fires longer timers at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

function after(ms: number, run: () => void): NodeJS.Timeout | undefined {
  return ms === 0 ? undefined : setTimeout(run, Math.min(ms, LONGEST_TIMER));
}
