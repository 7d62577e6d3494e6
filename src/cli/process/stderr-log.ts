/**
 * The standard error of a background command, written to an unlinked file. The process that started the command reads
 * the file to report a failure. A pipe would break when that process ends.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file that receives a command's standard error. */
export interface StderrLog {
  /** The file descriptor to pass as standard error. */
  readonly descriptor: number;
  /** Environment variables that make the command limit the size of the file. */
  readonly env: Readonly<Record<string, string>>;
  /** Closes the file. @returns The last part of the text. */
  end(): string;
}

/** Creates such a file. The system deletes it when the last process that has it open ends. */
export function openStderrLog(): StderrLog {
  const path = join(tmpdir(), `phasegate-${randomUUID()}.log`);
  // In append mode, writes go to the end even after the file was truncated.
  const descriptor = openSync(path, 'ax+', 0o600);
  unname(path);
  return {
    descriptor,
    env: { [VARIABLE]: '1' },
    end() {
      const text = endOf(descriptor);
      closeSync(descriptor);
      unname(path);
      return text;
    },
  };
}

/** Truncates the standard error of this process from time to time if it is such a file, as a long run could fill the disk. */
export function limitStderrLog(): void {
  if (process.env[VARIABLE] === undefined) return;
  // Child processes may be phasegate commands too, with another standard error.
  delete process.env[VARIABLE];
  setInterval(() => {
    try {
      if (fstatSync(2).size > MOST_BYTES) ftruncateSync(2, 0);
    } catch {
      // Some systems cannot truncate a file that is open for appending.
    }
  }, CHECK_MS).unref();
}

// --- internal ---

const VARIABLE = 'PHASEGATE_OWN_LOG';

/** The largest size of the file in bytes, apart from output between two checks; and the number of last bytes that are read. */
const MOST_BYTES = 65_536;
const LAST_BYTES = 8192;

/** Milliseconds between checks of the size. */
const CHECK_MS = 1000;

/** Unlinks the file. Some systems cannot unlink an open file; there `end()` deletes it. */
function unname(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // `end()` tries again after closing the file.
  }
}

function endOf(descriptor: number): string {
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.alloc(Math.min(size, LAST_BYTES));
  const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
  return bytes.toString('utf8', 0, read).trim();
}
