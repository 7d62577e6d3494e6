import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import { memoryStore, resumeRun, startRun, type Pipeline } from '../../src/index.ts';
import { useFolder } from '../workspaces/rig.ts';
import { BLOG, BLOG_SCRIPTS, makeFleet } from './rig.ts';

const folder = useFolder();

describe('a fleet that is interrupted', () => {
  it('does no subtask again whose work is kept', async () => {
    const lab = await makeFleet(folder.path, {
      ...BLOG_SCRIPTS,
      '2b': [{ wait: true }, { files: { 'cli/main.txt': 'main\n' } }],
    });
    const store = memoryStore();
    const pipeline = (): Pipeline => compilePlan(BLOG, lab.options);
    const run = startRun(pipeline(), { store, runId: 'left' });
    for await (const { event } of run) {
      const done = run.snapshot().phases['phase-2']?.done ?? [];
      if (event.type === 'task.completed' && done.includes('2a') && done.includes('2c')) break;
    }
    run.suspend();
    await run.result;
    const again = await resumeRun(store, 'left', pipeline());
    expect((await again.result).status).toBe('completed');
    const counts = await Promise.all(['1', '2a', '2b', '2c', '3'].map(async (id) => (await lab.calls(id)).length));
    expect(counts).toEqual([1, 1, 2, 1, 1]);
  });

  it('stops the agents of a level when one of them fails, and leaves their folders', async () => {
    const lab = await makeFleet(folder.path, {
      ...BLOG_SCRIPTS,
      '2a': [{ after: '2b', fail: true, say: 'Cannot do it.' }],
      '2b': [{ files: { 'cli/half.txt': 'half\n' }, wait: true }],
    });
    const result = await startRun(compilePlan(BLOG, lab.options), { runId: 'run' }).result;
    expect(result.status).toBe('failed');
    expect(result.phases['phase-2']?.error).toMatchObject({ code: 'AGENT_FAILED' });
    expect(await lab.calls('3')).toEqual([]);
    const left = await lab.options.workspace.list(new AbortController().signal);
    const stopped = left.find(({ place }) => place.task === '2b');
    expect(stopped?.state).toBe('left');
    expect(await readFile(join(stopped?.path ?? '', 'cli/half.txt'), 'utf8')).toBe('half\n');
  });

  it('lets the agents of a level end first with onFailure: finish-level', async () => {
    const lab = await makeFleet(folder.path, {
      ...BLOG_SCRIPTS,
      '2a': [{ fail: true }],
      '2b': [{ after: '2a', files: { 'cli/main.txt': 'main\n' } }],
      '2c': [{ after: '2b', fail: true }, { files: { 'test/unit/user.txt': 'unit\n' } }],
    });
    const retry = { attempts: 2, backoff: { first: 1 } };
    const pipeline = compilePlan(BLOG, { ...lab.options, retry, onFailure: 'finish-level' });
    const run = startRun(pipeline, { runId: 'run' });
    const ends: string[] = [];
    for await (const { event } of run) {
      if (event.type === 'task.completed' || event.type === 'task.failed') ends.push(`${event.type} ${event.task}`);
    }
    expect((await run.result).status).toBe('failed');
    expect(ends.slice(-3).toSorted()).toEqual(['task.completed 2b', 'task.completed 2c', 'task.failed 2a']);
    expect(ends.at(-1)).toBe('task.failed 2a');
    expect(await lab.git('for-each-ref', '--format=%(refname)', 'refs/phasegate/run/attempts/phase-2')).toMatch(
      /\/2b\/.*\n.*\/2c\//u,
    );
    expect(await lab.calls('3')).toEqual([]);
  });
});
