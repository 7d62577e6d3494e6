/**
 * Memories as rows.
 *
 * @module
 */
import type { Memory } from '../../projections/run/learned.ts';
import { matchesMemory, MOST_MEMORIES } from '../memory-rules.ts';
import type { MemoryFilter, RunStore } from '../port.ts';
import { checksumOf } from '../checksum.ts';
import { textOf } from '../serialize.ts';
import { isForgotten, memoryIn } from '../sql/listed.ts';
import { number, type Row } from '../sql/rows.ts';
import type { Connection } from './connection.ts';
import type { Bound } from './driver.ts';

/** Stores memories, and removes the oldest ones of the same phase above the limit. Call it within a transaction. */
export function storeMemories(sql: Connection['sql'], memories: readonly Memory[]): void {
  for (const memory of memories) {
    const { scope, pipeline, phase } = memory;
    const name = [scope, pipeline, phase];
    const stored = textOf(memory);
    sql(INSERT).run(...name, stored, checksumOf(stored));
    sql(TRIM).run(...name);
  }
}

/** The methods of a store for memories. */
export function memoriesIn({ sql, read, write }: Connection): Required<Pick<RunStore, 'memories' | 'forget'>> {
  function rows({ scope, pipeline, phase }: MemoryFilter): readonly Row[] {
    const conditions: readonly (readonly [sql: string, value: Bound])[] = [
      ...(scope === undefined ? [] : [['scope = ?', scope] as const]),
      ...(pipeline === undefined ? [] : [['pipeline = ?', pipeline] as const]),
      ...(phase === undefined ? [] : [['phase = ?', phase] as const]),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([one]) => one).join(' AND ')}`;
    return sql(`SELECT key, memory, CAST(sum AS REAL) AS sum FROM memories ${where} ORDER BY key`).all(
      ...conditions.map(([, value]) => value),
    );
  }

  return {
    // A damaged memory is left out: it is advice for later runs, and no run needs it.
    memories: (filter = {}) =>
      read('read the memory', () =>
        rows(filter)
          .flatMap((row) => memoryIn(row) ?? [])
          .filter((memory) => matchesMemory(memory, filter)),
      ),
    forget: (filter = {}) =>
      write('clear the memory', () => {
        const found = rows(filter).filter((row) => isForgotten(row, filter));
        for (const row of found) sql('DELETE FROM memories WHERE key = ?').run(number(row, 'key'));
        return found.length;
      }),
  };
}

// --- internal ---

const INSERT = 'INSERT INTO memories (scope, pipeline, phase, memory, sum) VALUES (?, ?, ?, ?, ?)';
const TRIM = `DELETE FROM memories WHERE scope = ?1 AND pipeline = ?2 AND phase = ?3 AND key NOT IN (
  SELECT key FROM memories WHERE scope = ?1 AND pipeline = ?2 AND phase = ?3 ORDER BY key DESC LIMIT ${MOST_MEMORIES})`;
