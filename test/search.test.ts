/** The search for a text in runs: places, bounds, and what goes on where. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { memoryStore, PhasegateError, startRun } from '../src/index.ts';
import { createSearch } from '../src/projections/search/find-in-record.ts';
import { type SearchHit, type SearchOptions, searchRuns } from '../src/runtime/records/search-runs.ts';
import type { RunRecord } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';
import { pipelineOf } from './browser/runs.ts';
import { fake } from './rig.ts';

async function storeWith(runs: Readonly<Record<string, readonly unknown[]>>): Promise<RunStore> {
  const store = memoryStore();
  for (const [runId, outputs] of Object.entries(runs)) {
    const draft = fake('draft', { outputs, verdicts: ['RETRY: Cite TWO sources', 'APPROVE'] });
    await startRun(pipelineOf('book', [draft]), { store, runId, input: `input of ${runId}` }).result;
  }
  return store;
}

/** Collects all parts. */
async function all(store: RunStore, options: SearchOptions): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  for (let after = options.after; ;) {
    const part = await searchRuns(store, { ...options, after });
    hits.push(...part.hits);
    if (!part.next) return hits;
    after = part.next;
  }
}

function output(value: unknown): RunRecord {
  const event = {
    type: 'task.completed',
    phase: 'p',
    generation: 0,
    attempt: 0,
    task: 't',
    try: 1,
    output: value,
  } as const;
  return { runId: 'r', seq: 1, time: 0, event };
}

