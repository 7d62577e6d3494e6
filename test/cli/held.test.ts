/** Runs with a limit that holds tries with an estimate, while nobody can be asked. */
import { describe, expect, it } from 'vitest';
import { files, phasegate, untimed } from './cli.ts';

const PHASES = {
  'beside each other': `[phase('a', { tasks: [paid('t')] }), phase('b', { tasks: [paid('t')] })]`,
  'one after the other': `[phase('a', { tasks: [paid('t')] }), phase('b', { after: ['a'], tasks: [paid('t')] })]`,
  'trying again': `[phase('a', { tasks: [task('t', { estimate, retry: { attempts: 2 }, run: pays(() => { throw new Error('x'); }) })] })]`,
};

/** Returns a module whose limit has room for one try of two. */
function moduleOf(phases: string): string {
  return `import { existsSync, writeFileSync } from 'node:fs';
    import { approve, definePipeline, phase, retry, task } from 'phasegate';
    const was = new URL('was', import.meta.url);
    const estimate = { costUsd: 0.6 };
    const later = (value) => new Promise((done) => setTimeout(done, 400, value));
    const pays = (then) => ({ report }) => { report({ costUsd: 0.6 }); return then(); };
    const paid = (name) => task(name, { estimate, run: pays(() => name) });
    export default definePipeline({ name: 'p', limits: { costUsd: 1 }, policy: { onLimit: 'escalate' }, phases: ${phases} });`;
}

describe('a run that a limit holds before a try', () => {
  it.each(Object.entries(PHASES))('is left and prints the command that answers, %s', async (_, phases) => {
    const cwd = await files({ 'p.mjs': moduleOf(phases) });
    const { code, stdout } = await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    expect(stdout).toMatch(/‖ costUsd waits for a person: .*\n {4}answer with: phasegate inbox answer r1:\d+\n/u);
    expect(stdout).toContain('resume with: phasegate resume r1\n');
    expect(code).toBe(3);
  });

  it('waits again when it is resumed, and continues once somebody has lifted the limit', async () => {
    const cwd = await files({ 'p.mjs': moduleOf(PHASES['beside each other']) });
    await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    expect(await phasegate(['resume', 'r1'], { cwd })).toMatchObject({ code: 3 });
    await phasegate(['inbox', 'answer', 'r1:', '--approve'], { cwd });
    expect(await phasegate(['resume', 'r1'], { cwd })).toMatchObject({ code: 0 });
  });

  it.each([
    [
      'tasks',
      `[phase('a', { tasks: [paid('t'), paid('u'), task('slow', { run: () => later('slow') })] })]`,
      'a: slow done',
    ],
    [
      'reviewers',
      `[phase('a', { tasks: [paid('t')], review: { by: [
        task('free', { run: async ({ report }) => { await later(); report({ progress: 'has read it' }); return approve(); } }),
        task('costly', { estimate, run: () => approve() }),
      ] } })]`,
      'has read it',
    ],
  ])('waits for running tries first: %s', async (_, phases, text) => {
    const cwd = await files({ 'p.mjs': moduleOf(phases) });
    const { code, stdout } = await phasegate(['run', 'p.mjs'], { cwd });
    expect(untimed(stdout).join('\n')).toContain(text);
    expect(stdout).toContain('‖ costUsd waits for a person');
    expect(code).toBe(3);
  });

  it.each([
    [
      'tries that wait for their turn',
      `[phase('b', { tasks: [paid('t'), paid('u'), task('poor', { run: () => { if (!existsSync(was)) { writeFileSync(was, ''); throw new Error('x'); } return 1; }, retry: { attempts: 2, backoff: { first: 400 } } })] })]`,
      'b: poor done',
    ],
    [
      'reviewers',
      `[phase('a', { tasks: [paid('t')], review: { by: [
        task('costly', { estimate, run: () => approve() }),
        task('free', { run: ({ report }) => { report({ progress: 'has read it' }); return approve(); } }),
      ] } })]`,
      'has read it',
    ],
  ])('begins no further try until somebody has lifted the limit: %s', async (_, phases, text) => {
    const cwd = await files({ 'p.mjs': moduleOf(phases) });
    const held = await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    expect(held.stdout).toContain('‖ costUsd waits for a person');
    expect(held.stdout).not.toContain(text);
    expect(held.code).toBe(3);
    await phasegate(['inbox', 'answer', 'r1:', '--approve'], { cwd });
    const { code, stdout } = await phasegate(['resume', 'r1'], { cwd });
    expect(stdout).toContain(text);
    expect(code).toBe(0);
  });

  it('is cancelled if it has no store', async () => {
    const cwd = await files({ 'p.mjs': moduleOf(PHASES['beside each other']) });
    const { code, stdout } = await phasegate(['run', 'p.mjs', '--no-store'], { cwd });
    expect(stdout).toContain('"costUsd" waits for a person, but nobody can be asked');
    expect(code).toBe(1);
  });
});
