/**
 * Conversion of a command in a pipeline file to the options of `command()`.
 *
 * @module
 */
import { resolve } from 'node:path';
import type { CommandLine, CommandOptions } from '../../../actors/command/command-line.ts';
import { durationOf } from '../../options/duration.ts';
import type { CommandFields, Duration } from './command-schema.ts';

/** Returns the command line. */
export function lineOf({ command: line }: CommandFields): CommandLine {
  if (typeof line === 'string') return line;
  const [program = '', ...args] = line.map(String);
  return [program, ...args];
}

/** Returns the options of a command. Paths are relative to the directory of the file. */
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

/** Converts a duration to milliseconds. */
export function milliseconds(value: Duration): number {
  return typeof value === 'number' ? value : (durationOf(value) ?? 0);
}