describe('the search in runs', () => {
  it('finds inputs, outputs and decisions, in any case, each text once', async () => {
    const store = await storeWith({ one: ['first draft', { deep: [{ text: 'second DRAFT' }] }] });
    const places = async (text: string) =>
      (await all(store, { text })).map(({ seq, in: place, phase, task, before, match, after }) => [
        seq,
        place,
        phase,
        task,
        `${before}[${match}]${after}`,
      ]);
    expect(await places('draft')).toEqual([
      [4, 'output', 'draft', 'work', 'first [draft]'],
      [expect.any(Number), 'output', 'draft', 'work', 'second [DRAFT]'],
    ]);
    // The feedback is also in the retry and in the next start.
    expect(await places('two sources')).toEqual([
      [expect.any(Number), 'decision', 'draft', null, 'Cite [TWO sources]'],
    ]);
    expect(await places('Input Of')).toEqual([[1, 'input', null, null, '[input of] one']]);
    // Patterns have no meaning, and names of properties are no text.
    expect(await places('.*')).toEqual([]);
    expect(await places('deep')).toEqual([]);
  });

  it('goes on after each part without losing or repeating a hit', async () => {
    const runs = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, ['word one', 'word two']]));
    const store = await storeWith(runs);
    const whole = await all(store, { text: 'word' });
    expect(whole.map(({ runId }) => runId).toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    for (const limit of [1, 2, 4]) {
      expect(await all(store, { text: 'word', limit })).toEqual(whole);
      expect((await searchRuns(store, { text: 'word', limit })).hits).toHaveLength(limit);
    }
    expect((await all(store, { text: 'word', runId: 'b', limit: 1 })).map(({ runId }) => runId)).toEqual(['b', 'b']);
  });

  it('numbers the attempts of a phase over its generations, also in parts that begin inside a run', async () => {
    const store = memoryStore();
    const draft = fake('draft', {
      outputs: ['word 1', 'word 2', 'word 3', 'word 4'],
      verdicts: ['RETRY: more', 'APPROVE'],
    });
    const check = fake('check', { after: ['draft'], verdicts: ['RETRY_PREDECESSOR draft: again', 'APPROVE'] });
    await startRun(pipelineOf('book', [draft, check]), { store, runId: 'r', input: 'a word' }).result;
    const numbers = async (options: Partial<SearchOptions>) =>
      (await all(store, { text: 'word', ...options })).map(({ match, after, attempt }) => [
        `${match}${after}`,
        attempt,
      ]);
    const expected = [
      ['word', null],
      ['word 1', 1],
      ['word 2', 2],
      ['word 3', 3],
    ];
    expect(await numbers({})).toEqual(expected);
    expect(await numbers({ limit: 1 })).toEqual(expected);
  });

  it('leaves out the numbers of attempts far inside a run, as counting would take long', async () => {
    const start = { type: 'phase.started', phase: 'p', generation: 0, attempt: 0, revision: null } as const;
    const event = output('a hit').event;
    const records = Array.from({ length: 200_003 }, (_, at) => {
      return { runId: 'r', seq: at + 1, time: 0, event: at === 0 ? start : event } as RunRecord;
    });
    const store = partOf(records, { runId: 'r', seq: records.length, pipeline: 'p' });
    const at = (seq: number) => ({ text: 'hit', after: { runId: 'r', seq }, turn: () => Promise.resolve(), limit: 1 });
    expect((await searchRuns(store, at(199_999))).hits).toMatchObject([{ seq: 200_000, attempt: 1 }]);
    expect((await searchRuns(store, at(200_000))).hits).toMatchObject([{ seq: 200_001, attempt: null }]);
  });

  it('ends a part after 20 000 records, serves others between pieces, and stops when it is told to', async () => {
    const event = output('no hit').event;
    const records = Array.from({ length: 45_000 }, (_, at) => ({ runId: 'r', seq: at + 1, time: 0, event }));
    const run = { runId: 'r', seq: records.length, pipeline: 'p' };
    let turns = 0;
    const turn = () => Promise.resolve(void (turns += 1));
    const store = partOf(records, run);
    const part = await searchRuns(store, { text: 'absent', turn });
    expect(part).toMatchObject({ records: 20_000, next: { runId: 'r', seq: 20_000 } });
    expect(turns).toBe(100);
    const leave = new AbortController();
    const leaving = () => Promise.resolve((turns += 1) === 105 && leave.abort()).then(() => undefined);
    expect(await searchRuns(store, { text: 'absent', turn: leaving, signal: leave.signal })).toMatchObject({
      records: 800,
      next: null,
    });
  });

  it('ends a part after 20 million characters', async () => {
    const { event } = output('x'.repeat(1_500_000));
    const records = Array.from({ length: 30 }, (_, at) => ({ runId: 'r', seq: at + 1, time: 0, event }));
    const part = await searchRuns(partOf(records, { runId: 'r', seq: 30, pipeline: 'p' }), { text: 'absent' });
    expect(part.next).toEqual({ runId: 'r', seq: 14 });
  });

  it('reads values that are stored apart', async () => {
    const store = await storeWith({ large: [`${'x'.repeat(2_000_000)} needle`, 'end'] });
    expect(await all(store, { text: 'needle' })).toMatchObject([{ in: 'output', match: 'needle', after: '' }]);
  });

  it('reads a run up to a damaged record, names it, and goes on with the next run; a removed run ends', async () => {
    const records = Array.from({ length: 3 }, (_, at) => ({ ...output('needle'), seq: at + 1 }));
    const runs = ['damaged', 'removed', 'whole'].map((runId) => ({ runId, seq: 3, pipeline: 'p' }));
    const found = await searchRuns(
      {
        ...partOf(records, ...runs),
        read: (runId, from = 1, limit = Infinity) => {
          if (runId === 'removed') return Promise.resolve([]);
          if (runId === 'damaged' && from > 1)
            throw new PhasegateError('STORE_UNREADABLE', 'Cannot read record 2 as it is damaged');
          return Promise.resolve(records.slice(from - 1, runId === 'damaged' ? 1 : from - 1 + limit));
        },
      },
      { text: 'needle' },
    );
    expect(found.unreadable).toEqual(['damaged']);
    expect(found.next).toBeNull();
    expect(found.hits.map(({ runId, seq }) => `${runId} ${seq}`)).toEqual([
      'damaged 1',
      'whole 1',
      'whole 2',
      'whole 3',
    ]);
  });

  it('refuses a blank and a long text, and an unknown run', async () => {
    const store = await storeWith({});
    await expect(searchRuns(store, { text: ' \n' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(searchRuns(store, { text: 'x'.repeat(201) })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(searchRuns(store, { text: 'x', runId: 'none' })).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
  });

  it('finds exactly the texts that have the wanted one, with an excerpt that is in the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.string({ minLength: 1, maxLength: 3 }),
        (text, part) => {
          fc.pre(part.trim() !== '');
          const { found } = createSearch(part)(output({ a: [text] }));
          expect(found !== null).toBe(text.toLowerCase().includes(part.trim().toLowerCase()));
          if (!found) return;
          const excerpt = `${found.before}${found.match}${found.after}`;
          expect([text, text.toLowerCase()].some((whole) => whole.includes(excerpt))).toBe(true);
          expect(found.match.toLowerCase()).toBe(part.trim().toLowerCase());
        },
      ),
    );
  });

  it('shows the first place, at most 80 characters on each side, and no half of a character', () => {
    const found = (value: unknown) => createSearch('needle')(output(value)).found;
    expect(found(['a needle', 'b needle'])).toMatchObject({ before: 'a ' });
    expect(found(`${'b'.repeat(200)}NEEDLE${'c'.repeat(200)}`)).toMatchObject({
      before: 'b'.repeat(80),
      match: 'NEEDLE',
      after: 'c'.repeat(80),
    });
    // 40 of these characters and a dash do not fit into 80 units.
    const bee = '🐝';
    expect(found(`${bee.repeat(60)}-needle-${bee.repeat(60)}`)).toMatchObject({
      before: `${bee.repeat(39)}-`,
      after: `-${bee.repeat(39)}`,
    });
    // This letter has two units in lower case.
    expect(found('İİ NEEDLE end')).toMatchObject({ match: 'needle', after: ' end' });
  });

  it('compares each character once, and takes any nesting', () => {
    let nested: unknown = 'needle';
    for (let depth = 0; depth < 900; depth += 1) nested = [nested];
    expect(createSearch('needle')(output(nested)).found?.match).toBe('needle');
    expect(createSearch('x')(output(['abc', { key: 'de' }, 12]))).toEqual({ found: null, compared: 7 });
  });
});

// --- internal ---

/** The part of a store that a search reads, with runs that have the same records. */
function partOf(records: readonly RunRecord[], ...runs: readonly object[]): Parameters<typeof searchRuns>[0] {
  const listed = runs as Awaited<ReturnType<RunStore['runs']>>;
  return {
    runs: () => Promise.resolve(listed),
    run: () => Promise.resolve(listed[0]),
    read: (_, from = 1, limit = Infinity) => Promise.resolve(records.slice(from - 1, from - 1 + limit)),
    artifact: () => Promise.resolve(undefined),
  };
}
