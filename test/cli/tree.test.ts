import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { foldRunForTree } from '../../src/cli/live-tree/run-fold.ts';
import { createPainter, plain } from '../../src/cli/terminal/line.ts';
import { frameLines, type Size } from '../../src/cli/live-tree/tree.ts';
import {
  approve,
  definePipeline,
  escalate,
  phase,
  reject as rejected,
  retry,
  retryPredecessor,
  startRun,
  task,
  type Pipeline,
} from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';

/** Returns the records of a run. The time of each record is its number, in tenths of a second. */
async function recordsOf(pipeline: Pipeline<unknown>): Promise<readonly RunRecord[]> {
  const records: RunRecord[] = [];
  const run = startRun(pipeline, { runId: 'r1' });
  run.events$.subscribe((record) => {
    records.push({ ...record, time: record.seq * 100 });
    if (record.event.type === 'phase.escalated') queueMicrotask(() => void run.decide('sign', 'APPROVE'));
  });
  await run.result;
  return records;
}

/** Draws the tree after the record that satisfies a condition for the first time, or for the given time. */
function frame(
  records: readonly RunRecord[],
  when: (record: RunRecord) => boolean,
  { columns = 80, rows = 24 }: Partial<Size> = {},
): string {
  const state = foldRunForTree();
  for (const record of records) {
    state.apply(record);
    if (when(record)) return `\n${frameLines(state, { columns, rows }, record.time).map(plain).join('\n')}\n`;
  }
  throw new Error('No record fits.');
}

/** Returns a condition that is true for the n-th record of a type. */
function nth(type: string, phaseName: string, count = 1): (record: RunRecord) => boolean {
  let seen = 0;
  return ({ event }) => event.type === type && 'phase' in event && event.phase === phaseName && ++seen === count;
}

//  research ──▶ draft ──▶ sign ──▶ print (skipped)
//      ▲──────────┘          lint (fails), idea (rejected)
function article(): Pipeline<unknown> {
  const answers = [retry('Cite\n two sources.'), retryPredecessor('research', 'Add numbers.'), approve()];
  const research = phase('research', {
    tasks: [
      task('read', { run: ({ report }) => report({ tokens: 1200, costUsd: 0.012, progress: 0.5 }) }),
      task('count', { run: () => 2 }),
    ],
  });
  const draft = phase('draft', {
    after: [research],
    tasks: [task('write', { run: () => 'text' })],
    review: () => answers.shift() ?? approve(),
  });
  const sign = phase('sign', {
    after: [draft],
    tasks: [task('ink', { run: () => 1 })],
    review: () => escalate('Legal must see this.'),
  });
  const idea = phase('idea', { tasks: [task('think', { run: () => 1 })], review: () => rejected('Not new.') });
  const lint = phase('lint', {
    tasks: [
      task('style', {
        run: () => {
          throw new Error('boom\nat line 3');
        },
      }),
    ],
  });
  const print = phase('print', { after: [sign, lint], tasks: [task('press', { run: () => 1 })] });
  const phases = [research, draft, sign, idea, lint, print];
  return definePipeline({ name: 'article', phases, limits: { corrections: 5 }, concurrency: 1 });
}

