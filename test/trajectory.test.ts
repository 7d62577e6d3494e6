import { describe, expect, it } from 'vitest';
import { task, type TaskContext } from '../src/index.ts';
import { fake, play } from './rig.ts';

const again = 'RETRY: Again.';

/** Work that reports that number of observations. */
function walking(steps: number, name = 'page') {
  return ({ report }: TaskContext) => {
    for (let step = 1; step <= steps; step++) report({ observation: `${name} ${step}` });
    return steps;
  };
}

describe('observations of a task', () => {
  it('reach its next attempt: the first five, the last five, and the number between', async () => {
    const a = fake('a', { outputs: [walking(12), walking(2)], verdicts: [again, again], strategy: 'trajectory' });
    const { records } = await play([a]);
    expect(a.prompts[1]).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 2)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Feedback
      Again.

      ### Previous Output
      12

      ### Observations of the Previous Attempt
      1. page 1
      2. page 2
      3. page 3
      4. page 4
      5. page 5
      [… 2 left out …]
      8. page 8
      9. page 9
      10. page 10
      11. page 11
      12. page 12

      ## Task
      do a"
    `);
    expect(a.calls[2]?.revision?.trajectory).toEqual({ first: ['page 1', 'page 2'], last: [], omitted: 0 });
    expect(records.filter(({ event }) => event.type === 'task.reported' && event.observation)).toHaveLength(14);
  });

  it('are separate for each task', async () => {
    const seen: unknown[] = [];
    const tasks = ['left', 'right'].map((name) =>
      task(name, {
        run: (context: TaskContext) => {
          seen.push(context.revision?.trajectory?.first);
          return walking(1, name)(context);
        },
      }),
    );
    await play([fake('a', { tasks, verdicts: [again], strategy: 'trajectory' })]);
    expect(seen).toEqual([undefined, undefined, ['left 1'], ['right 1']]);
  });

  it('are those of the last try of the attempt', async () => {
    let tries = 0;
    const seen: unknown[] = [];
    const work = task('work', {
      retry: { attempts: 2 },
      run: ({ report, revision }) => {
        seen.push(revision?.trajectory?.first);
        tries += 1;
        report({ observation: `try ${tries}` });
        if (tries === 1) throw new Error('busy');
        return tries;
      },
    });
    await play([fake('a', { tasks: [work], verdicts: [again], strategy: 'trajectory' })]);
    expect(seen).toEqual([undefined, undefined, ['try 2']]);
  });

  it('are not stored for gates with another strategy, nor for reviewers', async () => {
    const watch = (context: TaskContext) => {
      walking(3, 'reviewer')(context);
      return context.attempt === 0 ? again : 'APPROVE';
    };
    const a = fake('a', { outputs: [walking(3)], verdicts: [again] });
    const b = fake('b', { verdicts: [watch, watch], strategy: 'trajectory' });
    await play([a, b]);
    expect(a.calls[1]?.revision).not.toHaveProperty('trajectory');
    expect(b.calls[1]?.revision).not.toHaveProperty('trajectory');
  });

  it('are cut in records if they are very long', async () => {
    const a = fake('a', { outputs: [({ report }: TaskContext) => report({ observation: 'x'.repeat(1_000_000) })] });
    const { records } = await play([a]);
    const [reported] = records.flatMap(({ event }) => (event.type === 'task.reported' ? [event.observation] : []));
    expect(reported).toHaveLength(15_999);
  });
});
