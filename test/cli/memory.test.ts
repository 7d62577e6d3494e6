/** Memories of runs, listed and forgotten. */
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/sqlite.ts';
import { files, main, phasegate } from './cli.ts';

/** The URL of the built library, for files in another folder. */
const LIBRARY = main.replace('cli/main.js', 'index.js');

const PIPELINE = `
import { definePipeline, phase, task } from ${JSON.stringify(LIBRARY)};
export default definePipeline({ name: 'letter', phases: [
  phase('draft', {
    tasks: [task('text', { run: ({ revision }) => (revision?.reflections ?? []).join('; ') })],
    review: {
      by: ({ attempt }) => (attempt === 0 ? 'RETRY: shorter' : 'APPROVE'),
      strategy: 'reflexion',
      reflect: ({ run }) => \`I learned\\x1b[31m\\nthis in \${run}.\`,
    },
  }),
] });
`;

describe('phasegate memory', () => {
  it('lists memories, and forgets them', async () => {
    const cwd = await files({ 'p.mjs': PIPELINE });
    for (const run of ['r1', 'r2']) expect((await phasegate(['run', 'p.mjs', '--run-id', run], { cwd })).code).toBe(0);
    const listed = await phasegate(['memory'], { cwd });
    expect(listed.stdout).toMatch(
      /^draft of "letter" in scope "default", run r1, .* ago\n {2}I learned.*this in r1\.\ndraft of "letter" in scope "default", run r2, .* ago\n {2}I learned.*this in r2\.\n$/u,
    );
    expect(listed.stdout).not.toContain('\x1b[31m');
    const second = await phasegate(['memory', 'ls', '--run', 'r2', '--json'], { cwd });
    expect(JSON.parse(second.stdout)).toMatchObject({ pipeline: 'letter', phase: 'draft', runId: 'r2' });

    expect((await phasegate(['rm', 'r1'], { cwd })).code).toBe(0);
    const refused = await phasegate(['memory', 'rm'], { cwd });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--all');
    expect(await phasegate(['memory', 'rm', '--run', 'r1'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'forgot 1 reflection\n',
    });
    expect(await phasegate(['memory', 'rm', '--pipeline', 'other'], { cwd })).toMatchObject({
      stdout: 'forgot 0 reflections\n',
    });
    expect(await phasegate(['memory', 'rm', '--all'], { cwd })).toMatchObject({ stdout: 'forgot 1 reflection\n' });
    expect((await phasegate(['memory', 'ls'], { cwd })).stdout).toBe('no memories\n');
    expect((await phasegate(['memory', 'ls', '--json'], { cwd })).stdout).toBe('');

    const store = sqliteStore(`${cwd}/.phasegate/runs.db`);
    expect(await store.read('r2')).not.toEqual([]);
    await store.close();
  });

  it('belongs to a scope, and is off without one', async () => {
    const cwd = await files({ 'p.mjs': PIPELINE });
    const runs = [
      ['r1', '--memory', 'acme'],
      ['r2', '--memory', 'globex'],
      ['r3', '--no-memory'],
    ] as const;
    for (const [run, ...flags] of runs)
      expect((await phasegate(['run', 'p.mjs', '--run-id', run, ...flags], { cwd })).code).toBe(0);
    const lines = async (...flags: string[]) =>
      (await phasegate(['memory', 'ls', '--json', ...flags], { cwd })).stdout.split('\n').filter(Boolean);
    expect((await lines()).map((one) => (JSON.parse(one) as { readonly scope: string }).scope)).toEqual([
      'acme',
      'globex',
    ]);
    expect(await lines('--scope', 'acme')).toHaveLength(1);
    const removed = await phasegate(['memory', 'rm', '--scope', 'globex'], { cwd });
    expect(removed).toMatchObject({ code: 0, stdout: 'forgot 1 reflection\n' });
    expect(await lines('--scope', 'globex')).toEqual([]);
    const recalled = JSON.parse((await phasegate(['events', 'r2', '--json'], { cwd })).stdout.split('\n')[0] ?? '') as {
      readonly event: { readonly memory?: string };
    };
    expect(recalled.event.memory).toBe('globex');
  });
});
