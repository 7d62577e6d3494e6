/** A level that sends an earlier one back: each starts from the commit that it started from before, or from the new one. */
import { expect, it } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import type { LevelReview } from '../../src/fleet/fleet-options.ts';
import { approve, policies, retryPredecessor, startRun } from '../../src/index.ts';
import { useFolder } from '../workspaces/rig.ts';
import { makeFleet } from './rig.ts';

const folder = useFolder();

it('a level that is sent back by a later one starts from its first base, and the later one from its new work', async () => {
  //  phase-1 (x) ──▶ phase-2 (y) ──▶ hand-over
  //     └◀─────────────┘ once
  const lab = await makeFleet(folder.path, {
    x: [{ files: { 'seen.txt': 'x 1\n', 'old.txt': 'x\n' } }, { files: { 'seen.txt': 'x 2\n' } }],
    y: [{ files: { 'y.txt': 'y 1\n' } }, { files: { 'y.txt': 'y 2\n' } }],
  });
  const plan = {
    goal: 'Write a text.',
    subtasks: [
      { id: 'x', title: 'Write x', description: '' },
      { id: 'y', title: 'Write y', description: '', depends_on: ['x'] },
    ],
  };
  const bases: string[] = [];
  const review = ({ context: { phase }, base }: LevelReview) => {
    bases.push(`${phase} ${base}`);
    return bases.length === 2 ? retryPredecessor('phase-1', 'Write 2 of x.') : approve();
  };
  const pipeline = compilePlan(plan, {
    ...lab.options,
    reviewers: [{ name: 'judge', review }],
    policy: { ...policies.phased, maxPredecessorRetries: 1 },
  });
  const result = await startRun(pipeline, { runId: 'run' }).result;
  expect(result.status).toBe('completed');
  const head = await lab.git('rev-parse', 'HEAD');
  const [, first = '', , second = ''] = bases;
  expect(bases).toEqual([`phase-1 ${head}`, first, `phase-1 ${head}`, second]);
  expect(first).not.toBe(second);
  const [again] = (await lab.calls('x')).slice(1);
  expect(again).toMatchObject({ seen: null, prompt: expect.stringContaining('Write 2 of x.') as string });
  expect((await lab.calls('y')).map(({ seen }) => seen)).toEqual(['x 1\n', 'x 2\n']);
  const files = await lab.filesAt('phasegate/run');
  expect(files).toMatchObject({ 'seen.txt': 'x 2', 'y.txt': 'y 2' });
  expect(files).not.toHaveProperty('old.txt');
  // The refs of all attempts are kept, as evidence.
  const refs = await lab.git('for-each-ref', '--format=%(refname)', 'refs/phasegate/run/attempts/phase-1');
  expect(refs.split('\n')).toHaveLength(2);
});
