/**
 * Cases: memories of runs, for later runs. They are optional for a store, and apply only to one with memories.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { LONGEST_REFLECTION } from '../../model/revision/revision-extras.ts';
import type { Memory } from '../../projections/run/learned.ts';
import { MOST_MEMORIES } from '../../store/memory-rules.ts';
import type { MemoryFilter, RunStore } from '../../store/port.ts';
import { batchOf, refuses, same, spoil, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const memoryCases: Readonly<Record<string, CaseBody>> = {
  'return memories by scope, pipeline and phase, oldest first': async ({ store }) => {
    assert.equal(store.memories === undefined, store.forget === undefined, 'memories() and forget() come as a pair');
    if (!store.memories) return;
    const mine = [memory('r', 1), memory('r', 2, { text: 'ü \u2028 "', phase: 'b' })];
    const others = [memory('s', 1), memory('s', 2, { pipeline: 'p2' })];
    const theirs = [memory('t', 1, { scope: 'them' })];
    same(await recall(store, {}), []);
    await store.append(batchOf('r', 1, { count: 2, memories: mine }));
    await store.append(batchOf('s', 1, { count: 2, memories: others }));
    await store.append(batchOf('t', 1, { memories: theirs }));
    same(await recall(store, {}), [...mine, ...others, ...theirs]);
    same(await recall(store, { scope: 'us' }), [...mine, ...others]);
    same(await recall(store, { scope: 'them', pipeline: 'article', phase: 'a' }), theirs);
    same(await recall(store, { scope: 'nobody' }), []);
    same(await recall(store, { pipeline: 'article' }), [mine[0], mine[1], others[0], theirs[0]]);
    same(await recall(store, { scope: 'us', pipeline: 'article', phase: 'a' }), [mine[0], others[0]]);
    same(await recall(store, { runId: 's' }), others);
    same(await recall(store, { pipeline: 'p2', phase: 'b' }), []);
  },

  'keep only the latest memories of each phase and scope': async ({ store }) => {
    if (!store.memories) return;
    const many = Array.from({ length: MOST_MEMORIES + 2 }, (_, index) => memory('r', index + 1));
    const theirs = memory('t', 1, { scope: 'them' });
    await store.append(batchOf('s', 1, { memories: [memory('s', 1, { phase: 'b' })] }));
    await store.append(batchOf('t', 1, { memories: [theirs] }));
    for (const one of many) await store.append(batchOf('r', one.seq, { memories: [one] }));
    same(await recall(store, { scope: 'us', phase: 'a' }), many.slice(-MOST_MEMORIES));
    same(await recall(store, { scope: 'them' }), [theirs]);
    same(await recall(store, { phase: 'b' }), [memory('s', 1, { phase: 'b' })]);
    const next = MOST_MEMORIES + 3;
    const batch = Array.from({ length: MOST_MEMORIES + 1 }, (_, index) =>
      memory('r', next, { text: `at once ${index}` }),
    );
    await store.append(batchOf('r', next, { memories: batch }));
    same(await recall(store, { scope: 'us', phase: 'a' }), batch.slice(-MOST_MEMORIES));
    same(await recall(store, { scope: 'them' }), [theirs]);
  },

  'store nothing of a batch that is refused': async ({ store }) => {
    if (!store.memories) return;
    await store.append(batchOf('r', 1));
    await refuses('SEQ_CONFLICT', () => store.append(batchOf('r', 1, { memories: [memory('r', 1)] })));
    await refuses('STORE_MISUSED', () => store.append(batchOf('r', 2, { memories: [memory('s', 2)] })));
    const text = 'x'.repeat(LONGEST_REFLECTION + 1);
    await refuses('STORE_MISUSED', () => store.append(batchOf('r', 2, { memories: [memory('r', 2, { text })] })));
    same(await recall(store, {}), []);
    await store.append(batchOf('r', 2, { memories: [memory('r', 2, { text: text.slice(1) })] }));
    assert.equal((await recall(store, {})).length, 1);
  },

  'outlive the run that they come from': async ({ store }) => {
    if (!store.memories) return;
    await store.append(batchOf('r', 1, { memories: [memory('r', 1)] }));
    await store.remove('r');
    same(await recall(store, {}), [memory('r', 1)]);
  },

  'remove the memories that match a filter': async ({ store }) => {
    if (!store.forget) return;
    const [a, b] = [memory('r', 1), memory('r', 2, { phase: 'b' })];
    const c = memory('s', 1, { pipeline: 'p2' });
    const theirs = memory('t', 1, { scope: 'them' });
    await store.append(batchOf('r', 1, { count: 2, memories: [a, b] }));
    await store.append(batchOf('s', 1, { memories: [c] }));
    await store.append(batchOf('t', 1, { memories: [theirs] }));
    assert.equal(await store.forget({ scope: 'them' }), 1);
    same(await recall(store, {}), [a, b, c]);
    assert.equal(await store.forget({ pipeline: 'article', phase: 'b' }), 1);
    same(await recall(store, {}), [a, c]);
    assert.equal(await store.forget({ runId: 's' }), 1);
    same(await recall(store, {}), [a]);
    assert.equal(await store.forget({ runId: 's' }), 0);
    assert.equal(await store.forget({}), 1);
    same(await recall(store, {}), []);
    assert.equal((await store.read('r')).length, 2);
  },

  'are copies': async ({ store }) => {
    if (!store.memories) return;
    const batch = structuredClone(batchOf('r', 1, { memories: [memory('r', 1)] }));
    await store.append(batch);
    spoil(batch);
    spoil(await recall(store, {}));
    same(await recall(store, {}), [memory('r', 1)]);
  },
};

// --- internal ---

async function recall(store: RunStore, filter: MemoryFilter): Promise<readonly Memory[]> {
  return (await store.memories?.(filter)) ?? [];
}

function memory(runId: string, seq: number, more: Partial<Memory> = {}): Memory {
  return {
    scope: 'us',
    pipeline: 'article',
    phase: 'a',
    runId,
    seq,
    time: 1000 + seq,
    text: `lesson ${seq} of ${runId}`,
    ...more,
  };
}
