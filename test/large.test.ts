/** Runs of thousands of phases, corrections and retries: nothing overflows, and nothing is lost. */
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, startRun, task } from '../src/index.ts';

describe('many', () => {
  it('10 000 phases in a chain', async () => {
    const phases = Array.from({ length: 10_000 }, (_, index) =>
      phase(`p${index}`, {
        after: index === 0 ? [] : [`p${index - 1}`],
        tasks: [task('t', { run: () => index })],
      }),
    );
    const run = startRun(definePipeline({ name: 'chain', phases }));
    const result = await run.result;
    expect(result.status).toBe('completed');
    expect(result.metrics.attempts).toBe(10_000);
  });

  it('10 000 parallel phases, and one after them all', async () => {
    const phases = Array.from({ length: 10_000 }, (_, index) =>
      phase(`p${index}`, { tasks: [task('t', { run: () => index })] }),
    );
    const last = phase('last', {
      after: phases.map((one) => one.name),
      tasks: [task('sum', { run: ({ inputs }) => Object.keys(inputs).length })],
    });
    const result = await startRun(definePipeline({ name: 'fan', phases: [...phases, last] })).result;
    expect(result.outputs).toMatchObject({ last: { sum: 10_000 } });
  });

  it('2 000 phases that all send back the same one', async () => {
    const target = phase('target', { tasks: [task('t', { run: () => 1 })] });
    const phases = Array.from({ length: 2000 }, (_, index) => {
      let asked = 0;
      return phase(`p${index}`, {
        after: ['target'],
        tasks: [task('t', { run: () => index })],
        review: () => (asked++ === 0 ? 'RETRY_PREDECESSOR target: more' : 'APPROVE'),
      });
    });
    const result = await startRun(definePipeline({ name: 'crowd', phases: [target, ...phases] })).result;
    expect(result).toMatchObject({ status: 'completed', error: null, metrics: { corrections: 2000 } });
  });

  it('2 000 retries of one phase', async () => {
    let asked = 0;
    const one = phase('p', {
      tasks: [task('t', { run: () => asked })],
      review: { maxRetries: 'unlimited', by: () => (asked++ < 2000 ? `RETRY: more ${asked}` : 'APPROVE') },
    });
    const result = await startRun(definePipeline({ name: 'patience', phases: [one] })).result;
    expect(result.metrics.corrections).toBe(2000);
  });
});
