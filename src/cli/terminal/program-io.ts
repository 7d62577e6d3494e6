/**
 * What a command uses of its process, so that a program can run one within itself.
 *
 * @module
 */
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** Streams, environment and working folder of a command. */
export interface ProgramIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of files are taken from here. */
  readonly cwd: string;
}

/** A stream that is written to; a terminal says so, and how large it is. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Those of this process. */
export function ioOfProcess(): ProgramIo {
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, cwd: process.cwd() };
}

/** How wide a terminal is; `undefined` for what is none, or does not know. */
export function widthOf({ columns = 0 }: OutputStream): number | undefined {
  return columns > 0 ? columns : undefined;
}

/** The place of a file that a user has named. */
export function placeOf(file: string, { cwd }: Pick<ProgramIo, 'cwd'>): string {
  return resolve(cwd, file);
}
