/** Pools of `phasegate work`. */
import { describe, expect, it } from 'vitest';
import { files, phasegate, says, start } from './cli.ts';

const PIPELINE = `
name: note
phases:
  - name: draft
    tasks: [{ name: write, pool: "the model", command: [node, -e, "console.log(1)"] }]
`;

describe('phasegate work --pool', () => {
  it('works on a pipeline in YAML whose task has a pool', async () => {
    const cwd = await files({ 'p.yaml': PIPELINE });
    const { stderr } = await phasegate(['run', 'p.yaml', '--detach', '--run-id', 'r'], { cwd });
    expect(stderr).toContain("phasegate work p.yaml --pool 'the model=<size>'");
    const worker = start(['work', 'p.yaml', '--pool', 'the model=1', '--pool', 'other=unlimited'], { cwd });
    await says(worker, 'r "note" completed');
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0 });
  });

  it('does not start without the size of a pool, and says what to give', async () => {
    const cwd = await files({ 'p.yaml': PIPELINE });
    const { code, stderr } = await phasegate(['work', 'p.yaml'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('Cannot start a worker for "note" as pool "the model" has no size');
    expect(stderr).toContain("phasegate work --pool 'the model=8'");
  });

  it.each(['model', '=3', 'model=0', 'model=1.5', 'model=', 'model=many'])('refuses %j', async (given) => {
    const cwd = await files({ 'p.yaml': PIPELINE });
    const { code, stderr } = await phasegate(['work', 'p.yaml', '--pool', given], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('It must be a name and a size, such as openai=8');
  });
});
