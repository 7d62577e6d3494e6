import { describe, expect, it } from 'vitest';
import { definePipeline, phase, requestChanges, task, type Issue, type TaskContext } from '../src/index.ts';
import { fake, held, play, type Fake, type PlayOptions } from './rig.ts';

/** A task that shares artifacts, and outputs a number. */
function sharing(...artifacts: readonly (readonly [name: string, content: unknown])[]) {
  return ({ report, attempt }: TaskContext) => {
    for (const [name, content] of artifacts) report({ artifact: { name, content } });
    return attempt;
  };
}

/** Returns the artifacts that each attempt saw, as `phase/name: content`. */
function seenBy({ calls }: Fake) {
  return calls.map(({ artifacts }) => artifacts.map((one) => `${one.phase}/${one.name}: ${String(one.content)}`));
}

async function run(phases: readonly Fake[], options?: PlayOptions) {
  return (await play(phases, options)).result;
}

describe('artifacts that a phase subscribes to', () => {
  it('are those of the approved attempt, in the order of the subscription', async () => {
    const a = fake('a', {
      outputs: [sharing(['y', 'draft'], ['only first', 1]), sharing(['x', 'x2'], ['y', 'y1'], ['y', 'y2'])],
      verdicts: ['RETRY: Again.'],
    });
    const b = fake('b', { after: ['a'], subscribe: ['a/y', 'a/only first', 'a/nothing', 'a/x'] });
    expect((await run([a, b])).status).toBe('completed');
    expect(seenBy(b)).toEqual([['a/y: y2', 'a/x: x2']]);
    expect(seenBy(a)).toEqual([[], []]);
  });

  it('are in the prompt of a revision with the strategy, and in no other prompt', async () => {
    const make = (strategy: 'sharedPool' | 'feedback') => {
      const a = fake('a', { outputs: [sharing(['plan', 'One. Two.'])] });
      const b = fake('b', { after: ['a'], subscribe: ['a/plan'], verdicts: ['RETRY: Again.'], strategy });
      return [a, b] as const;
    };
    const [a, b] = make('sharedPool');
    await run([a, b]);
    expect(b.prompts[0]).toBe('do b');
    expect(b.prompts[1]).toContain('### Shared Artifacts\n#### a/plan\nOne. Two.\n\n### Previous Output\nb 1\n');
    const [c, d] = make('feedback');
    await run([c, d]);
    expect(d.prompts[1]).not.toContain('One. Two.');
    expect(seenBy(d)[1]).toEqual(['a/plan: One. Two.']);
  });

  it('of the phase itself are those of the previous attempt', async () => {
    const a = fake('a', {
      outputs: [sharing(['code', 'v1'], ['notes', 'n1']), sharing(['code', 'v2']), sharing()],
      subscribe: ['a/notes', 'a/code'],
      verdicts: ['RETRY: Again.', 'RETRY: Again.'],
    });
    await run([a]);
    expect(seenBy(a)).toEqual([[], ['a/notes: n1', 'a/code: v1'], ['a/code: v2']]);
  });

  it('of the phase itself are the approved ones if a later phase sends it back', async () => {
    const a = fake('a', {
      outputs: [sharing(['code', 'rejected']), sharing(['code', 'approved']), sharing()],
      subscribe: ['a/code'],
      verdicts: ['RETRY: Again.'],
    });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: Again.'] });
    await run([a, b]);
    expect(seenBy(a)).toEqual([[], ['a/code: rejected'], ['a/code: approved']]);
  });

  it('of the phase itself are absent on a fresh start without feedback', async () => {
    const x = fake('x');
    const a = fake('a', {
      after: ['x'],
      outputs: [sharing(['code', 'v1']), sharing()],
      subscribe: ['a/code'],
      verdicts: ['RETRY_PREDECESSOR x: Again.'],
    });
    await run([x, a]);
    expect(a.calls.map(({ attempt, revision }) => [attempt, revision])).toEqual([
      [0, undefined],
      [0, undefined],
    ]);
    expect(seenBy(a)).toEqual([[], []]);
  });

  it('of the phase itself are the committed ones if a demand is repeated', async () => {
    const x = fake('x');
    const a = fake('a', {
      after: ['x'],
      outputs: [sharing(['code', 'committed']), sharing(['code', 'given up']), sharing()],
      subscribe: ['a/code'],
      verdicts: ['APPROVE', 'RETRY_PREDECESSOR x: Again.'],
    });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: Again.'] });
    await run([x, a, b]);
    expect(a.calls.map(({ attempt, revision }) => [attempt, revision?.previousOutput])).toEqual([
      [0, undefined],
      [1, 0],
      [1, 0],
    ]);
    expect(seenBy(a)).toEqual([[], ['a/code: committed'], ['a/code: committed']]);
  });

  it('of the phase itself are those of the attempt that raised the demand, if it has committed another', async () => {
    const own: Issue = { severity: 'low', description: 'A typo.' };
    const above: Issue = { severity: 'high', description: 'x is wrong.', affectedPhase: 'x' };
    const x = fake('x');
    const a = fake('a', {
      after: ['x'],
      outputs: [sharing(['code', 'committed']), sharing(['code', 'judged']), sharing()],
      subscribe: ['a/code'],
      verdicts: ['APPROVE', requestChanges([above, own])],
    });
    const b = fake('b', { after: ['a'], rewindTo: 'ancestors', verdicts: ['RETRY_PREDECESSOR x: Again.'] });
    await run([x, a, b]);
    expect(a.calls[2]?.revision?.issues).toMatchObject([own]);
    expect(seenBy(a)).toEqual([[], [], ['a/code: judged']]);
  });

  it('are replaced if their phase was sent back and approved again', async () => {
    const a = fake('a', { outputs: [sharing(['plan', 'v1']), sharing(['plan', 'v2'])] });
    const b = fake('b', { after: ['a'], subscribe: ['a/plan'], verdicts: ['RETRY_PREDECESSOR a: Again.'] });
    await run([a, b]);
    expect(seenBy(b)).toEqual([['a/plan: v1'], ['a/plan: v2']]);
  });

  it('stay the same while a phase retries on the same inputs', async () => {
    //  a ──▶ b (retries while a is approved again)
    //  └───▶ c (sends a back)
    const late = held();
    const a = fake('a', { outputs: [sharing(['plan', 'v1']), sharing(['plan', 'v2'])] });
    const b = fake('b', {
      after: ['a'],
      subscribe: ['a/plan'],
      outputs: [late.script],
      verdicts: ['RETRY: Again.'],
    });
    const c = fake('c', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: Again.'] });
    const { records, result } = await play([a, b, c], {
      when: { 'a approved v2 (unreviewed)': () => late.release('late') },
    });
    expect(result.status).toBe('completed');
    const order = records.flatMap(({ event }) =>
      (event.type === 'phase.approved' || event.type === 'phase.retrying') && event.phase !== 'c'
        ? `${event.phase} ${event.type}`
        : [],
    );
    expect(order.slice(0, 3)).toEqual(['a phase.approved', 'a phase.approved', 'b phase.retrying']);
    expect(seenBy(b)).toEqual([['a/plan: v1'], ['a/plan: v1']]);
  });

  it('are those of the best attempt if that one is accepted', async () => {
    const a = fake('a', {
      outputs: [sharing(['plan', 'good']), sharing(['plan', 'bad'])],
      reviewers: {
        judge: [
          { type: 'retry', feedback: 'Better.', score: 9 },
          { type: 'retry', feedback: 'Worse.', score: 2 },
        ],
      },
      maxRetries: 1,
      onExhausted: 'acceptBest',
    });
    const b = fake('b', { after: ['a'], subscribe: ['a/plan'] });
    const result = await run([a, b]);
    expect(result.outputs['a']).toEqual({ work: 0 });
    expect(seenBy(b)).toEqual([['a/plan: good']]);
  });

  it('are absent if the accepted best attempt has shared none', async () => {
    const a = fake('a', {
      outputs: [sharing(), sharing(['plan', 'bad'])],
      reviewers: {
        judge: [
          { type: 'retry', feedback: 'Better.', score: 9 },
          { type: 'retry', feedback: 'Worse.', score: 2 },
        ],
      },
      maxRetries: 1,
      onExhausted: 'acceptBest',
    });
    const b = fake('b', { after: ['a'], subscribe: ['a/plan'] });
    const result = await run([a, b]);
    expect(result.outputs['a']).toEqual({ work: 0 });
    expect(seenBy(b)).toEqual([[]]);
  });

  it('are those of the attempt that a person approves after a limit held the next one', async () => {
    const a = fake('a', { outputs: [sharing(['plan', 'v1'])], verdicts: ['RETRY: Again.'] });
    const b = fake('b', { after: ['a'], subscribe: ['a/plan'] });
    const { result } = await play([a, b], {
      limits: { corrections: 0 },
      policy: { onLimit: 'escalate' },
      when: { 'a escalated (limit): The limit of 0 for corrections is spent': (one) => one.decide('a', 'APPROVE') },
    });
    expect(result.status).toBe('completed');
    expect(seenBy(b)).toEqual([['a/plan: v1']]);
  });

  it('without subscribers are only in the records', async () => {
    const a = fake('a', { outputs: [sharing(['plan', 'v1'])] });
    const b = fake('b', { after: ['a'] });
    const { records } = await play([a, b]);
    expect(records.filter(({ event }) => event.type === 'task.reported')).toHaveLength(1);
    expect(seenBy(b)).toEqual([[]]);
  });
});

describe('definePipeline() refuses subscriptions', () => {
  const tasks = [task('work', { run: () => 'x' })];
  const problems = (subscribe: unknown) => {
    const one = phase('a/b', { tasks });
    const two = phase('a', { tasks, after: [one], subscribe: subscribe as string[] });
    const other = phase('other', { tasks });
    try {
      const { plan } = definePipeline({ name: 'p', phases: [one, two, other] });
      return plan.phases[1]?.subscribe;
    } catch (error) {
      return (error as { problems: readonly { code: string; message: string }[] }).problems.map(({ code }) => code);
    }
  };

  it('to unknown phases, to phases that are not upstream, and to nothing', () => {
    expect(problems(['c/plan'])).toEqual(['PREDECESSOR_UNKNOWN']);
    expect(problems(['plan'])).toEqual(['PREDECESSOR_UNKNOWN']);
    expect(problems(['a/'])).toEqual(['PREDECESSOR_UNKNOWN']);
    expect(problems(['other/plan'])).toEqual(['NOT_UPSTREAM']);
    expect(problems('a/plan')).toEqual(['OPTION_INVALID']);
    expect(problems([])).toBeUndefined();
  });

  it('and uses the longest phase name that matches', () => {
    expect(problems(['a/b/plan', 'a/bare', 'a/b'])).toEqual([
      { phase: 'a/b', artifact: 'plan' },
      { phase: 'a', artifact: 'bare' },
      { phase: 'a', artifact: 'b' },
    ]);
  });
});
