/**
 * Room for SQLite's write-ahead log, made some transactions ahead. A sync of pages that a file has already costs the disk one
 * write; where the file grows, the file system writes its own journal as well, which takes about twice as long.
 *
 * @module
 */
import { closeSync, fstatSync, openSync, readSync, realpathSync, writeSync } from 'node:fs';

/** The room of one connection. */
export interface LogRoom {
  /** Call it in a transaction that writes, so that nobody else writes to the log. */
  readonly make: () => void;
  readonly close: () => void;
}

/** @param path Of the database, in WAL mode. */
export function roomInLog(path: string): LogRoom {
  let file: number | undefined;
  /** The size up to which the log need not grow; not known before the first transaction. */
  let room: number | undefined;
  let refused = false;

  function make(): void {
    // It lies beside the file itself, not beside a link to it.
    file ??= openSync(`${realpathSync(path)}-wal`, 'r+');
    // A command that writes once needs no room: only what follows the first transaction makes some.
    if (room === undefined) room = fstatSync(file).size;
    else if (readSync(file, BYTE, 0, 1, room) === 1) {
      const { size } = fstatSync(file);
      // Where another connection has made room, that is for all: more of it each time would never end.
      room = endsInZeros(file, size) ? size : size + writeSync(file, ZEROS, 0, ZEROS.length, size);
    }
  }

  return {
    make() {
      if (refused) return;
      try {
        make();
      } catch {
        // For speed alone. Of a full disk SQLite tells, which may have room where there is none for more.
        refused = true;
      }
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

// --- internal ---

/**
 * What tells whether the file has grown. Its size would be the plainer question, but Linux gives a file that was asked for it
 * an exact time with the next write, which has the next sync write the journal again.
 */
const BYTE = new Uint8Array(1);

/** Never taken for a part of the log, whose pages bear checksums. About 30 transactions of a run that is a chain. */
const ZEROS = new Uint8Array(256 * 1024);

/** Longer than a page with what stands before it, which is never zero. */
const END = new Uint8Array(8 * 1024);

/** Whether there is room at the end that the log has not come to. */
function endsInZeros(file: number, size: number): boolean {
  const length = readSync(file, END, 0, END.length, Math.max(0, size - END.length));
  return Buffer.compare(END.subarray(0, length), ZEROS.subarray(0, length)) === 0;
}
