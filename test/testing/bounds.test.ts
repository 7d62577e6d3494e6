/** Bounds of pipelines, reached by rehearsals that press on. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePipeline, human, phase, task, type Policy } from '../../src/index.ts';
import { expectBounds } from '../../src/testing.ts';

const work = (): never => {
  throw new Error('the work of the pipeline itself was called');
};

function pipelineOf(phases: Readonly<Record<string, readonly string[]>>, policy: Policy = {}) {
  return definePipeline({
    name: 'pressed',
    policy,
    phases: Object.entries(phases).map(([name, after]) =>
      phase(name, { after, tasks: [task('work', { output: z.string(), run: work })], review: work }),
    ),
  });
}

const unlimited: Policy = { loopAfter: 'unlimited' };
const chain3 = { a: [], b: ['a'], c: ['b'] };
const chain5 = { a: [], b: ['a'], c: ['b'], d: ['c'], e: ['d'] };
const diamond = { a: [], b: ['a'], c: ['a'], d: ['b', 'c'] };

describe('expectBounds()', () => {
  it.each([
    ['a chain of three', chain3],
    ['a chain of five', chain5],
    ['a diamond', diamond],
  ])('reaches every bound of %s', async (_, phases) => {
    const report = await expectBounds(pipelineOf(phases, unlimited));
    expect(String(report)).not.toContain('not reached');
    expect(report.notReached).toEqual([]);
  });

  it('says honestly what no try has reached', async () => {
    // Equal outputs are a loop, which forfeits the rest of the budget.
    const report = await expectBounds(pipelineOf(diamond), { tries: 2, tasks: { '*': 'the same' } });
    expect(report.tries).toBe(2);
    expect(report.notReached.length).toBeGreaterThan(0);
    expect(String(report)).toContain('not reached by 2 tries');
  });

  it('refuses a pipeline without bounds, with a table', async () => {
    const endless = expectBounds(pipelineOf(chain3, { maxRetries: 'unlimited' }));
    await expect(endless).rejects.toMatchObject({ code: 'BOUND_EXCEEDED' });
    await expect(endless).rejects.toThrow(/b +attempts +Infinity +0 +no bound/u);
  });

  it('presses gates of checks alone, and takes people and schemas as they are', async () => {
    const pipeline = definePipeline({
      name: 'checked',
      input: z.object({ topic: z.string(), pages: z.int().min(3).max(9) }),
      phases: [
        phase('ask', {
          tasks: [task('size', { output: z.enum(['small', 'large']), run: human({ question: 'How big?' }) })],
        }),
        phase('build', {
          after: ['ask'],
          tasks: [
            task('code', {
              output: z.object({
                files: z.array(z.object({ path: z.string().min(30), lines: z.number().positive() })).min(2),
              }),
              run: work,
            }),
          ],
          review: { checks: [{ name: 'tests', run: work }], maxRetries: 3, loopAfter: 'unlimited' },
        }),
        phase('release', {
          after: ['build'],
          tasks: [task('ship', { run: work })],
          review: human({ question: 'May it?' }),
        }),
      ],
    });
    const report = await expectBounds(pipeline);
    // A person who is unsure is asked again.
    expect(report.notReached).toEqual([]);
  });
});
