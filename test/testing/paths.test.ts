/** Generated paths: their covers, their names, and the runs that they say to come. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import launch from '../../examples/launch/pipeline.ts';
import { compilePlan, gitWorkspace, planSchema } from '../../src/fleet.ts';
import { definePipeline, human, phase, task, type Pipeline, type Policy } from '../../src/index.ts';
import { coverageOf, paths, pathsToMermaid, rehearse, scriptedAgent, type PipelinePath } from '../../src/testing.ts';
import { findCover } from '../../src/testing/paths/cover.ts';
import { countPaths } from '../../src/testing/paths/count.ts';
import { DECISION_KINDS } from '../../src/testing/decisions/decision.ts';
import { settingOf } from '../../src/testing/decisions/setting.ts';

const work = (): never => {
  throw new Error('the work of the pipeline itself was called');
};
const tasks = [task('work', { run: work })];

function graph(phases: Readonly<Record<string, readonly string[]>>, policy: Policy = {}): Pipeline {
  return definePipeline({
    name: 'graph',
    policy,
    phases: Object.entries(phases).map(([name, after]) => phase(name, { after, tasks, review: work })),
  });
}

function chain(length: number, policy: Policy = {}): Pipeline {
  const names = Array.from({ length }, (_, index) => `p${index}`);
  return graph(
    Object.fromEntries(names.map((name, index) => [name, names.slice(Math.max(0, index - 1), index)])),
    policy,
  );
}

const DIAMOND = { a: [], b: ['a'], c: ['a'], d: ['b', 'c'] };

/** Names of all that the records of a path show. */
function shownBy(pipeline: Pipeline, records: Parameters<typeof coverageOf>[1]): readonly string[] {
  const { phases, rows, limits, checks, rewinds, ends } = coverageOf(pipeline, records);
  return [...phases, ...rows, ...limits, ...checks, ...rewinds, ...ends].flatMap(({ name, times }) =>
    times > 0 ? name : [],
  );
}

/** Rehearses paths, and compares each run with what its path says. @returns The entries that no run has shown. */
async function rehearsed(pipeline: Pipeline, all: readonly PipelinePath[]): Promise<readonly string[]> {
  const runs = [];
  for (const path of all) {
    const { result, records } = await rehearse(pipeline, path);
    expect({ name: path.name, end: result.status, shown: shownBy(pipeline, [records]).toSorted() }).toEqual({
      name: path.name,
      end: path.end,
      shown: path.reaches.toSorted(),
    });
    runs.push(records);
  }
  return coverageOf(pipeline, runs).missing;
}

async function fleet(): Promise<Pipeline> {
  const plan = planSchema.parse(
    JSON.parse(await readFile(new URL('../../examples/fleet/plan.json', import.meta.url), 'utf8')),
  );
  return compilePlan(plan, {
    agent: scriptedAgent([]),
    workspace: gitWorkspace({ repository: '/nowhere' }),
    reviewers: [{ name: 'critic', review: work }],
  });
}

/** Gates with checks, quorums, people, baselines, and every consequence of a spent budget. */
function gates(onExhausted: NonNullable<Policy['onExhausted']>, policy: Policy = {}): Pipeline {
  const person = human({ question: 'May it?', expireAfterMs: 60_000, onExpiry: 'reject' });
  return definePipeline({
    name: 'gates',
    policy: {
      onExhausted,
      maxRetries: 1,
      maxPredecessorRetries: 1,
      maxReviewErrors: 1,
      rewindTo: 'ancestors',
      ...policy,
    },
    phases: [
      phase('plain', { tasks }),
      phase('checked', {
        after: ['plain'],
        tasks,
        review: {
          checks: [
            { name: 'lint', run: work, retries: 1 },
            { name: 'tests', run: work, baseline: true },
          ],
        },
      }),
      phase('voted', {
        after: ['plain'],
        tasks: [task('ask', { run: human({ question: 'How many?' }) }), task('work', { run: work })],
        review: {
          by: [task('one', { run: work }), task('two', { run: work }), task('three', { run: work })],
          quorum: 2,
        },
      }),
      phase('asked', { after: ['checked', 'voted'], tasks, review: person }),
    ],
  });
}

