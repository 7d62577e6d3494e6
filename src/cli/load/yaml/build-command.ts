/**
 * What a pipeline file says of a command, as a command is given in code.
 *
 * @module
 */
import { resolve } from 'node:path';
import type { CommandLine, CommandOptions } from '../../../actors/command/command-line.ts';
import { durationOf } from '../../options/duration.ts';
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
  return typeof value === 'number' ? value : (durationOf(value) ?? 0);
}
