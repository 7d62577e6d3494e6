import { describe, expect, it } from 'vitest';
import { definePipeline, memoryStore, phase, resumeRun, retry, startRun, task, type Run } from '../src/index.ts';

describe('resumeRun()', () => {
  it('goes on', async () => {
    const store = memoryStore();
    const calls: string[] = [];
    let stop: (() => void) | undefined;
    const make = (block: boolean) =>
      definePipeline({
        name: 'p',
        phases: [
          phase('a', {
            tasks: [
              task('t', {
                run: ({ attempt }) => {
                  calls.push(`a${attempt}`);
                  return attempt;
                },
              }),
            ],
            review: ({ attempt }) => (attempt < 1 ? retry('more') : 'APPROVE'),
          }),
          phase('b', {
            after: ['a'],
            tasks: [
              task('x', {
                run: () => {
                  calls.push('bx');
                  return 1;
                },
              }),
              task('y', {
                after: ['x'],
                run: async ({ idempotencyKey }) => {
                  calls.push(`by ${idempotencyKey}`);
                  if (block) {
                    stop?.();
                    await new Promise(() => undefined);
                  }
                  return 2;
                },
              }),
            ],
          }),
        ],
      });
    const run = startRun(make(true), { store, runId: 'r' });
    await new Promise<void>((resolve) => (stop = resolve));
    run.suspend();
    expect((await run.result).status).toBe('suspended');
    const again: Run<unknown> = await resumeRun(store, 'r', make(false));
    const result = await again.result;
    expect(result.status).toBe('completed');
    expect(calls).toEqual(['a0', 'a1', 'bx', 'by r/b/0/0/task/y', 'by r/b/0/0/task/y']);
    expect(await store.run('r')).toMatchObject({ status: 'completed', lease: undefined, approved: 2, phases: 2 });
  });
});
