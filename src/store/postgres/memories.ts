/**
 * Memories as rows.
 *
 * @module
 */
import type { Memory } from '../../projections/run/learned.ts';
import { checksumOf } from '../checksum.ts';
import { matchesMemory, MOST_MEMORIES } from '../memory-rules.ts';
import type { MemoryFilter, RunStore } from '../port.ts';
import { textOf } from '../serialize.ts';
import { isForgotten, memoryIn } from '../sql/listed.ts';
import type { Connection } from './connection.ts';
import type { Ask } from './place.ts';
import { storable } from './selects.ts';

/** Stores memories, and removes the oldest ones of the same phase above the limit. Call it within a transaction. */
export async function storeMemories(ask: Ask, memories: readonly Memory[]): Promise<void> {
  // Two runs that end at once would each keep what the other one removes.
  await ask(LOCK);
  for (const memory of memories) {
    const name = [memory.scope, memory.pipeline, memory.phase].map(storable);
    const stored = textOf(memory);
    await ask(INSERT, [...name, stored, checksumOf(stored)]);
    await ask(TRIM, name);
  }
}

/** The methods of a store for memories. */
export function memoriesIn({ ask: askFor, transaction }: Connection): Required<Pick<RunStore, 'memories' | 'forget'>> {
  return {
    async memories(filter = {}) {
      const rows = await askFor('read the memory', SELECT, conditionsOn(filter));
      return rows.flatMap((row) => memoryIn(row) ?? []).filter((memory) => matchesMemory(memory, filter));
    },
    async forget(filter = {}) {
      // An earlier try may have removed them.
      let most = 0;
      await transaction('clear the memory', async (ask) => {
        await ask(LOCK);
        const rows = await ask(SELECT, conditionsOn(filter));
        const found = rows.filter((row) => isForgotten(row, filter));
        await ask('DELETE FROM phasegate.memories WHERE key = ANY($1::bigint[])', [found.map(({ key }) => key)]);
        most = Math.max(most, found.length);
      });
      return most;
    },
  };
}

// --- internal ---

function conditionsOn({ scope, pipeline, phase }: MemoryFilter): readonly (string | null)[] {
  return [scope, pipeline, phase].map((text) => (text === undefined ? null : storable(text)));
}

const LOCK = 'LOCK TABLE phasegate.memories IN SHARE ROW EXCLUSIVE MODE';
const SELECT = `SELECT key, memory, sum::float8 AS sum FROM phasegate.memories
  WHERE ($1::text IS NULL OR scope = $1) AND ($2::text IS NULL OR pipeline = $2) AND ($3::text IS NULL OR phase = $3) ORDER BY key`;
const INSERT = 'INSERT INTO phasegate.memories (scope, pipeline, phase, memory, sum) VALUES ($1, $2, $3, $4, $5)';
const TRIM = `DELETE FROM phasegate.memories WHERE scope = $1 AND pipeline = $2 AND phase = $3 AND key NOT IN (
  SELECT key FROM phasegate.memories WHERE scope = $1 AND pipeline = $2 AND phase = $3 ORDER BY key DESC LIMIT ${MOST_MEMORIES})`;
