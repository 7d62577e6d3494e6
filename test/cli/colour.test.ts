import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { seesColours, seesTree } from '../../src/cli/run/reporter.ts';
import { files, phasegate } from './cli.ts';

const PIPELINE = `import { definePipeline, phase, task } from 'phasegate';
export default definePipeline({ name: 'it', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });`;

describe('colours', () => {
  it.each([
    [['check', 'p.mjs'], {}, false],
    [['check', 'p.mjs', '--color'], {}, true],
    [['--color', 'check', 'p.mjs'], {}, true],
    [['check', 'p.mjs', '--color'], { NO_COLOR: '1' }, true],
    [['check', 'p.mjs'], { FORCE_COLOR: '1' }, true],
    [['check', 'p.mjs'], { FORCE_COLOR: '0' }, false],
    [['check', 'p.mjs', '--no-color'], { FORCE_COLOR: '1' }, false],
    [['check', 'p.mjs', '--color', '--no-color'], {}, false],
  ] as const)('%j with %j: %j', async (args, env, expected) => {
    const cwd = await files({ 'p.mjs': PIPELINE });
    const { code, stdout, stderr } = await phasegate(args, { cwd, env });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.includes('\u001B[')).toBe(expected);
  });

  const terminal = Object.assign(new Writable(), { isTTY: true });

  it.each([
    [{}, true],
    [{ NO_COLOR: '' }, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: 'false' }, false],
  ])('are on a terminal with %j: %j', (env, expected) => {
    expect(seesColours(terminal, { env })).toBe(expected);
  });

  it.each([
    [{}, true],
    [{ CI: 'true' }, false],
    [{ CI: 'false' }, true],
    [{ CI: '' }, true],
    [{ TERM: 'dumb' }, false],
  ])('allow a live tree on a terminal with %j: %j', (env, expected) => {
    expect([seesTree(terminal, { env }), seesTree(new Writable(), { env })]).toEqual([expected, false]);
  });
});
