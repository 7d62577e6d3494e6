import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foldRunForTree } from '../../src/cli/live-tree/run-fold.ts';
import { frameLines } from '../../src/cli/live-tree/tree.ts';
import { plain } from '../../src/cli/terminal/line.ts';
import { approve, definePipeline, needsRework, phase, startRun, task, type Pipeline } from '../../src/index.ts';
import { starterIn, starterOf, workKey } from '../../src/model/handlers/work-key.ts';
import type { RunRecord } from '../../src/records.ts';
import { StartedRun } from '../../src/runtime/run-handle.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { files, phasegate } from '../cli/cli.ts';
import { levelOf } from './levels.ts';

/** The work of a plan: two levels. @param approves The decision of the gate of the first. */
function work(title: string, approves: boolean): Pipeline {
  const first = levelOf(1, [{ id: 'x', title }], undefined, () => (approves ? 'APPROVE' : 'REJECT: Nobody needs it.'));
  return definePipeline({ name: 'fleet-work', phases: [first, levelOf(2, [{ id: 'y', title: 'Test it' }], first)] });
}

/** A pipeline that plans and has the plan carried out, as `planGoal` makes it. The first plan is rejected. */
function goal(): Pipeline {
  let plans = 0;
  const planning = phase('plan', { tasks: [task('plan', { run: () => ++plans })] });
  const working = phase('work', {
    after: [planning],
    tasks: (define) => [
      define('fleet', {
        pipeline: () => (plans === 1 ? work('Write the wrong text', false) : work('Write the text', true)),
        outcome({ status }) {
          if (status !== 'completed') throw needsRework('plan', 'The plan was wrong.');
          return status;
        },
      }),
    ],
    review: { by: () => approve(), maxPredecessorRetries: 1 },
  });
  return definePipeline({ name: 'fleet', phases: [planning, working] });
}

/** Draws the tree of a run after the last record that satisfies a condition. Without times, which differ. */
function framesOf(records: readonly RunRecord[], when: (record: RunRecord) => boolean): readonly string[] {
  const state = foldRunForTree();
  return records.flatMap((record) => {
    state.apply(record);
    if (!when(record)) return [];
    return untimed(frameLines(state, { columns: 100, rows: 24 }, record.time).map(plain).join('\n'));
  });
}

function untimed(text: string): string {
  return `\n${text.replaceAll(/ {2}[\d.]+m?s$| · [\d.]+m?s$/gmu, '')}\n`;
}

describe('a run that a task has started', () => {
  it('is drawn below the phase of the task, and replaced by its next run', async () => {
    const records: RunRecord[] = [];
    const run = startRun(goal(), { runId: 'goal' });
    run.events$.subscribe((record) => void records.push(record));
    StartedRun.watchChildren(run, (child) => child.events$.subscribe((record) => void records.push(record)));
    expect((await run.result).status).toBe('completed');

    const [first] = framesOf(records, ({ event }) => event.type === 'phase.rejected');
    expect(first).toMatchInlineSnapshot(`
      "
      fleet  ✓ 1  ● 1
      ✓ plan  1 task
      ● work  0/1 task
        Phase 1: ✗ Rejected: Nobody needs it.
          └── ✓ Write the wrong text  x
        Phase 2: ○ Pending
      1/2 approved
      "
    `);
    const last = framesOf(records, ({ event }) => event.type === 'task.completed' && event.task === 'y');
    expect(last.at(-1)).toMatchInlineSnapshot(`
      "
      fleet  ✓ 1  ● 1
      ✓ plan  1 task  2 attempts
      ● work  0/1 task  rewind plan 1/1
        Phase 1: ✓ Write the text
        Phase 2: ● Running (1/1 subtask complete)
          └── ✓ Test it  y
      1/2 approved · 1 correction
      "
    `);
  });

  it('is shown by `phasegate show`', async () => {
    const cwd = await files({});
    const store = sqliteStore(join(cwd, 'runs.db'));
    await startRun(goal(), { store, runId: 'goal:1' }).result;
    await store.close();
    const { stdout } = await phasegate(['show', 'goal:1', '--store', 'runs.db'], { cwd });
    expect(untimed(stdout.split('\n\n')[1] ?? '')).toMatchInlineSnapshot(`
      "
      fleet  ✓ 2
      ✓ plan  1 task  2 attempts
      ✓ work  1 task  2 attempts
        Phase 1: ✓ Write the text
        Phase 2: ✓ Test it
      2/2 approved · 1 correction
      "
    `);
  });

  it('is known by its id, and so are the runs that its tasks have started', () => {
    const child = workKey(['goal', 'work', '0.1', 2, 'task', 'fl/eet']);
    const grandchild = workKey([child, 'inner', 0, 0, 'task', 't']);
    const starter = { run: 'goal', phase: 'work', generation: 0, attempt: 2, task: 'fl/eet' };
    expect(starterOf('goal', child)).toEqual(starter);
    expect(starterOf('goal', grandchild)).toEqual(starter);
    expect(starterOf(child, grandchild)).toMatchObject({ run: child, phase: 'inner', task: 't' });
    expect(starterIn('goal/work/0/0/review/judge')).toBeUndefined();
    expect(starterOf('goal', 'goal/100%')).toBeUndefined();
    expect(starterOf('other', grandchild)).toBeUndefined();
  });
});
