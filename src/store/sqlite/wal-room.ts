/**
 * Room for SQLite's write-ahead log, allocated some transactions ahead. A sync of allocated pages costs the disk one write. If the
 * file grows, the file system also writes its own journal, which takes about twice as long.
 *
 * @module
 */
import { closeSync, fstatSync, openSync, readSync, realpathSync, writeSync } from 'node:fs';

/** The room of one connection. */
export interface LogRoom {
  /** Allocates room. Call it in a write transaction, so that no other process writes to the log. */
  readonly make: () => void;
  readonly close: () => void;
}

/** Prepares the room. @param path Path of the database, in WAL mode. */
export function roomInLog(path: string): LogRoom {
  let file: number | undefined;
  /** The size up to which the log need not grow; unknown before the first transaction. */
  let room: number | undefined;
  let refused = false;

  function make(): void {
    // The log is next to the real file, not next to a link to it.
    file ??= openSync(`${realpathSync(path)}-wal`, 'r+');
    // A program that writes once needs no room. Only transactions after the first allocate it.
    if (room === undefined) room = fstatSync(file).size;
    else if (readSync(file, BYTE, 0, 1, room) === 1) {
      const { size } = fstatSync(file);
      // Room that another connection has allocated is shared. Otherwise the connections would extend the file without end.
      room = endsInZeros(file, size) ? size : size + writeSync(file, ZEROS, 0, ZEROS.length, size);
    }
  }

  return {
    make() {
      if (refused) return;
      try {
        make();
      } catch {
        // Room only affects speed. SQLite reports a full disk itself, and may succeed without extra room.
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
 * A buffer to check if the file has grown. Checking its size would be simpler. But then Linux gives the file an exact time at the
 * next write, and the next sync writes the journal again.
 */
const BYTE = new Uint8Array(1);

/**
 * Zeros for the log file. They are never taken for a part of the log, whose pages have checksums. This is room for about 30
 * transactions of a linear run.
 */
const ZEROS = new Uint8Array(256 * 1024);

/** Longer than a page with its header, which is never zero. */
const END = new Uint8Array(8 * 1024);

/** True if the log has not reached the end of its file. */
function endsInZeros(file: number, size: number): boolean {
  const length = readSync(file, END, 0, END.length, Math.max(0, size - END.length));
  return Buffer.compare(END.subarray(0, length), ZEROS.subarray(0, length)) === 0;
}
