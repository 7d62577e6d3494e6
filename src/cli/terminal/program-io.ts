/**
 * The process as commands see it. Tests and other programs can pass their own.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';

/** The streams, environment and working folder of a command. */
export interface ProgramIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative file names start from. */
  readonly cwd: string;
}

/** An output stream. A terminal has `isTTY` and its size. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/**
 * Returns the streams, environment and working folder of this process.
 *
 * @throws PhasegateError `FILE_UNREADABLE` if the working folder was removed, or may not be read.
 */
export function ioOfProcess(): ProgramIo {
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, cwd: workingFolder() };
}

/** Returns the width of a terminal; `undefined` if the stream is no terminal or does not know its width. */
export function widthOf({ columns = 0 }: OutputStream): number | undefined {
  return columns > 0 ? columns : undefined;
}

/** Resolves a file name that a user has given. @returns An absolute path. */
export function placeOf(file: string, { cwd }: Pick<ProgramIo, 'cwd'>): string {
  return resolve(cwd, file);
}

/** True if the source of a run is known, and is a file that is there. It may have moved, or be on another machine. */
export function isPlaced(source: string | undefined): source is string {
  return source !== undefined && existsSync(source);
}

// --- internal ---

function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const { code, message } = errorInfo(cause);
    const found = code === 'ENOENT' ? 'was removed' : `cannot be read: ${message}`;
    throw new PhasegateError('FILE_UNREADABLE', `Cannot start as the working folder ${found}`, {
      hint: 'Change to another folder, or to the same path if it is there again.',
      cause,
    });
  }
}
