/**
 * Results of compacting a store and of copying it.
 *
 * @module
 */

/** Result of compacting a store. */
export interface Compaction {
  /** Bytes returned to the disk. */
  readonly freed: number;
  /** Unused bytes of the store that were not returned. The store uses them before it grows. */
  readonly unused: number;
  /**
   * The reason for unused bytes. `at-work`: a store of an earlier version can be compacted only while no process works on runs. `busy`:
   * another process writes for long. `full`: the disk lacks room for compacting.
   */
  readonly obstacle?: 'at-work' | 'busy' | 'full' | undefined;
  /**
   * The reason if files of the store may still have what was removed. `read`: another process reads it; it goes as soon as that has ended,
   * if this store is open then, and otherwise with the next compacting. The others are those of `obstacle`: compact again later.
   */
  readonly pending?: 'at-work' | 'busy' | 'full' | 'read' | undefined;
}

/** Options of a backup. */
export interface BackupOptions {
  /** Replaces an existing file. @default false */
  readonly replace?: boolean | undefined;
}

/** Result of a backup. */
export interface Backup {
  /** Size of the copy. */
  readonly bytes: number;
}
