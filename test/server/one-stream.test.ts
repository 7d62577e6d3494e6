/** A single stream for everything that a tab needs: changes, and the records of a run. */
import { describe, expect, it } from 'vitest';
import { definePipeline, human, phase, startRun, task } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import { served, until, type Served, type StreamEvent } from './rig.ts';

describe('changes with a run', () => {
  it('include its records, after the last that the reader has', async () => {
    const { store, events } = await served();
    const run = startRun(asks, { store, runId: 'a:b', attended: true });
    await until(async () => (await store.inbox({ open: true })).length === 1);
    const kept = await store.read(run.id);
    const heard = hear(events('/api/changes?run=a%3Ab&after=2'));
    await until(() => heard.names().includes('caught-up') && heard.names().includes('changed'));
    expect(heard.records()).toEqual(kept.slice(2));
    expect(heard.of('caught-up')).toEqual([{ seq: kept.length }]);
    expect(heard.of('changed')[0]).toEqual({ runs: [], open: 1 });

    run.cancel('Nobody wants to know');
    await run.result;
    const all = await store.read(run.id);
    await until(() => heard.records().length === all.length - 2);
    expect(heard.records()).toEqual(all.slice(2));
    await until(() => JSON.stringify(heard.of('changed').at(-1)) === '{"runs":["a:b"],"open":0}');
    await heard.leave();
  });

  it('continue after a browser reconnects', async () => {
    const { store, events } = await served();
    await ended(store, 'r');
    const all = await store.read('r');
    const heard = hear(events('/api/changes?run=r&after=1', { lastId: '3' }));
    await until(() => heard.names().includes('caught-up'));
    expect(heard.records()).toEqual(all.slice(3));
    await heard.leave();
  });

  it('wait for a missing run, report its removal, and continue for all others', async () => {
    const { store, events } = await served();
    const heard = hear(events('/api/changes?run=later'));
    await until(() => heard.names().includes('caught-up'));
    expect(heard.of('caught-up')).toEqual([{ seq: 0 }]);
    await ended(store, 'later');
    await until(() => heard.records().some(({ event }) => event.type === 'run.ended'));
    expect(heard.records()).toEqual(await store.read('later'));

    await until(async () => ((await store.run('later'))?.lease ? false : store.remove('later')));
    await until(() => heard.names().includes('gone'));
    expect(heard.of('gone')).toEqual([{ runId: 'later' }]);
    await ended(store, 'other');
    await until(() => JSON.stringify(heard.of('changed')).includes('"other"'));
    await heard.leave();
  });

  it('need a number to start from', async () => {
    const { get } = await served();
    expect((await get('/api/changes?run=r&after=-1')).status).toBe(400);
  });
});

describe('a dashboard that closes after its run', () => {
  it('sends every stream the last records and its end, and answers until there are no requests', async () => {
    const { dashboard, store, events, get } = await served();
    const run = startRun(asks, { store, runId: 'r', attended: true });
    await until(async () => (await store.inbox({ open: true })).length === 1);
    const ofRun = hear(events('/api/changes?run=r'));
    const ofAll = hear(events('/api/changes'));
    await until(() => [ofRun, ofAll].every((heard) => heard.names().includes('changed')));
    run.cancel('Nobody wants to know');
    await run.result;
    const closed = dashboard.close({ farewellMs: 20_000 });
    await Promise.all([ofRun, ofAll].map(({ left }) => left));
    expect((await get('/api/open')).body).toEqual({ open: 0 });
    await closed;
    await expect(get('/api/open')).rejects.toThrow(/ECONNREFUSED|socket hang up/u);
    expect(ofRun.records()).toEqual(await store.read('r'));
    for (const heard of [ofRun, ofAll]) {
      expect(heard.names().at(-1)).toBe('closing');
      expect(heard.of('changed').at(-1)).toEqual({ runs: [], open: 0 });
    }
  });

  it('closes at once if no page is open', async () => {
    const { dashboard, get } = await served();
    expect((await get('/api/open')).status).toBe(200);
    const closed = dashboard.close({ farewellMs: 600_000 });
    await closed;
    await expect(get('/api/open')).rejects.toThrow(/ECONNREFUSED|socket hang up/u);
  });
});

describe('the number of open items', () => {
  it.each([false, true])('is available at once (with a listener: %s)', async (hasListener) => {
    const { store, events, get, post } = await served();
    const heard = hasListener ? hear(events('/api/changes')) : undefined;
    const open = async () => (await get('/api/open')).body;
    expect(await open()).toEqual({ open: 0 });
    const run = startRun(asks, { store, attended: true });
    await until(async () => JSON.stringify(await open()) === '{"open":1}');
    const [item] = await store.inbox({ open: true });
    const reply = { type: 'value', value: 1 };
    expect((await post(`/api/inbox/${item?.id}/answer`, { nonce: item?.nonce, reply })).status).toBe(200);
    await until(async () => JSON.stringify(await open()) === '{"open":0}');
    await run.result;
    await heard?.leave();
  });
});

// --- internal ---

const asks = definePipeline({
  name: 'asks',
  phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Which?' }) })] })],
});

async function ended(store: RunStore, runId: string): Promise<void> {
  const pipeline = definePipeline({ name: 'short', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
  await startRun(pipeline, { store, runId }).result;
}

/** Reads a stream until the test leaves it. */
function hear(events: ReturnType<Served['events']>) {
  const heard: StreamEvent[] = [];
  const rest = (async () => {
    for await (const event of { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) }) heard.push(event);
  })();
  const of = (name: string) => heard.filter((event) => event.name === name).map(({ data }) => data);
  return {
    names: () => heard.map(({ name }) => name),
    of,
    records: () => of('records').flatMap((data) => data as readonly RunRecord[]),
    /** Resolves when the server has ended the stream. */
    left: rest,
    async leave() {
      void events.return(undefined);
      await Promise.race([rest, Promise.resolve()]);
    },
  };
}