describe('the tree', () => {
  it('shows running tasks with their progress', async () => {
    const records = await recordsOf(article());
    expect(frame(records, nth('task.reported', 'research'))).toMatchInlineSnapshot(`
      "
      article  ● 1  ○ 5
      ● research  0/2 tasks  1.2k tokens, $0.012  0.2s
        ● read  50%
      ○ draft
      ○ sign
      ○ idea
      ○ lint
      ○ print
      0/6 approved · 0 of 5 corrections · 1.2k tokens · $0.012 · 0.3s
      "
    `);
  });

  it('shows a retry with its number and its feedback', async () => {
    const records = await recordsOf(article());
    expect(frame(records, nth('task.started', 'draft', 2))).toMatchInlineSnapshot(`
      "
      article  ✓ 1  ↻ 1  ○ 1  ✗ 2  – 1
      ✓ research  2 tasks  1.2k tokens, $0.012  0.6s
      ↻ draft     0/1 task  retry 1/2  0.6s
        ↳ Cite two sources.
      ○ sign
      ✗ idea      rejected: Not new.  0.5s
      ✗ lint      boom at line 3  0.3s
      – print     skipped: lint
      1/6 approved · 1 of 5 corrections · 1.2k tokens · $0.012 · 2.6s
      "
    `);
  });

  it('shows a rewind at the requester and at the target', async () => {
    const records = await recordsOf(article());
    expect(frame(records, nth('task.completed', 'research', 3))).toMatchInlineSnapshot(`
      "
      article  ↻ 1  ↶ 1  ○ 1  ✗ 2  – 1
      ↻ research  1/2 tasks  2.4k tokens, $0.024  1.0s
        ↳ draft: Add numbers.
        ✓ read
        ● count
      ↶ draft     retry 1/2  rewind research 1/2  1.1s
        ↳ Cite two sources.
      ○ sign
      ✗ idea      rejected: Not new.  0.5s
      ✗ lint      boom at line 3  0.3s
      – print     skipped: lint
      0/6 approved · 2 of 5 corrections · 2.4k tokens · $0.024 · 3.6s
      "
    `);
  });

  it('shows phases that wait for a person', async () => {
    const records = await recordsOf(article());
    expect(frame(records, nth('phase.escalated', 'sign'))).toMatchInlineSnapshot(`
      "
      article  ✓ 2  ‖ 1  ✗ 2  – 1
      ✓ research  2 tasks  2 attempts  2.4k tokens, $0.024  1.3s
      ✓ draft     1 task  3 attempts  1.6s, waited 1.0s
      ‖ sign      waits for you  Legal must see this.  0.5s
      ✗ idea      rejected: Not new.  0.5s
      ✗ lint      boom at line 3  0.3s
      – print     skipped: lint
      2/6 approved · 2 of 5 corrections · 2.4k tokens · $0.024 · 5.1s
      "
    `);
  });

  it('shows the end of each phase', async () => {
    const records = await recordsOf(article());
    expect(frame(records, ({ event }) => event.type === 'run.ended')).toMatchInlineSnapshot(`
      "
      article  ✓ 3  ✗ 2  – 1
      ✓ research  2 tasks  2 attempts  2.4k tokens, $0.024  1.3s
      ✓ draft     1 task  3 attempts  1.6s, waited 1.0s
      ✓ sign      1 task  0.5s
      ✗ idea      rejected: Not new.  0.5s
      ✗ lint      boom at line 3  0.3s
      – print     skipped: lint
      3/6 approved · 2 of 5 corrections · 2.4k tokens · $0.024 · 5.4s
      "
    `);
  });

  it('shows the newer version that counts as read if a phase need not run again', async () => {
    let asked = 0;
    const records = await recordsOf(
      definePipeline({
        name: 'p',
        phases: [
          phase('plan', { tasks: [task('work', { run: () => 1 })] }),
          phase('reader', { after: ['plan'], tasks: [task('work', { run: () => 1 })] }),
          phase('last', {
            after: ['plan'],
            tasks: [task('work', { run: () => 1 })],
            review: { by: () => (++asked > 1 ? approve() : retryPredecessor('plan', 'More.')), invalidate: 'changed' },
          }),
        ],
      }),
    );
    expect(frame(records, nth('phase.unaffected', 'reader'))).toContain(
      '✓ reader  1 task  plan v2 changes nothing here',
    );
  });

  it('shows phases that run again, are stale, or are cancelled', async () => {
    //  base ──▶ left (sends base back once), base ──▶ right; slow is never done
    const answers = [retryPredecessor('base', 'More.')];
    const base = phase('base', { tasks: [task('work', { run: ({ attempt }) => attempt })] });
    const right = phase('right', { after: [base], tasks: [task('work', { run: () => 1 })] });
    const left = phase('left', {
      after: [base, right],
      tasks: [task('work', { run: () => 1 })],
      review: { by: () => answers.shift() ?? 'APPROVE' },
    });
    const slow = phase('slow', {
      after: [left],
      tasks: [
        task('work', {
          run: ({ signal }) =>
            new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('x')))),
        }),
      ],
    });
    const other = phase('other', { after: [base], tasks: [task('work', { run: () => 1 })] });
    const records: RunRecord[] = [];
    const run = startRun(definePipeline({ name: 'marks', phases: [base, left, right, slow, other] }));
    run.events$.subscribe((record) => {
      records.push({ ...record, time: record.seq * 100 });
      if (record.event.type === 'task.started' && record.event.phase === 'slow')
        queueMicrotask(() => run.cancel('enough'));
    });
    await run.result;
    expect(frame(records, ({ event }) => event.type === 'run.ended')).toMatchInlineSnapshot(`
      "
      marks  ✓ 3  ≈ 1  ⊘ 1
      ✓ base   1 task  2 attempts  0.6s
      ✓ left   1 task  2 attempts  1.0s, waited 1.1s
      ✓ right  1 task  2 attempts  0.7s
      ⊘ slow   cancelled  0.2s
      ≈ other  1 task  stale  0.6s
      4/5 approved · 1 correction · 3.8s
      "
    `);
  });

  it('counts the phases that do not fit, and shows the most important', async () => {
    const phases = Array.from({ length: 500 }, (_, index) =>
      phase(`phase ${index}`, {
        after: index === 0 ? [] : [`phase ${index - 1}`],
        tasks: [task('work', { run: () => index })],
      }),
    );
    const records = await recordsOf(definePipeline({ name: 'long', phases }));
    expect(frame(records, nth('phase.started', 'phase 250'), { rows: 9 })).toMatchInlineSnapshot(`
      "
      long  ✓ 250  ● 1  ○ 249
      ✓ phase 248  1 task  0.3s
      ✓ phase 249  1 task  0.3s
      ● phase 250  0/1 task  0.0s
      ○ phase 251
      ○ phase 252
      ○ phase 253
      … 248 approved, 246 pending
      250/500 approved · 1m 40s
      "
    `);
  });

  //  base ──▶ every other; p3 is sent back, p5 rejected, p8 accepted without consent, p9 fails; after p5: t
  it('shows the problems of a large run that has ended, and counts the rest', async () => {
    const phases = Array.from({ length: 60 }, (_, index) => {
      const tasks = [
        task('work', {
          run: () => {
            if (index === 9) throw new Error('no disk');
            return index;
          },
        }),
      ] as const;
      const after = index === 0 ? [] : ['p0'];
      if (index === 3)
        return phase(`p${index}`, { after, tasks, review: ({ attempt }) => (attempt > 1 ? approve() : retry('more')) });
      if (index === 5) return phase(`p${index}`, { after, tasks, review: () => rejected('no use') });
      if (index === 8)
        return phase(`p${index}`, {
          after,
          tasks,
          review: { by: () => retry('less'), maxRetries: 0, onExhausted: 'accept' },
        });
      return phase(`p${index}`, { after, tasks });
    });
    const last = phase('t', { after: ['p5'], tasks: [task('work', { run: () => 1 })] });
    const records = await recordsOf(definePipeline({ name: 'large', phases: [...phases, last] }));
    const end = ({ event }: RunRecord) => event.type === 'run.ended';
    expect(frame(records, end, { rows: 20 })).toMatchInlineSnapshot(`
      "
      large  ✓ 58  ✗ 2  – 1
      ✓ p3  1 task  3 attempts  25s
      ✗ p5  rejected: no use  23s
      ✓ p8  1 task  accepted, as its retries are spent  24s
      ✗ p9  no disk  24s
      – t   skipped: p5
      … 56 approved
      58/61 approved · 2 corrections · 26s
      "
    `);
    expect(frame(records, end, { rows: 5 })).toMatchInlineSnapshot(`
      "
      large  ✓ 58  ✗ 2  – 1
      ✗ p5  rejected: no use  23s
      ✗ p9  no disk  24s
      … 58 approved, 1 skipped
      58/61 approved · 2 corrections · 26s
      "
    `);
  });

  it('never is wider or longer than the terminal, at any moment of any run', async () => {
    const hostile = phase('日本語 👩‍👩‍👧‍👦 e\u0301\u0301 ' + 'x'.repeat(200), {
      tasks: [
        task('\u{1F600}'.repeat(50), { run: ({ report }) => report({ progress: '進捗\n'.repeat(60), tokens: 5 }) }),
        task('b', { run: () => 2 }),
      ],
      review: { by: () => retry('修正してください '.repeat(40)), maxRetries: 1 },
    });
    const many = Array.from({ length: 12 }, (_, index) =>
      phase(`p${index}`, { tasks: [task('a', { run: () => 1 }), task('b', { run: () => 1 })] }),
    );
    const records = [
      ...(await recordsOf(article())),
      ...(await recordsOf(definePipeline({ name: 'wide', phases: [hostile, ...many] }))),
    ];
    fc.assert(
      fc.property(fc.nat(120), fc.nat(40), fc.nat(records.length), (columns, rows, upTo) => {
        const state = foldRunForTree();
        for (const record of records.slice(0, upTo)) state.apply(record);
        const lines = frameLines(state, { columns, rows }, 1e6).map(plain);
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) {
          expect(stringWidth(line)).toBeLessThanOrEqual(columns);
          // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
          expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/u);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('draws the part of 10 000 phases that fits on the terminal', async () => {
    const phases = Array.from({ length: 10_000 }, (_, index) =>
      phase(`p${index}`, { tasks: [task('a', { run: () => 1 })] }),
    );
    const state = foldRunForTree();
    for (const record of await recordsOf(definePipeline({ name: 'huge', phases }))) state.apply(record);
    expect(frameLines(state, { columns: 80, rows: 24 }, 0).length).toBeLessThanOrEqual(24);
  });
});

describe('paint', () => {
  const line = [
    { text: 'good', tone: 'good' as const },
    { text: ' plain ' },
    { text: 'dim', tone: 'dim' as const },
  ].map((one) => ({ tone: 'plain' as const, ...one }));

  it('is off if colours are off', () => {
    expect(createPainter(false)(line)).toBe('good plain dim');
  });

  it('changes nothing but colours', () => {
    const painted = createPainter(true)(line);
    expect(painted).toBe('\u001B[32mgood\u001B[39m plain \u001B[2mdim\u001B[22m');
  });
});
