import { describe, expect, it } from 'vitest';
import { definePipeline, phase, task } from '../src/index.ts';
import type { RunEvent, RunRecord } from '../src/records.ts';
import { reporterOf } from '../src/runtime/records/child-reports.ts';
import type { Report } from '../src/model/handlers/task.ts';
import { play, fake } from './rig.ts';

const pipeline = definePipeline({ name: 'inner', phases: [phase('a', { tasks: [task('x', { run: () => 1 })] })] });

type Reported = Extract<RunEvent, { readonly type: 'task.reported' }>;
const used = (tokens: number, rest: Partial<Reported> = {}): Reported => ({
  type: 'task.reported',
  phase: 'outer',
  generation: 1,
  attempt: 0,
  task: 'run',
  reviewer: false,
  tokens,
  ...rest,
});

/** Returns the tokens that a resumed parent reports of the records of its child. @param known Its own records of before. */
async function reported(known: readonly RunEvent[]): Promise<number> {
  const { records } = await play([fake('a')]);
  const started = records.find(({ event }) => event.type === 'phase.started');
  if (started?.event.type !== 'phase.started') throw new Error('The phase has not started.');
  const begun: RunEvent = { ...started.event, phase: 'outer', generation: 1 };
  const reports: Report[] = [];
  const context = {
    phase: 'outer',
    generation: 1,
    attempt: 0,
    task: 'run',
    report: (one: Report) => void reports.push(one),
  };
  const report = reporterOf('r', pipeline, context, { events: [begun, ...known], seq: 9 });
  const child = [used(3), used(4), used(5)].map((event, at): RunRecord => ({
    runId: 'r',
    seq: at + 8,
    time: 0,
    event,
  }));
  for (const record of child) report(record);
  return reports.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
}

describe('the usage of the run of a task, after a restart of its parent', () => {
  it('is reported as far as the parent does not have it', async () => {
    expect(await reported([])).toBe(12);
    expect(await reported([used(3)])).toBe(9);
    expect(await reported([used(3), used(4), used(5)])).toBe(0);
    expect(await reported([used(3), used(4, { late: true })])).toBe(5);
  });

  it('is not mistaken for that of an earlier attempt, which came late', async () => {
    expect(await reported([used(6, { generation: 0, late: true }), used(3)])).toBe(9);
    expect(await reported([used(6, { attempt: 1, late: true })])).toBe(12);
  });
});
