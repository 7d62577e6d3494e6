/** Rehearsals of whole pipelines without a script. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import launch from '../../examples/launch/pipeline.ts';
import { compilePlan, gitWorkspace, planSchema } from '../../src/fleet.ts';
import { definePipeline, human, phase, task } from '../../src/index.ts';
import { rehearse, rehearseAll, scriptedAgent, silent, type Script } from '../../src/testing.ts';

const work = (): never => {
  throw new Error('the work of the pipeline itself was called');
};

function pipelineOf(phases: Readonly<Record<string, readonly string[]>>) {
  return definePipeline({
    name: 'whole',
    phases: Object.entries(phases).map(([name, after]) =>
      phase(name, { after, tasks: [task('work', { output: z.string(), run: work })], review: work }),
    ),
  });
}

describe('rehearseAll()', () => {
  it.each([
    ['a chain of five', { a: [], b: ['a'], c: ['b'], d: ['c'], e: ['d'] }],
    ['a diamond', { a: [], b: ['a'], c: ['a'], d: ['b', 'c'] }],
  ])('shows every decision and reaches every bound of %s', async (_, phases) => {
    const { stuck, bounds, coverage } = await rehearseAll(pipelineOf(phases));
    expect({ stuck, notReached: bounds.notReached, missing: coverage.missing }).toEqual({
      stuck: [],
      notReached: [],
      missing: [],
    });
  });

  it('shows every decision of a gate with checks, a reviewer and a person whose question expires', async () => {
    const pipeline = definePipeline({
      name: 'gated',
      phases: [
        phase('a', { tasks: [task('work', { run: work })], review: work }),
        phase('b', {
          after: ['a'],
          tasks: [task('work', { run: work })],
          review: {
            by: [task('critic', { run: work }), human({ question: 'May it?', expireAfterMs: 1000 })],
            checks: [{ name: 'tests', run: work }],
          },
        }),
      ],
    });
    const { stuck, coverage } = await rehearseAll(pipeline);
    expect({ stuck, missing: coverage.missing }).toEqual({ stuck: [], missing: [] });
  });

  it('rehearses an example, and a compiled plan, whose bounds it reaches', async () => {
    const plan = planSchema.parse(
      JSON.parse(await readFile(new URL('../../examples/fleet/plan.json', import.meta.url), 'utf8')),
    );
    const fleet = compilePlan(plan, {
      agent: scriptedAgent([]),
      workspace: gitWorkspace({ repository: '/nowhere' }),
      reviewers: [{ name: 'critic', review: work }],
    });
    const planned = await rehearseAll(fleet);
    expect([planned.stuck, planned.bounds.notReached, planned.coverage.missing]).toEqual([[], [], []]);
    const launched = await rehearseAll(launch);
    expect(launched.stuck).toEqual([]);
    // The reviewer of the announcement is a person, who neither fails nor answers without a decision.
    expect(launched.bounds.notReached.map(({ phase, of }) => `${phase} ${of}`)).toEqual(['announce reviews']);
    expect(launched.coverage.missing.filter((name) => !name.startsWith('gate announce: '))).toEqual([
      'limit costUsd: reached',
    ]);
  });

  it('says which rehearsals cannot end, and for what they wait', async () => {
    const pipeline = definePipeline({
      name: 'asked',
      phases: [phase('a', { tasks: [task('ask', { run: human({ question: 'How many?' }) })], review: work })],
    });
    const mute: Script = { people: { 'a.ask': silent() } };
    const { stuck } = await rehearseAll(pipeline, mute).catch((error: unknown) => ({
      stuck: [{ name: '', why: String(error) }],
    }));
    expect(stuck[0]?.why).toContain('How many?');
    await expect(rehearse(pipeline, { ...mute, reviews: { a: 'APPROVE' } })).rejects.toMatchObject({
      code: 'REHEARSAL_STUCK',
    });
  });

  it('refuses a pipeline whose gate has no bound', async () => {
    const pipeline = definePipeline({
      name: 'endless',
      phases: [
        phase('a', {
          tasks: [task('work', { run: work })],
          review: { by: work, maxRetries: 'unlimited', loopAfter: 'unlimited' },
        }),
      ],
    });
    await expect(rehearseAll(pipeline)).rejects.toThrow('no bound');
  });
});
