/** Streams of records and of changes: nothing is missed, and nothing is sent twice. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { definePipeline, human, memoryStore, phase, readRun, startRun, task } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import { PhasegateError } from '../../src/model/errors/phasegate-error.ts';
import { copyRun } from '../../src/runtime/records/copy-run.ts';
import { ownStore, served, until, type Served, type StreamEvent } from './rig.ts';

describe('records', () => {
  it('are sent from the first to the last stored one, and then live', async () => {
    const { store, events } = await served();
    const { run, finish } = stepwise(store);
    await finish(1);
    const seen = events(`/api/runs/${run.id}/records`);
    const told: RunRecord[] = [];
    const caughtUp: unknown[] = [];
    for await (const event of seen) {
      if (event.name === 'records') told.push(...recordsIn(event));
      if (event.name === 'caught-up') {
        caughtUp.push(event.data);
        expect(told.length).toBeGreaterThan(3);
        expect(told.some(({ event: one }) => one.type === 'run.ended')).toBe(false);
        await finish(5);
      }
      if (told.some(({ event: one }) => one.type === 'run.ended')) break;
    }
    expect(caughtUp).toHaveLength(1);
    expect(told).toEqual(await store.read(run.id));
  });

  it('continue for a reader that reconnects repeatedly, even within an event', async () => {
    const { store, events } = await served();
    const { run, finish } = stepwise(store);
    const told: RunRecord[] = [];
    let lastId: string | undefined;
    let connections = 0;
    for (let step = 1; !told.some(({ event }) => event.type === 'run.ended'); step += 1) {
      await finish(Math.min(step, 5));
      connections += 1;
      for await (const event of events(`/api/runs/${run.id}/records`, { lastId, limit: 1 })) {
        if (event.name !== 'records') continue;
        told.push(...recordsIn(event));
        expect(event.id).toBe(String(told.at(-1)?.seq));
        lastId = event.id;
      }
    }
    expect(connections).toBeGreaterThan(3);
    expect(told).toEqual(await store.read(run.id));
  });

  it('begin at the requested one, or later if the reader has more', async () => {
    const { store, events } = await served();
    const run = await ended(store);
    const all = await store.read(run.id);
    const first = async (path: string, lastId?: string) => {
      for await (const event of events(path, { lastId, limit: 1 })) return [event.name, recordsIn(event)[0]?.seq];
      return undefined;
    };
    const path = `/api/runs/${run.id}/records`;
    expect(await first(`${path}?from=3`)).toEqual(['records', 3]);
    expect(await first(`${path}?from=3`, '5')).toEqual(['records', 6]);
    expect(await first(`${path}?from=5`, '3')).toEqual(['records', 5]);
    expect(await first(path, 'nonsense')).toEqual(['records', 1]);
    expect(await first(path, String(all.length))).toEqual(['caught-up', undefined]);
    const upTo = async (query: string) => {
      for await (const { name, data } of events(`${path}${query}`)) if (name === 'caught-up') return data;
      return undefined;
    };
    for (const query of ['', '?from=3', `?from=${all.length + 1}`, '?from=999'])
      expect(await upTo(query)).toEqual({ seq: all.length });
  });

  it('come in events of at most 500, the same for several readers', async () => {
    const { store, events } = await served();
    const pipeline = definePipeline({
      name: 'long',
      phases: Array.from({ length: 300 }, (_, index) =>
        phase(`p${index}`, { tasks: [task('t', { run: () => index })] }),
      ),
    });
    const run = startRun(pipeline, { store });
    await run.result;
    const all = await readRun(store, run.id);
    expect(all.length).toBeGreaterThan(1000);
    const read = async () => {
      const sizes: number[] = [];
      const told: RunRecord[] = [];
      for await (const event of events(`/api/runs/${run.id}/records`)) {
        if (event.name === 'caught-up') break;
        sizes.push(recordsIn(event).length);
        told.push(...recordsIn(event));
      }
      return { sizes, told };
    };
    const both = await Promise.all([read(), read()]);
    for (const { sizes, told } of both) {
      expect(sizes.slice(0, -1).every((size) => size === 500)).toBe(true);
      expect(told).toEqual(all);
    }
  });

  it('refer to large outputs, which are fetched separately', async () => {
    const { store, events, get } = await served();
    const large = 'large '.repeat(20_000);
    const run = startRun(
      definePipeline({ name: 'large', phases: [phase('a', { tasks: [task('t', { run: () => large })] })] }),
      { store },
    );
    await run.result;
    let hash = '';
    for await (const event of events(`/api/runs/${run.id}/records`, { limit: 1 })) {
      const text = JSON.stringify(event.data);
      expect(text.length).toBeLessThan(20_000);
      [, hash = ''] = /"([0-9a-f]{64})"(?=[^"]*\}\}\})/u.exec(text.slice(text.indexOf('task.completed'))) ?? [];
    }
    expect(await get(`/api/artifacts/${hash}`)).toEqual({ status: 200, body: large });
  });

  it('are found for run ids with special characters', async () => {
    const { store, events, get } = await served();
    for (const runId of ['a/b', '100%', 'ü ñ', '%2F', '..', 'a?b#c', '%252e', '日本']) {
      // Earlier versions took any id.
      const { id } = await ended(store);
      await copyRun(store, runId, await readRun(store, id), {});
      const path = `/api/runs/${encodeURIComponent(runId)}`;
      if (runId === '..') continue;
      expect(await get(path)).toMatchObject({ status: 200, body: { runId } });
      for await (const event of events(`${path}/records`, { limit: 1 })) expect(recordsIn(event)[0]?.runId).toBe(runId);
    }
  });

  it('end with `gone` if the run was removed', async () => {
    const { store, events, get } = await served();
    const run = await ended(store);
    const names: string[] = [];
    for await (const event of events(`/api/runs/${run.id}/records`)) {
      names.push(event.name);
      if (event.name === 'caught-up') await store.remove(run.id);
    }
    expect(names).toEqual(['records', 'caught-up', 'gone']);
    expect((await get(`/api/runs/${run.id}/records`)).status).toBe(404);
  });

  it('continue after the store was unreadable, which is reported once', async () => {
    const { store: kept } = await ownStore();
    let broken = false;
    const store: RunStore = {
      ...kept,
      read(...args) {
        if (broken) throw new PhasegateError('STORE_FAILED', 'Cannot read', { hint: 'Wait.' });
        return kept.read(...args);
      },
    };
    const { events } = await served({ store });
    const { run, finish } = stepwise(store);
    await finish(1);
    const told: RunRecord[] = [];
    const names: string[] = [];
    for await (const event of events(`/api/runs/${run.id}/records`)) {
      names.push(event.name);
      told.push(...recordsIn(event));
      if (event.name === 'caught-up' && !names.includes('unreadable')) {
        broken = true;
        await finish(2);
      }
      if (event.name === 'caught-up' && !broken) await finish(5);
      if (event.name === 'unreadable') {
        expect(event.data).toEqual({ error: { code: 'STORE_FAILED', message: 'Cannot read', hint: 'Wait.' } });
        broken = false;
      }
      if (told.some(({ event: one }) => one.type === 'run.ended')) break;
    }
    expect(names.filter((name) => name !== 'records')).toEqual(['caught-up', 'unreadable', 'caught-up']);
    expect(told).toEqual(await store.read(run.id));
  });

  it('are polled while there are readers, once for all, and otherwise not', async () => {
    const { store: kept } = await ownStore();
    const { store, looks } = looked(kept);
    const { events } = await served({ store });
    const [one, other] = [stepwise(kept), stepwise(kept)];
    await Promise.all([one.finish(1), other.finish(1)]);
    const readers = [one, one, one, other].map(({ run }) => events(`/api/runs/${run.id}/records`));
    // Each reader gets the records, and the event that they are complete.
    for (const reader of readers) for (let count = 0; count < 2; count += 1) await reader.next();
    const [ofOne, ofOther] = [looks(one.run.id), looks(other.run.id)];
    await until(() => looks(other.run.id) >= ofOther + 10);
    // Three readers cause as many polls as one. The time is that of the polls.
    expect(looks(one.run.id) - ofOne).toBeLessThan(20);
    for (const reader of readers.slice(0, 3)) await reader.return(undefined);
    await untilUnwatched(looks, one.run.id, other.run.id);
    await Promise.all([one.finish(5), other.finish(5)]);
  });
});

describe('a slow reader', () => {
  it('gets no more than its buffer, delays no other, and is removed after it disconnects', async () => {
    const { store: kept } = await ownStore();
    const { store: counted, looks } = looked(kept);
    let reads = 0;
    const store: RunStore = {
      ...counted,
      read(...args) {
        reads += 1;
        return kept.read(...args);
      },
    };
    const { events, dashboard, cookie } = await served({ store });
    const text = 'long '.repeat(2000);
    const pipeline = definePipeline({
      name: 'wide',
      phases: Array.from({ length: 1500 }, (_, index) =>
        phase(`p${index}`, { tasks: [task('t', { run: () => text })] }),
      ),
    });
    const run = startRun(pipeline, { store: kept });
    await run.result;
    const { seq } = (await kept.run(run.id)) ?? { seq: 0 };

    const socket = connect(dashboard.port, '127.0.0.1');
    socket.pause();
    const path = `/api/runs/${run.id}/records`;
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${dashboard.port}\r\ncookie: ${cookie}\r\n\r\n`);
    await until(() => reads > 0);
    const told: RunRecord[] = [];
    for await (const event of events(path)) {
      if (event.name === 'caught-up') break;
      told.push(...recordsIn(event));
    }
    expect(told.map((record) => record.seq)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
    const all = Math.ceil(seq / 500);
    // The other reader has read everything, and this one only the content of two socket buffers.
    expect(reads).toBeLessThan(all + 1 + all / 2);

    const other = await ended(kept);
    const reader = events(`/api/runs/${other.id}/records`);
    await reader.next();
    socket.destroy();
    await untilUnwatched(looks, run.id, other.id);
    await reader.return(undefined);
  });
});

describe('changes', () => {
  it('report runs that are new, continue, wait, are answered, end, or are removed', async () => {
    const { store, events, get, post } = await served();
    const old = await ended(store);
    const changes = await changesOf(events('/api/changes'));
    expect(changes.first).toEqual({ runs: [], open: 0 });

    const pipeline = definePipeline({
      name: 'asks',
      phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Which?' }) })] })],
    });
    const run = startRun(pipeline, { store, attended: true });
    await until(() => changes.seen(run.id) && changes.open() === 1);
    expect(changes.seen(old.id)).toBe(false);

    const [item] = await store.inbox({ open: true });
    changes.forget();
    expect(
      (await post(`/api/inbox/${item?.id}/answer`, { nonce: item?.nonce, reply: { type: 'value', value: 1 } })).status,
    ).toBe(200);
    await run.result;
    await until(() => changes.seen(run.id) && changes.open() === 0);
    expect(await get('/api/inbox')).toEqual({ status: 200, body: { items: [] } });

    changes.forget();
    await until(async () => ((await store.run(run.id))?.lease ? false : store.remove(run.id)));
    await until(() => changes.seen(run.id));
    expect(changes.seen(old.id)).toBe(false);
    await changes.leave();
  });

  it('begin with a full reload for each new reader, as anything may have changed before', async () => {
    const { store, events } = await served();
    const one = await changesOf(events('/api/changes'));
    const run = await ended(store);
    await until(() => one.seen(run.id));
    const other = await changesOf(events('/api/changes'));
    expect(other.first).toEqual({ runs: [], open: 0 });
    await other.leave();
    await one.leave();
  });

  it('report an unreadable store once, and continue', async () => {
    const kept = memoryStore();
    let broken = true;
    const store: RunStore = {
      ...kept,
      runs(filter) {
        if (broken) throw new PhasegateError('STORE_CLOSED', 'Cannot list runs');
        return kept.runs(filter);
      },
    };
    const { events } = await served({ store });
    const told: StreamEvent[] = [];
    for await (const event of events('/api/changes')) {
      told.push(event);
      broken = false;
      if (event.name === 'changed') break;
    }
    expect(told.map(({ name, data }) => [name, data])).toEqual([
      ['error', { error: { code: 'STORE_CLOSED', message: 'Cannot list runs' } }],
      ['changed', { runs: [], open: 0 }],
    ]);
  });
});

describe('streams', () => {
  it('end when the dashboard is closed, and do not keep it from closing', async () => {
    const { dashboard, events, store } = await served();
    const run = await ended(store);
    const readers = ['/api/changes', `/api/runs/${run.id}/records`].map((path) => events(path));
    for (const reader of readers) await reader.next();
    const rests = readers.map(async (reader) => {
      for await (const _ of reader);
    });
    await dashboard.close();
    await Promise.allSettled(rests);
    await expect(fetch(dashboard.url)).rejects.toThrow('fetch failed');
    // The dashboard does not close the store, which is not its own.
    expect(await store.runs()).toHaveLength(1);
  });
});

// --- internal ---

function recordsIn({ name, data }: StreamEvent): readonly RunRecord[] {
  return name === 'records' ? (data as readonly RunRecord[]) : [];
}

/** Wraps a store, and counts the reads of each run. */
function looked(kept: RunStore): { readonly store: RunStore; readonly looks: (runId: string) => number } {
  const counts = new Map<string, number>();
  const looks = (runId: string) => counts.get(runId) ?? 0;
  const run: RunStore['run'] = (runId) => {
    counts.set(runId, looks(runId) + 1);
    return kept.run(runId);
  };
  return { store: { ...kept, run }, looks };
}

