import { describe, expect, it } from 'vitest';
import { definePipeline, phase, task, type ReflectContext } from '../src/index.ts';
import { crashAfter, rehearse } from '../src/testing.ts';
import { fake, never, play, type Fake } from './rig.ts';

const again = 'RETRY: Name a number.';

/** A reflect call that numbers its answers, and stores its contexts. */
function reflector(say: (number: number) => unknown = (number) => `lesson ${number}`) {
  const calls: ReflectContext[] = [];
  return {
    calls,
    reflect: (context: ReflectContext) => {
      calls.push(context);
      return say(calls.length) as string;
    },
  };
}

/** Returns the reflections that each attempt received. */
function reflectionsOf({ calls }: Fake) {
  return calls.map(({ revision }) => revision?.reflections);
}

describe('a gate with a reflect call', () => {
  it('calls it before each attempt that was sent back, and gives tasks the last three reflections', async () => {
    const { reflect, calls } = reflector();
    const free = { maxRetries: 4, loopAfter: 'unlimited' } as const;
    const a = fake('a', { verdicts: [again, again, again, again], ...free, strategy: 'reflexion', reflect });
    const { lines } = await play([a]);
    expect(lines).toEqual([
      'a started 0',
      ...[1, 2, 3, 4].flatMap((number) => [
        'a retrying: Name a number.',
        `a started ${number}: Name a number.`,
        `a reflected: lesson ${number}`,
      ]),
      'a approved v1',
      'run completed',
    ]);
    expect(reflectionsOf(a)).toEqual([
      undefined,
      ['lesson 1'],
      ['lesson 1', 'lesson 2'],
      ['lesson 1', 'lesson 2', 'lesson 3'],
      ['lesson 2', 'lesson 3', 'lesson 4'],
    ]);
    expect(calls.map((one) => one.reflections)).toEqual([
      [],
      ['lesson 1'],
      ['lesson 1', 'lesson 2'],
      ['lesson 1', 'lesson 2', 'lesson 3'],
    ]);
    expect(a.prompts[2]).toContain('### Reflections on Rejected Attempts\n- lesson 1\n- lesson 2\n\n## Task\ndo a');
  });

  it('gives it the rejected outputs, and the reason', async () => {
    const { reflect, calls } = reflector();
    const a = fake('a', { outputs: ['first', 'second'], verdicts: [again, again], strategy: 'reflexion', reflect });
    await play([a]);
    expect(
      calls.map(({ prompt, outputs, feedback, rejected, attempt }) => ({
        prompt,
        outputs,
        feedback,
        rejected,
        attempt,
      })),
    ).toEqual([
      { prompt: 'do a', outputs: { work: 'first' }, feedback: 'Name a number.', rejected: 0, attempt: 1 },
      { prompt: 'do a', outputs: { work: 'second' }, feedback: 'Name a number.', rejected: 1, attempt: 2 },
    ]);
    expect(calls[1]?.revision.history).toHaveLength(2);
    expect(calls[0]?.idempotencyKey).toContain('/reflect/reflect');
  });

  it('calls it for a phase that a later one has sent back, with its committed outputs', async () => {
    const { reflect, calls } = reflector();
    const a = fake('a', { outputs: ['v1', 'v2'], verdicts: [], strategy: 'lastAttemptAndReflexion', reflect });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: Name a number.'] });
    const { lines } = await play([a, b]);
    expect(lines).toContain('a reflected: lesson 1');
    expect(calls[0]).toMatchObject({ outputs: { work: 'v1' }, feedback: 'Name a number.', rejected: 0, generation: 1 });
    expect(a.prompts[1]).toContain('- lesson 1\n\n### Previous Output\nv1\n');
  });

  it('keeps reflections over generations, and not for other phases', async () => {
    const { reflect } = reflector();
    const a = fake('a', { verdicts: [again, 'APPROVE', 'APPROVE'], strategy: 'reflexion', reflect });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: Again.'] });
    await play([a, b]);
    expect(reflectionsOf(a)).toEqual([undefined, ['lesson 1'], ['lesson 1', 'lesson 2']]);
    expect(reflectionsOf(b)).toEqual([undefined, undefined]);
  });

  it('charges its usage to the phase, for limits as well', async () => {
    const reflect = ({ report }: ReflectContext) => {
      report({ tokens: 5, costUsd: 2, progress: 'thinking' });
      return 'learned';
    };
    const a = fake('a', { verdicts: [again], strategy: 'reflexion', reflect });
    const { result, records } = await play([a]);
    expect(result.phases['a']).toMatchObject({ tokens: 5, costUsd: 2 });
    const reported = records.filter(({ event }) => event.type === 'task.reported');
    expect(reported).toMatchObject([{ event: { task: 'reflect', attempt: 1, reviewer: false } }]);
    const b = fake('b', { verdicts: [again], strategy: 'reflexion', reflect });
    const spent = await play([b], { limits: { costUsd: 1 } });
    expect(spent.result).toMatchObject({ status: 'exhausted', limit: 'costUsd' });
    expect(b.calls).toHaveLength(1);
  });

  it('retries a reflecting task by its own policy', async () => {
    const { reflect, calls } = reflector((number) => {
      if (number === 1) throw new Error('busy');
      return 'learned';
    });
    const reflecting = task('think', { run: reflect, retry: { attempts: 2, backoff: { first: 50 } } });
    const a = fake('a', { verdicts: [again], strategy: 'reflexion', reflect: reflecting });
    const { lines } = await play([a], { detail: ['tasks'] });
    expect(lines).toContain('a/think again in 50 with TASK_FAILED');
    expect(calls).toHaveLength(2);
    expect(reflectionsOf(a)).toEqual([undefined, ['learned']]);
  });
});

