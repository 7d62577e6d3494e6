/** Properties of pipelines, and planted faults that they find. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePipeline, human, phase, task, type TaskContext } from '../../src/index.ts';
import { pipelineProperty, PropertyError, rehearse, silent, type RehearsedRun } from '../../src/testing.ts';

const work = (): never => {
  throw new Error('the work of the pipeline itself was called');
};

const launch = definePipeline({
  name: 'launch',
  policy: { rewindTo: 'ancestors' },
  phases: [
    phase('plan', { tasks: [task('outline', { output: z.object({ title: z.string() }), run: work })], review: work }),
    phase('code', {
      after: ['plan'],
      tasks: [task('api', { run: work, retry: { attempts: 2 } }), task('page', { run: work })],
      review: { by: work, checks: [{ name: 'tests', run: work }] },
    }),
    phase('release', {
      after: ['code'],
      tasks: [task('ship', { run: work })],
      review: human({ question: 'May it go out?' }),
    }),
  ],
});

describe('pipelineProperty()', () => {
  it('holds for runs that end, whatever workers and people do and wherever the process dies', async () => {
    const seen = new Set<string>();
    const kinds = new Set<string>();
    await pipelineProperty(launch, {
      runs: 60,
      seed: 5,
      invariant({ result, records }) {
        seen.add(result.status);
        for (const { event } of records) kinds.add(event.type);
        expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
      },
    });
    // Each kind of story must occur, or the property would be trivially true.
    expect([...seen].toSorted()).toEqual(expect.arrayContaining(['completed', 'failed', 'rejected']));
    for (const kind of [
      'phase.rewinding',
      'phase.retrying',
      'phase.escalated',
      'run.resumed',
      'task.retrying',
      'phase.invalidated',
    ])
      expect([...kinds]).toContain(kind);
  });

  it('finds the shortest story that breaks an invariant, with a trace that replays it', async () => {
    const invariant = ({ records }: RehearsedRun): void => {
      const rewinds = records.filter(({ event }) => event.type === 'phase.rewinding');
      if (rewinds.length > 1) throw new Error('the outline was written three times');
    };
    const broken = await pipelineProperty(launch, { seed: 1, runs: 300, invariant }).catch((error: unknown) => error);
    expect(broken).toBeInstanceOf(PropertyError);
    if (!(broken instanceof PropertyError)) return;
    expect(broken.code).toBe('PROPERTY_BROKEN');
    expect(broken.message).toContain('the outline was written three times');
    expect(broken.message).toContain(`{ seed: 1, path: '`);
    expect(broken.mermaid).toMatch(/^flowchart TD\n {2}n0\["/u);
    const { records } = await rehearse(launch, broken.trace);
    const decisions = records.filter(({ event }) => event.type === 'review.decided' || event.type === 'task.failed');
    // Two rewinds, and an approval of the plan before each and after the last, are the shortest.
    expect(decisions.length).toBeLessThanOrEqual(9);
    expect(records.filter(({ event }) => event.type === 'run.resumed')).toEqual([]);
    expect(() => invariant({ records } as RehearsedRun)).toThrow();
    const again = pipelineProperty(launch, { seed: broken.seed, path: broken.path, invariant });
    await expect(again).rejects.toMatchObject({ code: 'PROPERTY_BROKEN', path: broken.path });
  });

  it('finds a run that cannot end', async () => {
    const stuck = definePipeline({
      name: 'stuck',
      phases: [phase('a', { tasks: [task('work', { run: work, timeout: 0 })], review: work })],
    });
    const broken = pipelineProperty(stuck, {
      seed: 3,
      tasks: { work: ({ attempt }: TaskContext) => (attempt < 1 ? `draft ${attempt}` : silent()) },
    });
    await expect(broken).rejects.toThrow('nothing is left that could happen');
  });

  it('says that a script does not fit before it tries anything', async () => {
    const invariant = (): never => {
      throw new Error('never called');
    };
    await expect(pipelineProperty(launch, { tasks: { outlin: 'x' }, invariant })).rejects.toMatchObject({
      code: 'SCRIPT_INVALID',
    });
  });
});
