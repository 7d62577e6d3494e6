/** The live tree of phases that restart, wait for people, or are too many or too wide. */
import { describe, expect, it } from 'vitest';
import { foldRunForTree, type RunFold } from '../../src/cli/live-tree/run-fold.ts';
import { plain } from '../../src/cli/terminal/line.ts';
import { progressLine } from '../../src/cli/live-tree/progress-line.ts';
import { frameLines, type Size } from '../../src/cli/live-tree/tree.ts';
import {
  definePipeline,
  human,
  phase,
  resumeRun,
  retry,
  retryRun,
  retryPredecessor,
  startRun,
  task,
  type Pipeline,
  type Run,
  type TaskContext,
  memoryStore,
  readRun,
} from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';

type Options = Omit<Parameters<typeof definePipeline>[0], 'name' | 'phases'>;

function made(name: string, phases: readonly unknown[], options: object = {}): Pipeline<unknown> {
  return definePipeline({ name, phases: phases as never, concurrency: 1, ...(options as Options) });
}

const work = (run: () => unknown = () => 1) => [task('work', { run })] as const;

/** Replaces the time of a record by its number, in tenths of a second. */
function timed(record: RunRecord): RunRecord {
  return { ...record, time: record.seq * 100 };
}

/** Returns the records of a run until it ends or halts. @param on Called with each record. */
async function played(
  pipeline: Pipeline<unknown>,
  on: (record: RunRecord, run: Run<unknown>) => void = () => undefined,
): Promise<readonly RunRecord[]> {
  const records: RunRecord[] = [];
  const run = startRun(pipeline, { runId: 'r1' });
  run.events$.subscribe((record) => {
    records.push(timed(record));
    on(record, run);
  });
  await run.result;
  return records;
}

function shown(state: RunFold, now: number, { columns = 80, rows = 24 }: Partial<Size> = {}): string {
  return `\n${frameLines(state, { columns, rows }, now).map(plain).join('\n')}\n`;
}

/** Draws the tree after the n-th record of a type. */
function after(records: readonly RunRecord[], type: string, count = 1, size: Partial<Size> = {}): string {
  const state = foldRunForTree();
  let seen = 0;
  for (const record of records) {
    state.apply(record);
    if (record.event.type === type && ++seen === count) return shown(state, record.time, size);
  }
  throw new Error(`There are ${seen} records of ${type}`);
}

describe('the tree of a retried run', () => {
  it('shows failed phases as not started, and keeps approved ones', async () => {
    //  docs
    //  build (fails) ──▶ ship (skipped)
    let isBroken = true;
    const pipeline = made('release', [
      phase('docs', { tasks: work() }),
      phase('build', {
        tasks: work(() => {
          if (isBroken) throw new Error('no space');
          return 1;
        }),
      }),
      phase('ship', { after: ['build'], tasks: work() }),
    ]);
    const store = memoryStore();
    await startRun(pipeline, { runId: 'r1', store }).result;
    isBroken = false;
    const again = await retryRun(store, 'r1', pipeline);
    const { phases } = await again.result;
    expect(phases['build']).toMatchObject({ status: 'approved', error: null, reason: null });
    const records = (await readRun(store, 'r1')).map(timed);
    expect(after(records, 'run.ended')).toMatchInlineSnapshot(`
      "
      release  ✓ 1  ✗ 1  – 1
      ✓ docs   1 task  0.3s
      ✗ build  no space  0.3s
      – ship   skipped: build
      1/3 approved · 1.0s
      "
    `);
    expect(after(records, 'run.reopened')).toMatchInlineSnapshot(`
      "
      release  ✓ 1  ○ 2
      ✓ docs   1 task  0.3s
      ○ build
      ○ ship
      1/3 approved · 1.2s
      "
    `);
    expect(after(records, 'run.ended', 2)).toMatchInlineSnapshot(`
      "
      release  ✓ 3
      ✓ docs   1 task  0.3s
      ✓ build  1 task  2 attempts  0.6s
      ✓ ship   1 task  0.3s
      3/3 approved · 2.1s
      "
    `);
  });

  it('shows the demand of a later phase again', async () => {
    //  base ──▶ end sends base back once, and base fails at it
    let starts = 0;
    const answers = [retryPredecessor('base', 'More.')];
    const pipeline = made('back', [
      phase('base', {
        tasks: work(() => {
          starts += 1;
          if (starts === 2) throw new Error('no space');
          return 1;
        }),
      }),
      phase('end', { after: ['base'], tasks: work(), review: { by: () => answers.shift() ?? 'APPROVE' } }),
    ]);
    const store = memoryStore();
    await startRun(pipeline, { runId: 'r1', store }).result;
    const again = await retryRun(store, 'r1', pipeline);
    await again.result;
    const records = (await readRun(store, 'r1')).map(timed);
    expect(after(records, 'run.ended')).toMatchInlineSnapshot(`
      "
      back  ✗ 2
      ✗ base  no space  0.6s
      ✗ end   Cannot restart phase "end" as "base", which it sent back or depen…  0.5s
      0/2 approved · 1 correction · 1.6s
      "
    `);
    expect(after(records, 'phase.started', 4)).toMatchInlineSnapshot(`
      "
      back  ↻ 1  ○ 1
      ↻ base  0/1 task  0.6s
        ↳ end: More.
      ○ end
      0/2 approved · 1 correction · 1.9s
      "
    `);
    expect(after(records, 'run.ended', 2)).toMatchInlineSnapshot(`
      "
      back  ✓ 2
      ✓ base  1 task  3 attempts  1.0s
      ✓ end   1 task  2 attempts  1.0s
      2/2 approved · 1 correction · 3.0s
      "
    `);
  });
});

