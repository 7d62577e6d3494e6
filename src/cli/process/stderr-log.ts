/**
 * What a command on its own says on standard error: kept in a file without a name, for whoever has started it to say why it has
 * failed. Not a pipe, which would break when that process ends.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file that a command writes to. */
export interface OwnLog {
  /** To be its standard error. */
  readonly descriptor: number;
  /** What has the command keep that file small. */
  readonly env: Readonly<Record<string, string>>;
  /** Closes the file. @returns The end of what was said. */
  end(): string;
}

/** Makes such a file. It is gone when the last who has it open ends, however that happens. */
export function openOwnLog(): OwnLog {
  const path = join(tmpdir(), `phasegate-${randomUUID()}.log`);
  // What is written goes to the end, also after that was cut off.
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

/** Keeps the standard error of this process small where it is such a file: what it says would take the disk of runs that go on for long. */
export function keepOwnLogSmall(): void {
  if (process.env[VARIABLE] === undefined) return;
  // Programs that a run starts may be of ours, and have another standard error.
  delete process.env[VARIABLE];
  setInterval(() => {
    try {
      if (fstatSync(2).size > MOST_BYTES) ftruncateSync(2, 0);
    } catch {
      // Not every system lets a file be cut that is written to at its end.
    }
  }, LOOK_MS).unref();
}

// --- internal ---

const VARIABLE = 'PHASEGATE_OWN_LOG';

/** Bytes that are kept at most, but for what is said between two looks, and of which so many are read. */
const MOST_BYTES = 65_536;
const LAST_BYTES = 8192;

/** Milliseconds between looks. */
const LOOK_MS = 1000;

/** Not every system lets a file go that is open: there it goes at the end. */
function unname(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is tried again when it is closed.
  }
}

function endOf(descriptor: number): string {
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.alloc(Math.min(size, LAST_BYTES));
  const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
  return bytes.toString('utf8', 0, read).trim();
}