describe('paths()', () => {
  it.each([
    ['a diamond', () => graph(DIAMOND)],
    ['a chain of five', () => chain(5)],
    ['a diamond that goes on, with a wide reach', () => graph(DIAMOND, { onExhausted: 'accept', invalidate: 'all' })],
    ['a compiled plan', fleet],
  ])('reaches every transition of %s, and each run is as its path says', async (_, make) => {
    const pipeline = await make();
    const all = paths(pipeline, { cover: 'transitions' });
    expect(all.missed).toEqual([]);
    expect(await rehearsed(pipeline, all)).toEqual([]);
  });

  it.each(['transitions', 'pairs', 'limits', 'people', 'bounds'] as const)(
    'reaches all %s of an example, of which a person is a reviewer',
    async (cover) => {
      const all = paths(launch, { cover });
      expect(all.missed).toEqual([]);
      const left = await rehearsed(launch, all);
      if (cover === 'transitions' || cover === 'pairs') expect(left).toEqual([]);
    },
  );

  it.each(['stop', 'escalate'] as const)(
    'spends each limit of usage and time, if a limit means %s',
    async (onLimit) => {
      for (const limits of [{ tokens: 10, costUsd: 0.5 }, { durationMs: 30_000 }, { deadlineMs: 30_000 }]) {
        const pipeline = definePipeline({
          name: 'spent',
          limits,
          policy: { onLimit, inbox: { expireAfterMs: 1000, onExpiry: 'reject' } },
          phases: [
            phase('plain', { tasks }),
            phase('a', { after: ['plain'], tasks, review: { by: work, checks: [{ name: 'tests', run: work }] } }),
          ],
        });
        const all = paths(pipeline, { cover: 'limits' });
        expect(all.missed).toEqual([]);
        await rehearsed(pipeline, all);
        expect(all.map(({ targets }) => targets).flat()).toEqual(
          Object.keys(limits).map((name) => `limit ${name}: reached`),
        );
        if (onLimit === 'stop') continue;
        const byPeople = paths(pipeline, { cover: 'people' });
        await rehearsed(pipeline, byPeople);
        const decided = byPeople.flatMap(({ targets }) => targets);
        for (const name of Object.keys(limits))
          expect(decided).toEqual(
            expect.arrayContaining([
              `person ${name}: approve`,
              `person ${name}: reject`,
              `person ${name}: abort`,
              `clock ${name}: expire`,
            ]),
          );
      }
    },
  );

  it('names limits of time that no path spends: two of them, or one beyond the timeout of the tasks', () => {
    const missedOf = (limits: Policy['limits'], timeout: number): readonly string[] => {
      const brief = [task('work', { run: work, timeout })];
      const phases = [phase('a', { tasks: brief, review: work })];
      return paths(definePipeline({ name: 'long', policy: { limits }, phases }), { cover: 'limits' }).missed;
    };
    expect(missedOf({ durationMs: 5000 }, 0)).toEqual([]);
    expect(missedOf({ durationMs: 5000 }, 5001)).toEqual(['limit durationMs: reached']);
    expect(missedOf({ durationMs: 5000, deadlineMs: 9000 }, 0)).toEqual([
      'limit durationMs: reached',
      'limit deadlineMs: reached',
    ]);
  });

  it('asks machines and people again whose answers decide together', async () => {
    const pipeline = definePipeline({
      name: 'mixed',
      phases: [
        phase('a', {
          tasks,
          review: {
            by: [task('critic', { run: work }), human({ question: 'May it?' })],
            quorum: 1,
            maxReviewErrors: 1,
          },
        }),
      ],
    });
    const all = paths(pipeline, { cover: 'transitions' });
    expect(all.missed).toEqual([]);
    expect(await rehearsed(pipeline, all)).toEqual([]);
  });

  it.each(['accept', 'acceptBest', 'escalate', 'reject'] as const)(
    'says what comes of checks, quorums and people if a spent budget means %s',
    async (onExhausted) => {
      const pipeline = gates(onExhausted);
      const all = paths(pipeline, { cover: 'transitions' });
      expect(all.missed).toEqual([]);
      expect(await rehearsed(pipeline, all)).toEqual([]);
    },
  );

  it.each([
    ['people', gates('escalate', { onLimit: 'escalate', limits: { corrections: 3, attemptsPerPhase: 2 } })],
    ['limits', gates('escalate', { onLimit: 'escalate', limits: { corrections: 3, attemptsPerPhase: 2, perPair: 1 } })],
    ['limits', gates('accept', { limits: { corrections: 3 } })],
    ['people', graph(DIAMOND, { inbox: { expireAfterMs: 1000, onExpiry: { queue: 'others' } } })],
    ['pairs', chain(2, { regate: false, onFailure: 'halt', invalidate: 'changed', onExhausted: 'escalate' })],
  ] as const)('reaches all %s', async (cover, pipeline) => {
    const all = paths(pipeline, { cover, maxPaths: 500 });
    await rehearsed(pipeline, all);
    expect(all.missed).toEqual([]);
    expect(all.length).toBeGreaterThan(0);
  });

  it('reaches every bound of a chain in one run', async () => {
    const pipeline = chain(4);
    const all = paths(pipeline, { cover: 'bounds' });
    expect(all.missed).toEqual([]);
    expect(all.map(({ targets }) => targets)).toEqual([
      ['p0', 9, 36, 'p1', 15, 60, 'p2', 15, 60, 'p3', 9, 36].flatMap((one, index, list) =>
        typeof one === 'string'
          ? [`bound ${one}: ${list[index + 1]} attempts`, `bound ${one}: ${list[index + 2]} reviews`]
          : [],
      ),
    ]);
    const { records } = await rehearse(pipeline, all[0] ?? {});
    const started = records.filter(({ event }) => event.type === 'phase.started' && event.phase === 'p1');
    expect(started).toHaveLength(15);
  });

  it.each([
    [2, 1, 1, 99, 8],
    [2, 2, 2, 4240, 18],
    [3, 1, 1, 7767, 14],
    [3, 2, 2, 40_223_104, 33],
  ])(
    'counts all paths of a chain of %i with %i retries and %i rewinds',
    (length, maxRetries, maxPredecessorRetries, count, steps) => {
      const pipeline = chain(length, {
        maxRetries,
        maxPredecessorRetries,
        onExhausted: 'accept',
        loopAfter: 'unlimited',
      });
      const decisions = ['approve', 'retry', 'retryPredecessor'] as const;
      expect(Number(countPaths(settingOf(pipeline, new Set(decisions))).paths)).toBe(count);
      const [bound] = paths(pipeline, { cover: 'bounds', decisions });
      expect(bound?.decisions).toHaveLength(steps);
    },
  );

  it('lists all paths if they are few, and each run is as its path says', async () => {
    const pipeline = chain(2, {
      maxRetries: 1,
      maxPredecessorRetries: 1,
      onExhausted: 'accept',
      loopAfter: 'unlimited',
    });
    const all = paths(pipeline, { cover: 'all', decisions: ['approve', 'retry', 'retryPredecessor'] });
    expect(new Set(all.map(({ name }) => name)).size).toBe(99);
    await rehearsed(pipeline, all);
  });

  it('refuses to list too many paths, and says which cover is small enough', () => {
    const pipeline = chain(3, { onExhausted: 'accept', loopAfter: 'unlimited' });
    const decisions = ['approve', 'retry', 'retryPredecessor'] as const;
    expect(() => paths(pipeline, { cover: 'all', decisions })).toThrow(
      /^Cannot make all paths of pipeline "graph" as 3 phases have 40 223 104 paths; maxPaths is 200\nUse cover: 'pairs', which needs 13; or fewer decisions\./u,
    );
    expect(() => paths(pipeline, { cover: 'all' })).toThrow('3 phases have paths without end');
    expect(() =>
      paths(chain(12, { onExhausted: 'accept', loopAfter: 'unlimited' }), { cover: 'all', decisions }),
    ).toThrow(/12 phases have more than [\d ]+ paths/u);
    expect(() => paths(chain(3), { cover: 'pairs', maxPaths: 20 })).toThrow(
      /cover: 'pairs' needs more than 20, which is maxPaths\nUse cover: 'transitions', which needs 14/u,
    );
    expect(() => paths(chain(30), { cover: 'transitions', maxSteps: 10 })).toThrow('more than 10 decisions');
  });

  it('takes as many steps of the model for each phase of a short chain as of a long one', () => {
    const stepsOf = (length: number): number =>
      findCover(settingOf(chain(length), new Set(DECISION_KINDS)), 'transitions', 500, 1000).steps;
    const [ten, twenty, forty] = [stepsOf(10), stepsOf(20), stepsOf(40)];
    expect(forty - twenty).toBe(2 * (twenty - ten));
    expect(forty).toBeLessThan(6000);
  });

  it('names a path by its decisions alone', () => {
    const namesOf = (decisions: readonly ('approve' | 'retry' | 'reject' | 'retryPredecessor')[]): readonly string[] =>
      paths(chain(2, { maxRetries: 1, maxPredecessorRetries: 1 }), { cover: 'all', decisions }).map(({ name }) => name);
    const few = namesOf(['approve', 'retry']);
    expect(few).toEqual([
      'all ✓',
      'p0 ✓ · p1 ↻ …',
      'p0 ✓ · p1 ↻×2',
      'p0 ↻ …',
      'p0 ↻ ✓ · p1 ↻ …',
      'p0 ↻ ✓ · p1 ↻×2',
      'p0 ↻×2',
    ]);
    const more = namesOf(['approve', 'retry', 'reject', 'retryPredecessor']);
    expect(new Set(more).size).toBe(more.length);
    expect(few.filter((name) => !more.includes(name))).toEqual([]);
    const odd = definePipeline({
      name: 'odd',
      phases: [phase('a ✓ · b', { tasks, review: work }), phase('"</i>', { after: ['a ✓ · b'], tasks, review: work })],
    });
    const all = paths(odd, { cover: 'transitions' });
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all[1]?.name).toMatch(/^"a ✓ · b" /u);
    expect(pathsToMermaid(all)).toContain('#quot;&lt;/i>: retryPredecessor a ✓ · b');
  });

  it('gives the same paths for the same options, and others for a seed', () => {
    const namesOf = (seed?: number) => paths(graph(DIAMOND), { cover: 'pairs', seed }).map(({ name }) => name);
    expect(namesOf()).toEqual(namesOf());
    expect(namesOf(3)).toEqual(namesOf(3));
    expect(new Set([1, 2, 3, 4].map((seed) => namesOf(seed).join('\n'))).size).toBeGreaterThan(1);
  });

  it('draws a path, and all paths', () => {
    const all = paths(chain(2, { maxRetries: 1 }), { cover: 'all', decisions: ['approve', 'retry'] });
    const path = all.find(({ name }) => name === 'p0 ↻ ✓ · p1 ↻ …');
    expect(path?.mermaid()).toBe(
      [
        'flowchart TD',
        '  n0["p0: retry"]',
        '  n1["p0: approve"]',
        '  n2["p1: retry"]',
        '  n3["p1: approve"]',
        '  n4["the run has ended: completed"]',
        '  n0 --> n1',
        '  n1 --> n2',
        '  n2 --> n3',
        '  n3 --> n4',
      ].join('\n'),
    );
  });

  it('takes steps for tasks that have no sample, and the input', async () => {
    const pipeline = definePipeline({
      name: 'own',
      input: z.object({ topic: z.string().regex(/^x/u) }),
      phases: [phase('a', { tasks: [task('pick', { output: z.string().regex(/^x/u), run: work })], review: work })],
    });
    let nth = 0;
    const input = { topic: 'x' };
    expect(() => paths(pipeline, { cover: 'transitions' })).toThrow('Cannot make a sample');
    expect(() => paths(pipeline, { cover: 'transitions', input })).toThrow('task "a.pick" has no sample');
    const all = paths(pipeline, { cover: 'transitions', input, tasks: { pick: () => `x${(nth += 1)}` } });
    expect(await rehearsed(pipeline, all)).toEqual([]);
  });
});