describe('the tree of a run that goes back', () => {
  //  base ──▶ left ──▶ end
  //     └───▶ right ──▶┘     end sends base back once, and left and right run again
  const answers = () => {
    const list = [retryPredecessor('base', 'More.')];
    return { by: () => list.shift() ?? 'APPROVE', rewindTo: 'ancestors', invalidate: 'all' } as const;
  };
  const back = () =>
    made('back', [
      phase('base', { tasks: work() }),
      phase('left', { after: ['base'], tasks: work() }),
      phase('right', { after: ['base'], tasks: work() }),
      phase('end', { after: ['left', 'right'], tasks: work(), review: answers() }),
    ]);

  it('has fewer approved phases then', async () => {
    const state = foldRunForTree();
    const counts: string[] = [];
    for (const record of await played(back())) {
      state.apply(record);
      const [count = ''] = plain(progressLine(state, 80, 0)).split(' ');
      if (count !== counts.at(-1)) counts.push(count);
    }
    expect(counts).toEqual(['0/4', '1/4', '2/4', '3/4', '2/4', '1/4', '0/4', '1/4', '2/4', '3/4', '4/4']);
  });

  it('shows the phases to run again without a running time', async () => {
    expect(after(await played(back()), 'phase.invalidated', 2)).toMatchInlineSnapshot(`
      "
      back  ✓ 1  ↶ 1  ○ 2
      ✓ base   1 task  0.3s
      ○ left
      ○ right
      ↶ end    rewind base 1/2  0.5s
      1/4 approved · 1 correction · 2.0s
      "
    `);
  });
});

describe('the tree of a run that waits', () => {
  it('marks phases whose reviewer is a person', async () => {
    const pipeline = made('signed', [
      phase('draft', { tasks: work(), review: human({ question: 'Is it good?' }) }),
      phase('print', { after: ['draft'], tasks: work() }),
    ]);
    const records = await played(pipeline, ({ event }, run) => {
      if (event.type === 'task.asked') queueMicrotask(() => run.cancel('enough'));
    });
    expect(after(records, 'task.asked')).toMatchInlineSnapshot(`
      "
      signed  ‖ 1  ○ 1
      ‖ draft  waits for you  0.4s
      ○ print
      0/2 approved · 0.5s
      "
    `);
  });

  it('names the limit that holds it, while it does', async () => {
    const costly = [task('work', { run: ({ report }: TaskContext) => report({ tokens: 1200 }) })];
    const pipeline = made(
      'held',
      [phase('draft', { tasks: costly }), phase('print', { after: ['draft'], tasks: work() })],
      {
        limits: { tokens: 1000 },
        policy: { onLimit: 'escalate' },
      },
    );
    const records = await played(pipeline, ({ event }, run) => {
      if (event.type === 'limit.reached') queueMicrotask(() => run.cancel('enough'));
    });
    expect(after(records, 'limit.reached')).toMatchInlineSnapshot(`
      "
      held  ● 1  ○ 1
      ● draft  0/1 task  1.2k tokens  0.3s
      ○ print
      0/2 approved · held by the limit tokens · 1.2k of 1.0k tokens · 0.4s
      "
    `);
    expect(after(records, 'run.ended')).not.toContain('held by');
  });
});

describe('the tree of a run with a definition that was changed', () => {
  it('has the phases of the new one', async () => {
    const store = memoryStore();
    let isFirst = true;
    const draft = () => phase('draft', { tasks: work(() => (isFirst ? new Promise(() => undefined) : 1)) });
    const first = made('letter', [draft(), phase('old', { after: ['draft'], tasks: work() })]);
    const run = startRun(first, { runId: 'r1', store });
    run.events$.subscribe(({ event }) => {
      if (event.type === 'task.started') run.suspend();
    });
    await run.result;
    isFirst = false;
    const second = made('letter', [draft(), phase('new', { after: ['draft'], tasks: work() })]);
    await (
      await resumeRun(store, 'r1', second, { allowChanged: true })
    ).result;
    expect(after((await readRun(store, 'r1')).map(timed), 'run.ended')).toMatchInlineSnapshot(`
      "
      letter  ✓ 2
      ✓ draft  1 task  0.4s
      ✓ new    1 task  0.3s
      2/2 approved · 1.1s
      "
    `);
  });
});