/** Waits until a run is no longer polled, while another one with a reader is polled several times. */
async function untilUnwatched(looks: (runId: string) => number, runId: string, other: string): Promise<void> {
  await until(async () => {
    const [before, beat] = [looks(runId), looks(other)];
    await until(() => looks(other) >= beat + 3);
    return looks(runId) === before;
  });
}

/** Starts a run of five phases in a chain. The test ends each phase. */
function stepwise(store: RunStore) {
  const open: (() => void)[] = [];
  const gates = Array.from({ length: 5 }, (_, index) => new Promise<void>((resolve) => (open[index] = resolve)));
  const pipeline = definePipeline({
    name: 'steps',
    phases: gates.map((gate, index) =>
      phase(`p${index}`, {
        after: index === 0 ? [] : [`p${index - 1}`],
        tasks: [task('t', { run: () => gate.then(() => index) })],
      }),
    ),
  });
  const run = startRun(pipeline, { store });
  /** Ends that number of phases, and waits until their records are stored. */
  const finish = async (count: number) => {
    for (const release of open.slice(0, count)) release();
    if (count === 5) await run.result;
    else await until(async () => ((await store.run(run.id))?.approved ?? 0) >= count);
  };
  return { run, finish };
}

async function ended(store: RunStore, runId?: string) {
  const pipeline = definePipeline({ name: 'short', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
  const run = startRun(pipeline, { store, ...(runId !== undefined && { runId }) });
  await run.result;
  return run;
}

/** Reads changes until the test leaves the stream. */
async function changesOf(events: ReturnType<Served['events']>) {
  const first = (await events.next()).value as StreamEvent;
  const runs = new Set<string>();
  let open = -1;
  const rest = (async () => {
    for await (const { data } of { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) }) {
      const change = data as { readonly runs: readonly string[]; readonly open: number };
      for (const runId of change.runs) runs.add(runId);
      open = change.open;
    }
  })();
  return {
    first: first.data,
    seen: (runId: string) => runs.has(runId),
    open: () => open,
    forget: () => runs.clear(),
    async leave() {
      void events.return(undefined);
      await Promise.race([rest, Promise.resolve()]);
    },
  };
}