describe('paths() refuses', () => {
  const whole = chain(2);
  test.for([
    [{ cover: 'transition' }, "cover: 'transition': did you mean 'transitions'?"],
    [{ cover: 'all', decisions: ['retri'] }, "decisions: 'retri': did you mean 'retry'?"],
    [{ cover: 'all', maxPaths: 0 }, 'maxPaths: 0: pass a whole number from 1'],
    [{ cover: 'all', maxSteps: 1.5 }, 'maxSteps: 1.5: pass a whole number from 1'],
    [{ cover: 'all', tasks: { wrk: 1 } }, 'steps for task "wrk" as it has no such task'],
  ] as const)('%j', ([options, message]) => {
    expect(() => paths(whole, options as never)).toThrow(message);
  });

  test.for([
    [
      'samples that repeat',
      () => [phase('a', { tasks: [task('work', { output: z.literal(1), run: work })], review: work })],
      'the samples of phase "a" repeat',
    ],
    [
      'a schema that refuses samples',
      () => [
        phase('a', { tasks, review: work }),
        phase('b', { after: ['a'], input: z.object({ a: z.object({ work: z.literal('x') }) }), tasks }),
      ],
      'the input schema of phase "b" refuses samples',
    ],
    [
      'estimates above a limit',
      () => [phase('a', { tasks: [task('work', { run: work, estimate: { costUsd: 20 } })], review: work })],
      'its estimates are 20 in all, and the limit costUsd is 10',
    ],
  ] as const)('%s, by name', ([, make, message]) => {
    const pipeline = definePipeline({ name: 'unknown', phases: make(), limits: { costUsd: 10 } });
    expect(() => paths(pipeline, { cover: 'transitions' })).toThrow(message);
  });

  it('a timeout that is shorter than the wait for others, and a limit of time', () => {
    const brief = task('critic', { run: work, timeout: 500 });
    const pipeline = definePipeline({
      name: 'brief',
      phases: [phase('a', { tasks, review: work }), phase('b', { tasks, review: brief })],
    });
    expect(() => paths(pipeline, { cover: 'transitions' })).toThrow('"b.critic" has to wait');
    expect(paths(pipeline, { cover: 'transitions', decisions: ['approve', 'retry'] }).length).toBeGreaterThan(0);
    const short = definePipeline({
      name: 'short',
      phases: [phase('a', { tasks, review: work })],
      limits: { durationMs: 500 },
    });
    expect(() => paths(short, { cover: 'transitions' })).toThrow('the limit durationMs is 500');
  });
});
