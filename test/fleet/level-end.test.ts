import { expect, it } from 'vitest';
import { createLevelEnd } from '../../src/fleet/level-end.ts';
import { definePipeline, phase, startRun, task, type RetryPolicy } from '../../src/index.ts';

const RETRY: RetryPolicy = { attempts: 2, backoff: { first: 0 } };

/** Runs tasks of one phase. Each is a list of tries: true if the try succeeds. @returns The ends of tries, and of the run. */
async function runTasks(tasks: Readonly<Record<string, readonly (boolean | Error)[]>>): Promise<readonly string[]> {
  const end = createLevelEnd(RETRY);
  const made = Object.entries(tasks).map(([name, tries]) =>
    task(name, {
      retry: RETRY,
      run: (context) =>
        end(context, async () => {
          await Promise.resolve();
          const outcome = tries[context.try - 1];
          if (outcome !== true) throw outcome instanceof Error ? outcome : new Error(`${name} ${context.try}`);
        }),
    }),
  );
  const run = startRun(definePipeline({ name: 'p', phases: [phase('level', { tasks: () => made })] }));
  const ends: string[] = [];
  for await (const { event } of run) {
    if (event.type === 'task.completed' || event.type === 'task.failed') ends.push(`${event.type} ${event.task}`);
  }
  return [...ends, (await run.result).status];
}

it.each([
  ['others, also between their tries', { a: [false, false], b: [false, true] }, ['completed b', 'failed a']],
  ['others, if no try follows', { a: [final()], b: [false, true] }, ['completed b', 'failed a']],
  ['nobody, if nobody is left', { a: [false, false] }, ['failed a']],
])('the end of a task that fails waits for %s', async (_, tasks, ends) => {
  expect(await runTasks(tasks)).toEqual([...ends.map((one) => `task.${one}`), 'failed']);
});

it('tasks that fail do not wait for each other', async () => {
  const ends = await runTasks({ a: [false, false], b: [false, false] });
  expect(ends.at(-1)).toBe('failed');
  expect(ends).toContain('task.failed a');
});

// --- internal ---

function final(): Error {
  return Object.assign(new Error('No.'), { retryable: false });
}
