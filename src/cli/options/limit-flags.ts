/**
 * Limits of one run, as flags give them.
 *
 * @module
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { LimitName, Limits } from '../../model/plan/policy-schema.ts';
import { durationOf } from './duration.ts';

/** What the flags give. */
export interface LimitFlags {
  /** US dollars. */
  readonly maxCost?: number | undefined;
  /** Attempts of any one phase. */
  readonly maxAttempts?: number | undefined;
  /** Milliseconds of work. */
  readonly timeout?: number | undefined;
  /** Milliseconds from the start, waiting for people and time without a process included. */
  readonly deadline?: number | undefined;
}

/** The names of the flags, as commands know them. */
export const LIMIT_FLAGS = [
  'maxCost',
  'maxAttempts',
  'timeout',
  'deadline',
] as const satisfies readonly (keyof LimitFlags)[];

/** Adds the flags to a command. @param where When they count. */
export function withLimits(command: Command, where = ''): Command {
  return command
    .option(
      '--max-cost <usd>',
      `${where}money in US dollars at most; never more than the pipeline's own limit`,
      toMoney,
    )
    .option('--max-attempts <count>', `${where}attempts of any one phase at most; likewise`, toCount)
    .option(
      '--timeout <duration>',
      `${where}time of work at most, such as 10m or 2h; waiting for people does not count; likewise`,
      toDuration,
    )
    .option('--deadline <duration>', `${where}all time from its start at most, such as 2d; likewise`, toDuration);
}

/** Limits of a run; `undefined` where no flag gives one. */
export function limitsOf({ maxCost, maxAttempts, timeout, deadline }: LimitFlags): Limits | undefined {
  const limits = {
    ...(maxCost !== undefined && { costUsd: maxCost }),
    ...(maxAttempts !== undefined && { attemptsPerPhase: maxAttempts }),
    ...(timeout !== undefined && { durationMs: timeout }),
    ...(deadline !== undefined && { deadlineMs: deadline }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** The flag that gives a limit, with a place for its value; `undefined` where none does. */
export function limitFlag(limit: LimitName): string | undefined {
  switch (limit) {
    case 'costUsd':
      return '--max-cost <usd>';
    case 'attemptsPerPhase':
      return '--max-attempts <count>';
    case 'durationMs':
      return '--timeout <duration>';
    case 'deadlineMs':
      return '--deadline <duration>';
    case 'corrections':
    case 'perPair':
    case 'tokens':
      return undefined;
  }
}

/** Reads a whole number above 0. */
export function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It is no whole number above 0.');
}

/** Reads a duration. */
export function toDuration(text: string): number {
  const ms = durationOf(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('It is no duration such as 30d, 12h or 90m.');
}

// --- internal ---

function toMoney(text: string): number {
  if (/^\d{1,12}(?:\.\d{1,12})?$/u.test(text)) return Number(text);
  throw new InvalidArgumentError('It is no amount such as 5 or 0.50.');
}
