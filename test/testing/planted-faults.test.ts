/**
 * Faults that people make in their pipelines, each planted in a small one. `phasegate test` or a recipe of docs/testing.md finds it, and
 * finds nothing in the same pipeline without the fault.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  approve,
  definePipeline,
  phase,
  requestChanges,
  retry,
  task,
  type Check,
  type Pipeline,
  type ReviewContext,
  type TaskContext,
} from '../../src/index.ts';
import { asDefined, coverageOf, pipelineProperty, rehearse, rehearseAll, repeats } from '../../src/testing.ts';
import { files, phasegate } from '../cli/cli.ts';

/** A pipeline of which `phasegate test` calls no work. A fault takes the place of a marked part. */
const ARTICLE = `
import { definePipeline, phase, task } from 'phasegate';
const work = () => { throw new Error('no work is called'); };
export default definePipeline({ name: 'article', limits: { corrections: 6, tokens: 1000 }, phases: [
  phase('plan', {
    tasks: [task('outline', { run: work })],
    review: { by: work, onExhausted: 'reject', strategy: 'feedback' },
  }),
  phase('write', {
    after: ['plan'],
    tasks: [task('draft', { run: work, estimate: { tokens: 500 }, timeout: 60_000 })],
    review: { by: work, maxPredecessorRetries: 2 },
  }),
] });
`;

describe('phasegate test', () => {
  it('finds nothing in a sound pipeline', async () => {
    const { code, stdout } = await phasegate(['test', 'p.mjs'], { cwd: await files({ 'p.mjs': ARTICLE }) });
    expect(stdout).toContain('✓ every run ends, every phase is approved, and every gate can demand changes\n');
    expect(code).toBe(0);
  });

  it.each([
    {
      fault: 'a gate that never opens, as a task of its phase may use more than the run',
      part: 'tokens: 500',
      faulty: 'tokens: 5000',
      line: /^✗ The gate of "write" never opens: "draft" may use 5000, and limits.tokens is 1000 {2}NEVER_OPENS$/mu,
      code: 1,
    },
    {
      fault: 'a task that may hang, and has no timeout',
      part: 'timeout: 60_000',
      faulty: 'timeout: 0',
      line: /^✗ A run cannot end if a task of "write" never ends: phase "write" is running {2}CANNOT_END$/mu,
      code: 1,
    },
    {
      fault: 'a limit of 0, which was meant as no limit',
      part: 'corrections: 6',
      faulty: 'corrections: 0',
      line: /^! The gate of "plan" always exhausts, as its first demand is refused: limits.corrections is 0 {2}ALWAYS/mu,
      code: 0,
    },
    {
      fault: 'a rewind to nobody',
      part: 'maxPredecessorRetries: 2',
      faulty: 'rewindTo: []',
      line: /^! The gate of "write" never sends back an earlier phase: rewindTo names none {2}NEVER_SENDS_BACK$/mu,
      code: 0,
    },
    {
      fault: 'a spent budget that hides rejections',
      part: "onExhausted: 'reject'",
      faulty: "onExhausted: 'accept'",
      line: /^! The gate of "plan" opens without an approval when its budget is spent .* {2}GATE_LENIENT$/mu,
      code: 0,
    },
    {
      fault: 'a prompt without the change',
      part: "strategy: 'feedback'",
      faulty: "strategy: 'none'",
      line: /^✗ "plan": \d+ of \d+ attempts after a demand read no `revision`, .* {2}REVISION_WITHHELD$/mu,
      code: 1,
    },
  ])('finds $fault', async ({ part, faulty, line, code }) => {
    expect(ARTICLE).toContain(part);
    const cwd = await files({ 'p.mjs': ARTICLE.replace(part, faulty) });
    const tested = await phasegate(['test', 'p.mjs'], { cwd });
    expect(tested.stdout).toMatch(line);
    expect(tested.code).toBe(code);
  });
});

/** A note whose task and gate may be the user's own. */
function noteOf(run: (context: TaskContext) => unknown, review: (context: ReviewContext) => unknown = approve) {
  return definePipeline({
    name: 'note',
    phases: [
      phase('plan', { tasks: [task('outline', { run: () => 'an outline' })], review: () => approve() }),
      phase('write', {
        after: ['plan'],
        tasks: [task('draft', { description: 'Write a note.', run })],
        review: { by: task('critic', { run: review as () => 'APPROVE' }) },
      }),
    ],
  });
}

/** Messages about the pipeline's own tasks. */
async function findings(pipeline: Pipeline): Promise<readonly string[]> {
  const tested = await rehearseAll(pipeline, { tasks: { draft: asDefined() } });
  return tested.findings.map(({ message }) => message);
}

describe('rehearseAll() with the own tasks of the pipeline', () => {
  let asked = 0;
  const model = (prompt: string): string => `note ${(asked += 1)} on ${prompt.length} characters`;

  it('finds feedback that is dropped by a task', async () => {
    const [dropped = ''] = await findings(noteOf(({ description }) => model(description)));
    expect(dropped).toMatch(/^"write": (\d+) of \1 attempts after a demand read neither `prompt` nor `revision`/u);
    expect(await findings(noteOf(({ prompt }) => model(prompt)))).toEqual([]);
  });

  it('finds a cache that answers the second attempt with the first draft', async () => {
    const cached = (keyOf: (context: TaskContext) => string) => {
      const cache = new Map<string, string>();
      return noteOf((context) => {
        const { prompt } = context;
        const text = cache.get(keyOf(context)) ?? model(prompt);
        cache.set(keyOf(context), text);
        return text;
      });
    };
    const [same = ''] = await findings(cached(({ description }) => description));
    expect(same).toMatch(/^"write": (\d+) of \1 attempts after a demand put out what was sent back\./u);
    expect(await findings(cached(({ idempotencyKey, generation }) => `${idempotencyKey} ${generation}`))).toEqual([]);
  });
});

