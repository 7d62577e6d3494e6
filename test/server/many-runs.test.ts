/** Stores with many idle runs: polls read only runs that may have changed. */
import { describe, expect, it } from 'vitest';
import { definePipeline, human, phase, startRun, task } from '../../src/index.ts';
import type { RunFilter, RunStore } from '../../src/store.ts';
import { answerItem } from '../../src/runtime/inbox/answer-item.ts';
import type { Change } from '../../src/server/api.ts';
import { ownStore, served, until, type Served } from './rig.ts';

const WAITING = 30;

const asks = definePipeline({
  name: 'asks',
  phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Which?' }) })] })],
});

describe('changes among many waiting runs', () => {
  it('are polled in runs that have a process, or new records', async () => {
    const { store: kept } = await ownStore();
    await waiting(kept);
    const asked: { readonly filter: RunFilter | undefined; readonly rows: number }[] = [];
    const store: RunStore = {
      ...kept,
      async runs(filter) {
        const found = await kept.runs(filter);
        asked.push({ filter, rows: found.length });
        return found;
      },
    };
    const { events } = await served({ store });
    const live = startRun(asks, { store: kept, runId: 'live', attended: true });
    await until(async () => (await kept.run('live'))?.waiting.length === 1);
    const told = listen(events('/api/changes'));
    await until(() => told.length > 0);
    await until(() => asked.filter(({ filter }) => filter?.leased === true).length >= 3);
    for (const { filter, rows } of asked) expect([1, filter === undefined ? WAITING + 1 : 1]).toContain(rows);
    expect(asked.filter(({ filter }) => filter === undefined).length).toBeLessThan(asked.length / 3);

    live.suspend();
    await live.result;
    await until(() => told.some(({ runs }) => runs.includes('live')));
    expect(new Set(told.flatMap(({ runs }) => runs))).toEqual(new Set(['live']));
  });

  it('reread messages only if there are new ones', async () => {
    const { store: kept } = await ownStore();
    await waiting(kept);
    let looks = 0;
    let reads = 0;
    const store: RunStore = {
      ...kept,
      inbox: (filter) => ((looks += 1), kept.inbox(filter)),
      messages: (...args) => ((reads += 1), kept.messages(...args)),
    };
    const { events } = await served({ store });
    const told = listen(events('/api/changes'));
    await until(() => looks >= 4);
    expect(reads).toBe(WAITING);
    const [item] = await kept.inbox({ runId: 'asks-5' });
    await answerItem(kept, item?.id ?? '', { type: 'value', value: 'this' });
    await until(() => told.length > 1);
    const after = looks;
    await until(() => looks >= after + 2);
    expect(reads).toBe(2 * WAITING);
    expect(told).toEqual([
      { runs: [], open: WAITING },
      { runs: ['asks-5'], open: WAITING - 1 },
    ]);
  });

  it.each([true, false])(
    'include those of a run without a process (its store reports the latest message: %s)',
    async (tells) => {
      const { store: kept } = await ownStore();
      const without: RunStore = { ...kept };
      delete without.lastMessage;
      const { store, events } = await served({ store: tells ? kept : without });
      await waiting(store);
      const told = listen(events('/api/changes'));
      await until(() => told.length > 0);
      expect(told).toEqual([{ runs: [], open: WAITING }]);
      const [item] = await store.inbox({ runId: 'asks-7' });
      await answerItem(store, item?.id ?? '', { type: 'value', value: 'this' }, { by: 'ada' });
      await until(() => told.length > 1);
      await store.remove('asks-3');
      await until(() => told.length > 2);
      expect(told.slice(1)).toEqual([
        { runs: ['asks-7'], open: WAITING - 1 },
        { runs: ['asks-3'], open: WAITING - 2 },
      ]);
    },
  );
});

// --- internal ---

/** Creates runs that wait for a person, and have no process. */
async function waiting(store: RunStore): Promise<void> {
  for (let at = 0; at < WAITING; at += 1) {
    const run = startRun(asks, { store, runId: `asks-${at}`, attended: true });
    await until(() => run.inbox().length === 1);
    run.suspend();
    await run.result;
  }
}

/** Reads the changes of a stream until the server ends it. */
function listen(stream: ReturnType<Served['events']>): readonly Change[] {
  const changes: Change[] = [];
  const read = async () => {
    for await (const { name, data } of stream) if (name === 'changed') changes.push(data as Change);
  };
  void read().catch(() => undefined);
  return changes;
}
