/** `phasegate diff` of one task, as two phases may have tasks of one name. */
import { describe, expect, it } from 'vitest';
import { yamlLab } from '../workspaces/yaml-lab.ts';

/** one ──▶ two ──▶ three: the first two have a task `code`. */
const TWICE = `
name: twice
workspace: worktree
phases:
  - { name: one, tasks: [{ name: code, agent: <agent>, prompt: One. }] }
  - name: two
    after: [one]
    tasks: [{ name: code, agent: <agent>, prompt: Two. }]
  - { name: three, after: [two], tasks: [{ name: docs, agent: <agent>, prompt: Docs. }] }
`;

const ACTS = {
  code: [{ write: { 'one.txt': 'one\n' } }, { write: { 'two.txt': 'two\n' } }],
  docs: [{ write: { 'docs.txt': 'docs\n' } }],
};

describe('phasegate diff', () => {
  it('shows the work of a task by its phase, and of a name that two phases have shows neither', async () => {
    const { run } = await yamlLab(TWICE, ACTS);
    expect((await run('run', 'p.yaml', '--run-id', 'm1')).code).toBe(0);
    const shown = async (task: string) => (await run('diff', 'm1', task, '--stat')).stdout;
    expect(await shown('one/code')).toBe('one.txt  +1 -0\n');
    expect(await shown('two/code')).toBe('two.txt  +1 -0\n');
    expect([await shown('docs'), await shown('three/docs')]).toEqual(Array(2).fill('docs.txt  +1 -0\n'));
    const several = await run('diff', 'm1', 'code');
    expect([several.code, several.stdout]).toEqual([2, '']);
    expect(several.stderr).toContain(`Cannot show changes of "code" as several phases of run m1 have a task of that name
Name one of them: one/code, two/code.
`);
    const unknown = await run('diff', 'm1', 'one/docs');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('has no work of such a task\nThose with work are one/code, two/code, docs.\n');
  });
});