describe('pipelineProperty() with own functions', () => {
  it('finds a task that is not idempotent, as a process dies before the result is stored', async () => {
    const posted: string[] = [];
    const property = (pipeline: Pipeline) =>
      pipelineProperty(pipeline, {
        seed: 1,
        runs: 40,
        tasks: { draft: asDefined() },
        failures: false,
        invariant({ records }) {
          const wanted = records.filter(({ event }) => event.type === 'task.completed' && event.task === 'draft');
          const seen = posted.splice(0).length;
          if (seen > wanted.length) throw new Error(`${seen} posts of ${wanted.length} drafts`);
        },
      });
    const careless = noteOf(({ attempt }) => posted.push(`note ${attempt}`));
    await expect(property(careless)).rejects.toThrow('2 posts of 1 drafts\n');
    posted.length = 0;
    await property(
      noteOf(({ idempotencyKey, attempt }) => {
        const post = `${idempotencyKey}: note ${attempt}`;
        if (!posted.includes(post)) posted.push(post);
        return post;
      }),
    );
  });

  it('finds an output that its own schema refuses on the second attempt', async () => {
    const listOf = (answer: (text: string) => unknown) =>
      definePipeline({
        name: 'list',
        phases: [
          phase('write', {
            tasks: [
              task('names', {
                output: z.array(z.string()),
                run: ({ revision }) => (revision ? (answer('Ann, Bob') as string[]) : ['Ann']),
              }),
            ],
            review: () => approve(),
          }),
        ],
      });
    const property = (pipeline: Pipeline) =>
      pipelineProperty(pipeline, {
        seed: 1,
        runs: 40,
        tasks: { '*': asDefined() },
        failures: false,
        invariant: ({ result }) => result.status !== 'failed',
      });
    const broken = property(listOf((text) => text));
    await expect(broken).rejects.toThrow(
      /the invariant is false\n {2}write, attempt 1: retry\n {2}write.names failed:/u,
    );
    await property(listOf((text) => text.split(', ')));
  });

  it('finds a reviewer that sends back a phase that does not exist', async () => {
    const reviewed = (target: string) =>
      noteOf(
        () => 'a note',
        ({ attempt, generation }) =>
          attempt + generation === 0 ? `RETRY_PREDECESSOR ${target}: Start with a list.` : 'APPROVE',
      );
    const property = (pipeline: Pipeline) =>
      pipelineProperty(pipeline, {
        seed: 1,
        runs: 40,
        reviews: { critic: asDefined() },
        failures: false,
        invariant: ({ records }) =>
          records.every(({ event }) => event.type !== 'review.decided' || event.verdict.type !== 'unavailable'),
      });
    await expect(property(reviewed('planning'))).rejects.toThrow(
      '  write, attempt 1: unavailable: Cannot send back "planning" from phase "write"',
    );
    await property(reviewed('plan'));
  });
});

describe('rehearse() with own reviewers and checks', () => {
  it('finds a reviewer that takes the word "approved" for an approval, whatever else was found', async () => {
    const answer = { approved: true, issues: [{ severity: 'critical', description: 'It names a customer.' }] };
    const statusOf = async (review: (context: ReviewContext) => unknown): Promise<string> => {
      const pipeline = noteOf(() => 'a note', review);
      const { result } = await rehearse(pipeline, {
        tasks: { '*': repeats('a note') },
        reviews: { plan: approve(), critic: asDefined() },
      });
      return result.status;
    };
    expect(await statusOf(() => (answer.approved ? approve() : retry('No.')))).toBe('completed');
    const careful = (): unknown =>
      answer.issues.length > 0
        ? requestChanges(
            answer.issues.map(({ description }, index) => ({
              id: String(index),
              category: 'privacy',
              severity: 'critical',
              description,
              evidence: '',
              impact: '',
              requiredChange: 'Take it out.',
            })),
          )
        : approve();
    expect(await statusOf(careful)).toBe('rejected');
  });

  it('finds a check that passes if its command is missing, by a decision that no rehearsal has shown', async () => {
    const missingOf = async (onMissing: boolean): Promise<readonly string[]> => {
      const tests: Check = {
        name: 'tests',
        run: ({ outputs }) => {
          try {
            if (outputs['build'] === 'broken') throw new Error('spawn npm ENOENT');
            return true;
          } catch {
            return onMissing || 'The tests have failed.';
          }
        },
      };
      const pipeline = definePipeline({
        name: 'code',
        phases: [phase('code', { tasks: [task('build', { run: () => '' })], review: { checks: [tests] } })],
      });
      const { records } = await rehearse(pipeline, {
        tasks: { build: ['broken', repeats('sound')] },
        checks: { tests: asDefined() },
      });
      return coverageOf(pipeline, [records]).missing.filter((name) => name.startsWith('check '));
    };
    expect(await missingOf(true)).toEqual(['check tests of code: failed']);
    expect(await missingOf(false)).toEqual([]);
  });
});