describe('the tree of a run that is too large', () => {
  /**
   * Returns the records of a run with phases that wait, run, have failed, or are to be corrected, and with many
   * others.
   */
  async function mixed(): Promise<readonly RunRecord[]> {
    const never = () => new Promise(() => undefined);
    const many = (name: string, options: object) =>
      Array.from({ length: 20 }, (_, at) => phase(`${name} ${at}`, { tasks: work(), ...options }));
    const pipeline = made(
      'a pipeline with a long name',
      [
        ...many('early', {}),
        phase('to be corrected', {
          after: ['early 0'],
          tasks: work(),
          review: { by: () => retryPredecessor('early 0', 'Say more, and cite two sources.') },
        }),
        phase('broken', {
          tasks: work(() => {
            throw new Error('no space left on the device');
          }),
        }),
        phase('asks', { after: ['early 19'], tasks: work(), review: human({ question: 'Is it good?' }) }),
        ...many('late', { after: ['at work'] }),
        phase('at work', {
          after: ['early 19'],
          tasks: [task('read', { run: never }), task('write', { run: never })],
        }),
      ],
      { concurrency: 50 },
    );
    return played(pipeline, ({ event }, run) => {
      if (event.type === 'phase.started' && event.phase === 'early 0' && event.attempt > 0) {
        queueMicrotask(() => run.cancel('enough'));
      }
    });
  }

  it.each([
    [8, 1, ['19/44']],
    [12, 2, ['… 1 waiting…', '19/44 · 9.9s']],
    [
      20,
      5,
      ['✓ 19  ● 1  ↻ 1  ↶ 1…', '↻ early 0  0/1 task', '‖ asks     waits fo…', '… 1 at work, 1 fail…', '19/44 · 9.9s'],
    ],
    [
      30,
      9,
      [
        '✓ 19  ● 1  ↻ 1  ↶ 1  ‖ 1  ○ 20',
        '↻ early 0          0/1 task',
        '↶ to be corrected',
        '✗ broken           no space l…',
        '‖ asks             waits for…',
        '○ late 0',
        '● at work          0/2 tasks',
        '… 19 approved, 19 pending',
        '19/44 approved · 9.9s',
      ],
    ],
    [
      80,
      14,
      [
        'a pipeline with a long name  ✓ 19  ● 1  ↻ 1  ↶ 1  ‖ 1  ○ 20  ✗ 1',
        '↻ early 0          0/1 task  2.3s',
        '  ↳ to be corrected: Say more, and cite two sources.',
        '↶ to be corrected  rewind early 0 1/2  1.4s',
        '✗ broken           no space left on the device  6.6s',
        '‖ asks             waits for you  1.4s',
        '○ late 0',
        '○ late 1',
        '○ late 2',
        '● at work          0/2 tasks  1.4s',
        '  ● read',
        '  ● write',
        '… 19 approved, 17 pending',
        '19/44 approved · 1 correction · 9.9s',
      ],
    ],
  ])('shows the most important phases in %i columns and %i rows', async (columns, rows, lines) => {
    const records = await mixed();
    const end = records.findIndex(({ event }) => event.type === 'phase.cancelled');
    const state = foldRunForTree();
    for (const record of records.slice(0, end)) state.apply(record);
    expect(shown(state, end * 100, { columns, rows })).toBe(`\n${lines.join('\n')}\n`);
  });
});

describe('the progress line', () => {
  it.each([
    [100, '1/1 approved · 1 of 3 corrections · 2.4k of 5.0k tokens · $0.04 of $2.00 · 1m 01s of 10m 00s at work'],
    [80, '1/1 approved · 1 of 3 corrections · $0.04 of $2.00 · 1m 01s of 10m 00s at work'],
    [60, '1/1 approved · $0.04 of $2.00 · 1m 01s of 10m 00s at work'],
    [40, '1/1 approved · 1m 01s of 10m 00s at work'],
    [20, '1/1 · 1m 01s'],
    [8, '1/1'],
  ])('contains as much as fits into %i columns', async (columns, text) => {
    const pipeline = made(
      'costly',
      [
        phase('draft', {
          tasks: [task('work', { run: ({ report }) => report({ tokens: 1200, costUsd: 0.02 }) })],
          review: { by: ({ attempt }: { readonly attempt: number }) => (attempt === 0 ? retry('Again.') : 'APPROVE') },
        }),
      ],
      { limits: { corrections: 3, tokens: 5000, costUsd: 2, durationMs: 600_000 } },
    );
    const state = foldRunForTree();
    for (const record of (await played(pipeline)).slice(0, -1)) state.apply(record);
    expect(plain(progressLine(state, columns, state.startedAt + 61_000))).toBe(text);
  });
});
