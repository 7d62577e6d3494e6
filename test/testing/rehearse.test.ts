/** Rehearsals of pipelines: scripted workers and people, virtual time. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  approve,
  definePipeline,
  escalate,
  human,
  matchesSchema,
  needsRework,
  phase,
  retry,
  retryPredecessor,
  task,
  type TaskContext,
} from '../../src/index.ts';
import {
  aborts,
  answers,
  asDefined,
  fails,
  rehearse,
  repeats,
  reports,
  silent,
  skips,
  takes,
} from '../../src/testing.ts';

const never = (): never => {
  throw new Error('the work of the pipeline itself was called');
};

const writing = definePipeline({
  name: 'writing',
  phases: [
    phase('plan', { tasks: [task('outline', { description: 'Outline it.', run: never })], review: never }),
    phase('draft', {
      after: ['plan'],
      tasks: [task('write', { description: 'Write it.', output: z.string(), run: never, timeout: 60_000 })],
      review: { by: [task('style', { run: never }), task('facts', { run: never })] },
    }),
  ],
});

describe('rehearse()', () => {
  it('runs the real gates with scripted workers, and tells what each attempt was told', async () => {
    const run = await rehearse(writing, {
      tasks: { outline: ['one', 'two'], write: ['draft 1', 'draft 2', repeats('draft 3')] },
      reviews: {
        plan: approve(),
        style: [retry('Use short words.', { requiredChange: 'Shorten it.' }), repeats(approve())],
        'draft.facts': ['APPROVE', retryPredecessor('plan', 'The outline is thin.'), repeats('APPROVE')],
      },
    });
    expect(run.result.status).toBe('completed');
    expect(run.prompts('write')).toHaveLength(3);
    expect(run.prompts('write')[0]).not.toContain('Shorten it.');
    expect(run.prompts('write')[1]).toContain('Shorten it.');
    expect(run.prompts('write')[1]).toContain('Use short words.');
    expect(run.prompts('outline')[1]).toContain('The outline is thin.');
    expect(run.result).toMatchObject({ outputs: { draft: { write: 'draft 3' }, plan: { outline: 'two' } } });
    expect(run.records.at(-1)?.event).toMatchObject({ type: 'run.ended', status: 'completed' });
    expect(run.defects.length).toBeGreaterThan(0);
  });

  it('names everything at once that has no steps, or is not in the pipeline', async () => {
    const wrong = rehearse(writing, { tasks: { outlin: 'x' }, reviews: { draft: approve() }, checks: { lint: true } });
    await expect(wrong).rejects.toMatchObject({ code: 'SCRIPT_INVALID' });
    await expect(wrong).rejects.toThrow('tasks: "outlin" is not in the pipeline; did you mean "outline"?');
    await expect(wrong).rejects.toThrow('tasks: there are no steps for "plan.outline", "draft.write"');
    await expect(wrong).rejects.toThrow('reviews: "draft" may mean "draft.style", "draft.facts"');
    await expect(wrong).rejects.toThrow('checks: "lint" is not in the pipeline');
  });

  it('refuses a script that ends too early', async () => {
    const short = rehearse(writing, { tasks: { '*': ['once'] }, reviews: { plan: [retry('again')], '*': approve() } });
    await expect(short).rejects.toThrow('"plan.outline" is needed once more, and its script ends after 1 step');
  });

  it('takes virtual time, within timeouts and beyond', async () => {
    const run = await rehearse(writing, {
      tasks: { outline: takes(3_599_999, 'in time'), write: [takes(61_000, 'too late')] },
      reviews: { '*': approve() },
    });
    expect(run.result).toMatchObject({ status: 'failed', phases: { draft: { error: { code: 'TASK_TIMEOUT' } } } });
  });

  it('fails, reports and goes silent as scripted', async () => {
    const retried = definePipeline({
      name: 'retried',
      limits: { costUsd: 1 },
      phases: [phase('a', { tasks: [task('work', { run: never, timeout: 1000, retry: { attempts: 4 } })] })],
    });
    const run = await rehearse(retried, {
      tasks: { work: [fails('no connection'), silent(), reports({ costUsd: 0.5 }, fails(new Error('again'))), 'done'] },
    });
    expect(run.result).toMatchObject({
      status: 'completed',
      metrics: { costUsd: 0.5 },
      outputs: { a: { work: 'done' } },
    });
    const errors = run.records.flatMap(({ event }) => (event.type === 'task.retrying' ? event.error.message : []));
    expect(errors[0]).toBe('no connection');
    expect(errors[1]).toContain('1000 ms');
    expect(errors[2]).toBe('again');
  });

  it('validates scripted values by the schemas of the pipeline', async () => {
    const run = await rehearse(writing, { tasks: { outline: 'o', write: 42 as never }, reviews: { '*': approve() } });
    expect(run.result).toMatchObject({ phases: { draft: { error: { code: 'OUTPUT_INVALID' } } } });
  });

  it('calls functions of a script with the context of the handler', async () => {
    const run = await rehearse(writing, {
      tasks: {
        outline: ({ attempt }: TaskContext) => `outline ${attempt}`,
        write: async ({ inputs, wait }: TaskContext) => {
          await wait(30_000);
          return `on ${String(inputs['plan']?.['outline'])}`;
        },
      },
      reviews: { '*': ({ outputs }: { outputs: unknown }) => (outputs ? approve() : retry('nothing')) },
    });
    expect(run.result).toMatchObject({ status: 'completed', outputs: { draft: { write: 'on outline 0' } } });
  });

  it('does the work of the pipeline itself if it is told to, in real time', async () => {
    const counted = definePipeline({
      name: 'counted',
      phases: [
        phase('count', {
          tasks: [
            task('sum', {
              run: async ({ prompt }) => {
                await new Promise((resolve) => setTimeout(resolve, 5));
                return prompt.length;
              },
              description: 'Count.',
            }),
          ],
          review: { checks: [matchesSchema('sum', z.number())], by: () => approve() },
        }),
      ],
    });
    const run = await rehearse(counted, {
      tasks: { sum: asDefined() },
      reviews: { '*': asDefined() },
      checks: { '*': asDefined() },
    });
    expect(run.result).toMatchObject({ status: 'completed', outputs: { count: { sum: 6 } } });
    expect(run.prompts('sum')).toEqual(['Count.']);
  });

  it('sends a predecessor back by needsRework()', async () => {
    const run = await rehearse(writing, {
      tasks: { outline: ['thin', 'thick'], write: [fails(needsRework('plan', 'It is thin.')), 'draft'] },
      reviews: { '*': approve() },
    });
    expect(run.result.status).toBe('completed');
    expect(run.prompts('outline')[1]).toContain('It is thin.');
  });
});

describe('people of a rehearsal', () => {
  const asked = definePipeline({
    name: 'asked',
    phases: [
      phase('budget', { tasks: [task('amount', { output: z.number(), run: human({ question: 'How much?' }) })] }),
      phase('build', { after: ['budget'], tasks: [task('code', { run: never })], review: never }),
      phase('release', {
        after: ['build'],
        tasks: [task('ship', { run: never })],
        review: human({ question: 'May it go out?' }),
      }),
    ],
  });

  it('answers questions, escalations and reviews after virtual hours', async () => {
    const run = await rehearse(asked, {
      tasks: { '*': repeats('done') },
      reviews: { build: escalate('I am not sure.') },
      people: {
        'budget.amount': [takes(7_200_000, answers(500, { by: 'ann' }))],
        build: [takes(60_000, approve())],
        release: [answers(retry('Add a note.'), { by: 'bob' }), answers('APPROVE')],
      },
    });
    expect(run.result).toMatchObject({ status: 'completed', outputs: { budget: { amount: 500 } } });
    expect(run.records.find(({ event }) => event.type === 'task.answered')?.event).toMatchObject({
      who: 'ann',
      answer: 500,
    });
    expect(run.prompts('ship')[1]).toContain('Add a note.');
    expect((run.records.at(-1)?.time ?? 0) - (run.records[0]?.time ?? 0)).toBeGreaterThanOrEqual(7_260_000);
  });

  it('names the question that nobody answers', async () => {
    const mute = rehearse(asked, { tasks: { '*': 'x' }, reviews: { '*': approve() }, people: { amount: 5 } });
    await expect(mute).rejects.toMatchObject({ code: 'SCRIPT_INVALID' });
    await expect(mute).rejects.toThrow('a person is asked about "release.');
    await expect(mute).rejects.toThrow('May it go out?');
  });

  it('says what the run waits for if people stay silent for ever', async () => {
    const stuck = rehearse(asked, { tasks: { '*': 'x' }, reviews: { '*': approve() }, people: { '*': silent() } });
    await expect(stuck).rejects.toMatchObject({ code: 'REHEARSAL_STUCK' });
    await expect(stuck).rejects.toThrow('How much?');
  });

  it('skips and aborts', async () => {
    const script = { tasks: { '*': 'x' }, reviews: { '*': escalate('unsure') } };
    const skipped = await rehearse(asked, { ...script, people: { amount: 1, build: skips('not needed') } });
    expect(skipped.result).toMatchObject({ phases: { build: { status: 'skipped' } } });
    const aborted = await rehearse(asked, { ...script, people: { amount: 1, build: aborts('stop') } });
    expect(aborted.result.status).toBe('cancelled');
  });

  it('refuses an answer that the question refuses', async () => {
    const wrong = rehearse(asked, { tasks: { '*': 'x' }, reviews: { '*': approve() }, people: { '*': 'much' } });
    await expect(wrong).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
  });
});
