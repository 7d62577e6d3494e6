/** Facts about the repository and the plan that people and agents are told when a run starts. */
import { describe, expect, it } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import { planGoal } from '../../src/fleet/plan-goal.ts';
import { approve, retry, startRun } from '../../src/index.ts';
import { useFolder } from '../workspaces/rig.ts';
import { makeFleet } from './rig.ts';

const folder = useFolder();

const LEFT_OUT =
  "The user's uncommitted work is not part of the run: 0 changed files and 1 untracked path. Nobody may assume that it is there.";

/** Two subtasks that may change the same file, so that the later one waits. */
const PLAN = {
  goal: 'Write a text.',
  subtasks: ['x', 'y'].map((id) => ({ id, title: `Write ${id}`, description: '', files_touched: ['texts/'] })),
};

describe('the start of a fleet', () => {
  it('warns once of uncommitted work and of waits, also if its first level works again', async () => {
    const lab = await makeFleet(folder.path, {
      x: [{ files: { 'texts/x.txt': 'x\n' } }, { files: { 'texts/x.txt': 'x 2\n' } }],
      y: [{ files: { 'texts/y.txt': 'y\n' } }],
    });
    await lab.put('mine.txt', 'mine\n');
    const reviewers = [
      {
        name: 'judge',
        review: ({ context: { phase, attempt } }: { readonly context: { phase: string; attempt: number } }) =>
          phase === 'phase-1' && attempt === 0 ? retry('Again.') : approve(),
      },
    ];
    const { status, warnings } = await startRun(compilePlan(PLAN, { ...lab.options, reviewers })).result;
    expect(status).toBe('completed');
    expect(warnings).toEqual(
      [LEFT_OUT, 'y waits for x, as both touch texts/.'].map((message) => ({
        phase: 'phase-1',
        code: 'WORKSPACE_NOTE',
        message,
      })),
    );
    const calls = [...(await lab.calls('x')), ...(await lab.calls('y'))];
    expect(calls.map(({ prompt }) => prompt.includes(`- ${LEFT_OUT}`))).toEqual([true, true, true]);
  });

  it('warns while a goal is planned, and tells the architect', async () => {
    const plan = { goal: 'Write a text.', subtasks: [{ id: 'x', title: 'Write x', description: '' }] };
    const lab = await makeFleet(folder.path, { plan: [{ say: `\`\`\`json\n${JSON.stringify(plan)}\n\`\`\`` }] });
    await lab.put('mine.txt', 'mine\n');
    const pipeline = planGoal('Write a text.', { ...lab.options, planOnly: true, approval: false });
    const { warnings } = await startRun(pipeline).result;
    expect(warnings).toEqual([{ phase: 'plan', code: 'WORKSPACE_NOTE', message: LEFT_OUT }]);
    const [first] = await lab.calls('plan');
    expect(first?.prompt).toContain(`Change no files.\n\n- ${LEFT_OUT}\n\n`);
  });
});
