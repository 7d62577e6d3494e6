/**
 * What a pipeline file says of a command, as a command is given in code.
 *
 * @module
 */
import { resolve } from 'node:path';
import type { CommandLine, CommandOptions } from '../../actors/command-line.ts';
import type { CommandFields, Duration } from './command-schema.ts';

/** The line of a command. */
export function lineOf({ command: line }: CommandFields): CommandLine {
  if (typeof line === 'string') return line;
  const [program = '', ...args] = line.map(String);
  return [program, ...args];
}

/** What it is run with. Paths are those of the file. */
export function optionsOf(
  { shell, cwd = '.', env = {}, stdin, timeout, maxOutputBytes }: CommandFields,
  directory: string,
): CommandOptions {
  return {
    shell,
    cwd: resolve(directory, cwd),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
    stdin,
    maxOutputBytes,
    timeout: timeout === undefined ? undefined : milliseconds(timeout),
  };
}

/** A duration in milliseconds. */
export function milliseconds(value: Duration): number {
  if (typeof value === 'number') return value;
  const [, amount = '', unit = ''] = /^([\d.]+) ?(ms|s|m|h)$/u.exec(value) ?? [];
  return Number(amount) * (UNITS.get(unit) ?? 0);
}

// --- internal ---

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
