/**
 * Command-line flags for the limits of one run.
 *
 * @module
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { LimitName, Limits } from '../../model/plan/policy-schema.ts';
import { durationOf } from './duration.ts';

/** Values of the flags. */
export interface LimitFlags {
  /** Cost in US dollars. */
  readonly maxCost?: number | undefined;
  /** Tokens. */
  readonly maxTokens?: number | undefined;
  /** Attempts of any one phase. */
  readonly maxAttempts?: number | undefined;
  /** Milliseconds of work. */
  readonly timeout?: number | undefined;
  /** Milliseconds from the start of the run, including waiting for people and time without a process. */
  readonly deadline?: number | undefined;
}

/** The flags under the names that commander gives them. */
export const LIMIT_FLAGS = [
  'maxCost',
  'maxTokens',
  'maxAttempts',
  'timeout',
  'deadline',
] as const satisfies readonly (keyof LimitFlags)[];

/** Adds the flags to a command. @param where A prefix of their descriptions that says when they apply. */
export function withLimits(command: Command, where = ''): Command {
  return command
    .option(
      '--max-cost <usd>',
      `${where}limit the cost in US dollars; flags never exceed the pipeline's own limits`,
      toMoney,
    )
    .option('--max-tokens <count>', `${where}limit the tokens`, toCount)
    .option('--max-attempts <count>', `${where}limit the attempts of each phase`, toCount)
    .option(
      '--timeout <duration>',
      `${where}limit the time of work, such as 10m or 2h, without waiting for people`,
      toDuration,
    )
    .option('--deadline <duration>', `${where}limit the whole time from the start, such as 2d`, toDuration);
}

/** Converts the flags to limits of a run; `undefined` if no flag is given. */
export function limitsOf({ maxCost, maxTokens, maxAttempts, timeout, deadline }: LimitFlags): Limits | undefined {
  const limits = {
    ...(maxCost !== undefined && { costUsd: maxCost }),
    ...(maxTokens !== undefined && { tokens: maxTokens }),
    ...(maxAttempts !== undefined && { attemptsPerPhase: maxAttempts }),
    ...(timeout !== undefined && { durationMs: timeout }),
    ...(deadline !== undefined && { deadlineMs: deadline }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** Returns the flag that sets a limit, with a placeholder for its value; `undefined` if there is no such flag. */
export function limitFlag(limit: LimitName): string | undefined {
  switch (limit) {
    case 'costUsd':
      return '--max-cost <usd>';
    case 'tokens':
      return '--max-tokens <count>';
    case 'attemptsPerPhase':
      return '--max-attempts <count>';
    case 'durationMs':
      return '--timeout <duration>';
    case 'deadlineMs':
      return '--deadline <duration>';
    case 'corrections':
    case 'perPair':
      return undefined;
  }
}

/** Parses a whole number above 0. */
export function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

/** Parses a duration. @returns Milliseconds. */
export function toDuration(text: string): number {
  const ms = durationOf(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('It must be a duration such as 30d, 12h or 90m.');
}

// --- internal ---

function toMoney(text: string): number {
  if (/^\d{1,12}(?:\.\d{1,12})?$/u.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be an amount such as 5 or 0.50.');
}
