/** Results of stopped work, whose phase has to run again: they are dropped and recorded. */
import { describe, expect, it } from 'vitest';
import { definePipeline, resumeRun, startRun, memoryStore, readRun } from '../src/index.ts';
import { foldRun, type RunRecord } from '../src/records.ts';
import { drive, fake, held, play, simulatedTime, type Script } from './rig.ts';

/**
 * ```text
 *  a ─┬─▶ b    sends a back
 *     └─▶ c    runs on the first version meanwhile
 * ```
 */
function phases(c: { readonly outputs?: readonly Script[]; readonly verdicts?: readonly Script[] }) {
  return [
    fake('a'),
    fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: more'], invalidate: 'all' }),
    fake('c', { after: ['a'], ...c }),
  ];
}

function dropped(records: readonly RunRecord[]) {
  return records.flatMap(({ event }) => (event.type === 'task.dropped' ? [event] : []));
}

describe('a result of an older generation', () => {
  it('of a task is dropped, and recorded', async () => {
    const work = held();
    const { result, records } = await play(phases({ outputs: [work.script] }), {
      when: { 'c invalidated by a g1': () => work.release('late') },
    });
    expect(result).toMatchObject({ status: 'completed', outputs: { c: { work: 'c 2' } } });
    expect(dropped(records)).toEqual([
      { type: 'task.dropped', phase: 'c', generation: 0, attempt: 0, task: 'work', reviewer: false, try: 1 },
    ]);
  });

  it('of a reviewer is dropped, and recorded', async () => {
    const review = held();
    const { result, records } = await play(phases({ verdicts: [review.script] }), {
      when: { 'c invalidated by a g1': () => review.release('REJECT: late') },
    });
    expect(result).toMatchObject({ status: 'completed', outputs: { c: { work: 'c 2' } } });
    expect(dropped(records)).toEqual([
      { type: 'task.dropped', phase: 'c', generation: 0, attempt: 0, task: 'review', reviewer: true, try: 1 },
    ]);
  });

  it('does not exist if the work stopped on its signal', async () => {
    const work = held();
    const { records } = await play(phases({ outputs: [work.script] }), {
      when: { 'c invalidated by a g1': () => work.fail(new Error('aborted')) },
    });
    expect(dropped(records)).toEqual([]);
  });

  it('is not recorded at the end of the run: running work is recorded as cancelled', async () => {
    const work = held();
    const { records } = await play([fake('a', { outputs: [work.script] })], {
      when: {
        'a started 0': (run) => {
          run.cancel('enough');
          work.release('late');
        },
      },
    });
    expect(dropped(records)).toEqual([]);
  });

  it('has no effect on a process that resumes the run right after it', async () => {
    const work = held();
    const store = memoryStore();
    const time = simulatedTime();
    const make = (outputs: readonly Script[]) =>
      definePipeline({ name: 'rig', phases: phases({ outputs }).map((one) => one.definition) });
    const run = startRun(make([work.script]), { store, runId: 'r', clock: time.clock });
    run.events$.subscribe(({ event }) => {
      if (event.type === 'phase.invalidated') work.release('late');
      if (event.type === 'task.dropped') run.suspend();
    });
    await run.result;
    const records = await readRun(store, 'r');
    expect(records.at(-1)?.event.type).toBe('task.dropped');
    const before = foldRun();
    const after = foldRun();
    for (const record of records.slice(0, -1)) before.apply(record);
    for (const record of records) after.apply(record);
    expect(after.snapshot().phases).toEqual(before.snapshot().phases);

    const result = await drive(await resumeRun(store, 'r', make([]), { clock: time.clock }), time);
    expect(result.status).toBe('completed');
    expect(JSON.stringify(result.outputs)).not.toContain('late');
    expect(dropped(await readRun(store, 'r'))).toHaveLength(1);
  });
});