describe('a reflect call that fails', () => {
  it.each([
    ['throws', (): unknown => Promise.reject(new Error('no model'))],
    ['says nothing', (): unknown => ' '],
    ['says something else than text', (): unknown => ({ text: 'learned' })],
    ['never ends', (): unknown => never()],
  ] as const)('is warned of where it %s, and the attempt works without', async (_, run) => {
    const reflect = task('reflect', { run, timeout: 1000 });
    const a = fake('a', { verdicts: [again], strategy: 'reflexion', reflect });
    const { lines, result } = await play([a]);
    expect(lines.slice(2, 5)).toEqual(['a started 1: Name a number.', 'a warned REFLECTION_FAILED', 'a reflected: -']);
    expect(result).toMatchObject({ status: 'completed' });
    expect(a.prompts[1]).toContain('Name a number.');
  });

  it('is aborted when its run is cancelled', async () => {
    let aborted = false;
    const reflect = ({ signal }: ReflectContext): Promise<string> => {
      signal.addEventListener('abort', () => (aborted = true));
      return never();
    };
    const a = fake('a', { verdicts: [again], strategy: 'reflexion', reflect });
    const { result } = await play([a], { when: { 'a started 1: Name a number.': (run) => run.cancel('enough') } });
    expect(result.status).toBe('cancelled');
    expect(aborted).toBe(true);
    expect(a.calls).toHaveLength(1);
  });

  it('is cut if its answer is too long', async () => {
    const a = fake('a', { verdicts: [again], strategy: 'reflexion', reflect: () => 'x'.repeat(10_000) });
    await play([a]);
    expect(reflectionsOf(a)[1]?.[0]).toHaveLength(1999);
  });
});

describe('a run that is resumed', () => {
  it('does not reflect again on the same correction', async () => {
    const review = { by: () => 'APPROVE', strategy: 'reflexion', reflect: () => 'lesson' } as const;
    const work = task('work', { run: () => 'done' });
    const run = await rehearse(definePipeline({ name: 'p', phases: [phase('a', { tasks: [work], review })] }), {
      tasks: { work: 'done' },
      reviews: { a: [again, 'APPROVE'] },
      reflections: { a: ['lesson 1'] },
      crashes: [crashAfter('task.started', 2)],
    });
    expect(run.result.status).toBe('completed');
    expect(run.records.filter(({ event }) => event.type === 'task.started')).toHaveLength(3);
    expect(run.prompts('work').at(-1)).toContain('- lesson 1');
  });
});

describe('definePipeline()', () => {
  const tasks = [task('work', { description: 'Work.', run: () => 'x' })];
  const codes = (review: object, policy = {}) => {
    try {
      definePipeline({
        name: 'p',
        phases: [phase('a', { tasks, review: { by: () => 'APPROVE', ...review } })],
        policy,
      });
      return [];
    } catch (error) {
      return (error as { problems: readonly { code: string }[] }).problems.map(({ code }) => code);
    }
  };

  it('refuses a strategy with reflections if the gate does not reflect, and vice versa', () => {
    const reflect = () => 'x';
    expect(codes({ strategy: 'reflexion' })).toEqual(['REFLECT_MISSING']);
    expect(codes({}, { strategy: 'lastAttemptAndReflexion' })).toEqual(['REFLECT_MISSING']);
    expect(codes({ reflect })).toEqual(['REFLECT_UNUSED']);
    expect(codes({ reflect, strategy: 'fresh' }, { strategy: 'reflexion' })).toEqual(['REFLECT_UNUSED']);
    expect(codes({ reflect }, { strategy: 'reflexion' })).toEqual([]);
    expect(codes({ reflect: 'x', strategy: 'reflexion' })).toContain('OPTION_INVALID');
    expect(codes({ reflect, strategy: 'reflexion' }, { nothing: 1, strategy: 'reflexion' })).toEqual([
      'OPTION_INVALID',
    ]);
  });

  it('refuses a reflect call with the name of a task', () => {
    expect(codes({ reflect: task('work', { run: () => 'x' }), strategy: 'reflexion' })).toEqual(['NAME_DUPLICATE']);
  });
});
