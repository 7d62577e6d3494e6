/** Rehearsals of whole pipelines without a script. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import launch from '../../examples/launch/pipeline.ts';
import { compilePlan, gitWorkspace, planSchema } from '../../src/fleet.ts';
import { definePipeline, human, phase, task, type TaskContext } from '../../src/index.ts';
import { fails, rehearseAll, repeats, scriptedAgent, silent } from '../../src/testing.ts';

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
    const { findings, bounds, coverage } = await rehearseAll(pipelineOf(phases));
    expect({ findings, notReached: bounds.notReached, missing: coverage.missing }).toEqual({
      findings: [],
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
    const { findings, waits, coverage } = await rehearseAll(pipeline);
    expect({ findings, waits, missing: coverage.missing }).toEqual({ findings: [], waits: ['a', 'b'], missing: [] });
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
    // No gate of a fleet sends back an earlier phase.
    expect(planned.findings.map(({ code }) => code)).toEqual(['NEVER_SENDS_BACK', 'NEVER_SENDS_BACK']);
    expect([planned.bounds.notReached, planned.coverage.missing]).toEqual([[], []]);
    const launched = await rehearseAll(launch);
    expect(launched.findings).toEqual([]);
    expect([launched.bounds.notReached, launched.coverage.missing]).toEqual([[], []]);
    // The reviewer of the announcement is a person.
    expect(launched.waits).toEqual(['brief', 'check', 'announce']);
  });

  it('shows what a person decides as the only reviewer, and reaches the bounds of a gate that takes every answer', async () => {
    const may = human({ question: 'May it?', expireAfterMs: 1000, onExpiry: 'reject' });
    const review = { by: may, checks: [{ name: 'tests', run: work }], maxRetries: 1 };
    const pipeline = definePipeline({
      name: 'asked',
      phases: [
        phase('a', { tasks: [task('work', { run: work })], review: { ...review, minConfidence: 0 } }),
        phase('b', { after: ['a'], tasks: [task('work', { run: work })], review }),
      ],
    });
    const { findings, bounds, coverage } = await rehearseAll(pipeline, {
      // A check that throws has the review asked again, and no person.
      checks: { 'a.tests': [fails('gone'), repeats(true)] },
    });
    expect({ findings, notReached: bounds.notReached }).toEqual({ findings: [], notReached: [] });
    // The check of "a" has steps of its own.
    expect(coverage.missing).toEqual(['gate a: review again refused', 'check tests of a: failed']);
    expect(bounds.bounds.filter(({ of }) => of === 'reviews').map(({ bound }) => bound)).toEqual([6, 24]);
    expect(coverage.rows.map(({ name }) => name)).not.toContain('gate b: unreadable verdict');
  });

  it('names a phase that never completes, with the reason, and none that only waits for it', async () => {
    const pipeline = definePipeline({
      name: 'unfit',
      phases: [
        phase('plan', { tasks: [task('outline', { output: z.object({ heading: z.string() }), run: work })] }),
        phase('write', {
          after: ['plan'],
          input: z.object({ plan: z.object({ outline: z.object({ title: z.string() }) }) }),
          tasks: [task('draft', { run: work })],
        }),
        phase('send', { after: ['write'], tasks: [task('mail', { run: work })] }),
      ],
    });
    const { findings } = await rehearseAll(pipeline);
    expect(findings).toMatchObject([{ code: 'NEVER_OPENS', severity: 'problem', phases: ['write'] }]);
    expect(findings[0]?.message).toMatch(/^"write" never completes: .*plan\.outline\.title/su);
  });

  it('says once that rehearsals cannot end as they wait for the same', async () => {
    const pipeline = definePipeline({
      name: 'mute',
      phases: [phase('a', { tasks: [task('work', { run: work, timeout: 0 })], review: work })],
    });
    const { findings } = await rehearseAll(pipeline, {
      tasks: { work: ({ attempt }: TaskContext) => (attempt === 0 ? 'draft' : silent()) },
    }).catch((error: unknown) => ({ findings: String(error) }));
    expect(findings).toContain('phase "a" is running');
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
