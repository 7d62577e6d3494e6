import { describe, expect, it } from 'vitest';
import { foldRunForTree } from '../../src/cli/live-tree/run-fold.ts';
import { frameLines } from '../../src/cli/live-tree/tree.ts';
import { plain } from '../../src/cli/terminal/line.ts';
import { approve, definePipeline, retry, startRun, type Decision } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { levelOf, type Part } from './levels.ts';

/** The example of phased execution. The unit tests report their progress. */
const parts: Readonly<Record<string, Part>> = {
  1: { id: '1', title: 'Create models' },
  '2a': { id: '2a', title: 'API endpoints' },
  '2b': { id: '2b', title: 'CLI commands' },
  '2c': {
    id: '2c',
    title: 'Unit tests',
    run: async ({ report, attempt }) => {
      report({ progress: 'reads models/' });
      await Promise.resolve();
      return attempt;
    },
  },
  3: { id: '3', title: 'Integration tests' },
};

const ids = (...names: readonly string[]) => names.flatMap((name) => parts[name] ?? []);

/** The records of a run of three levels, at a time that is ten times their number. @param decide The gate of the second level. */
async function recordsOf(decide: (attempt: number) => Decision = approve): Promise<readonly RunRecord[]> {
  const first = levelOf(1, ids('1'));
  const second = levelOf(2, ids('2a', '2b', '2c'), first, ({ attempt }) => decide(attempt));
  const pipeline = definePipeline({ name: 'fleet', phases: [first, second, levelOf(3, ids('3'), second)] });
  const records: RunRecord[] = [];
  for await (const record of startRun(pipeline, { runId: 'r1' })) records.push({ ...record, time: record.seq * 100 });
  return records;
}

/** Draws the tree after the record that satisfies a condition for the first time. */
function frame(
  records: readonly RunRecord[],
  when: (record: RunRecord) => boolean,
  size: { readonly columns: number; readonly rows: number } = { columns: 100, rows: 24 },
): string {
  const state = foldRunForTree();
  for (const record of records) {
    state.apply(record);
    if (when(record)) return `\n${frameLines(state, size, record.time).map(plain).join('\n')}\n`;
  }
  throw new Error('No record fits.');
}

/** True for the n-th event of a type of the second level. */
function nth(type: string, taskName?: string, count = 1): (record: RunRecord) => boolean {
  let seen = 0;
  return ({ event }) =>
    event.type === type &&
    'phase' in event &&
    event.phase === 'phase-2' &&
    (taskName === undefined || ('task' in event && event.task === taskName)) &&
    ++seen === count;
}

const again = (attempt: number) =>
  attempt === 0 ? retry('There is no help.', { requiredChange: 'Add a --help flag.' }) : approve();

describe('the tree of a fleet', () => {
  it('has the form of the source: completed, running and pending phases', async () => {
    const records = await recordsOf();
    const isLast = nth('task.completed', '2b');
    expect(frame(records, isLast)).toMatchInlineSnapshot(`
      "
      fleet  ✓ 1  ● 1  ○ 1
      Phase 1: ✓ Create models  0.9s
      Phase 2: ● Running (2/3 subtasks complete)  0.8s
        ├── ✓ API endpoints  2a
        ├── ✓ CLI commands  2b
        └── ● Unit tests (running)  2c  reads models/
      Phase 3: ○ Pending
      1/3 approved · 1.9s
      "
    `);
  });

  it('shows what people should know above the subtasks, as long as the level is at work', async () => {
    const message = "The user's uncommitted work is not part of the run.";
    const part: Part = {
      id: '1',
      title: 'Create models',
      run: ({ report }) => {
        report({ warning: { code: 'WORKSPACE_NOTE', message } });
        report({ warning: { code: 'OTHER', message: 'Something else.' } });
      },
    };
    const state = foldRunForTree();
    const frames: (readonly string[])[] = [];
    for await (const record of startRun(definePipeline({ name: 'fleet', phases: [levelOf(1, [part])] }))) {
      state.apply(record);
      frames.push(frameLines(state, { columns: 80, rows: 24 }, record.time).map((line) => plain(line).slice(0, 60)));
    }
    const below = (lines: readonly string[]) => lines.slice(2, -1);
    expect(below(frames.find((lines) => lines.some((line) => line.includes('  ! '))) ?? [])).toEqual([
      `  ! ${message}`,
      '  └── ● Create models (running)  1',
    ]);
    expect(below(frames.at(-1) ?? [])).toEqual([]);
  });

  it('shows a retry with its attempt and the required change', async () => {
    const records = await recordsOf(again);
    expect(frame(records, nth('phase.retrying'))).toMatchInlineSnapshot(`
      "
      fleet  ✓ 1  ↻ 1  ○ 1
      Phase 1: ✓ Create models  0.9s
      Phase 2: ↻ Retrying (3/3 subtasks complete), attempt 2: Add a --help flag.  1.4s
        ├── ✓ API endpoints  2a
        ├── ✓ CLI commands  2b
        └── ✓ Unit tests  2c
      Phase 3: ○ Pending
      1/3 approved · 1 correction · 2.5s
      "
    `);
    expect(frame(records, nth('task.completed', '2a', 2))).toMatchInlineSnapshot(`
      "
      fleet  ✓ 1  ↻ 1  ○ 1
      Phase 1: ✓ Create models  0.9s
      Phase 2: ↻ Retrying (1/3 subtasks complete), attempt 2: Add a --help flag.  2.1s
        ├── ✓ API endpoints  2a
        ├── ↻ CLI commands (retrying, attempt 2)  2b
        └── ↻ Unit tests (retrying, attempt 2)  2c  reads models/
      Phase 3: ○ Pending
      1/3 approved · 1 correction · 3.3s
      "
    `);
  });

  it('shows the review, and the end of a level that is rejected twice', async () => {
    const records = await recordsOf(() => retry('No.', { requiredChange: 'Start over.' }));
    expect(frame(records, nth('review.started'))).toMatchInlineSnapshot(`
      "
      fleet  ✓ 1  ◎ 1  ○ 1
      Phase 1: ✓ Create models  0.9s
      Phase 2: ◎ In review (3/3 subtasks complete)  1.2s
        ├── ✓ API endpoints  2a
        ├── ✓ CLI commands  2b
        └── ✓ Unit tests  2c
      Phase 3: ○ Pending
      1/3 approved · 2.3s
      "
    `);
    expect(frame(records, ({ event }) => event.type === 'run.ended')).toMatchInlineSnapshot(`
      "
      fleet  ✓ 1  ✗ 1  – 1
      Phase 1: ✓ Create models  0.9s
      Phase 2: ✗ Rejected: its only retry is spent: No.  2.8s
        ├── ✓ API endpoints  2a
        ├── ✓ CLI commands  2b
        └── ✓ Unit tests  2c
      Phase 3: – Skipped: phase-2
      1/3 approved · 1 correction · 4.2s
      "
    `);
  });

  it('leaves completed subtasks out first if not all fit', async () => {
    const records = await recordsOf();
    expect(frame(records, nth('task.completed', '2b'), { columns: 50, rows: 6 })).toMatchInlineSnapshot(`
      "
      fleet  ✓ 1  ● 1  ○ 1
      Phase 1: ✓ Create models  0.9s
      Phase 2: ● Running (2/3 subtasks complete)  0.8s
        └── ● Unit tests (running)  2c  reads models/
      Phase 3: ○ Pending
      1/3 approved · 1.9s
      "
    `);
  });
});
