import { describe, expect, it, vi } from 'vitest';
import { planGoal } from '../../src/fleet/plan-goal.ts';
import type { WorkPlanInput } from '../../src/fleet/work-plan.ts';
import { approve, memoryStore, reject, resumeRun, startRun } from '../../src/index.ts';
import { answerItem } from '../../src/inbox.ts';
import { useFolder } from '../workspaces/rig.ts';
import { makeFleet, type Act } from './rig.ts';

const folder = useFolder();

/** An architect's answer with a plan. */
function planned(plan: WorkPlanInput, files: Act['files'] = {}): Act {
  return { say: `Here it is.\n\`\`\`json\n${JSON.stringify(plan)}\n\`\`\``, files };
}

const one = (title: string): WorkPlanInput => ({
  goal: 'Write a text.',
  subtasks: [{ id: 'x', title, description: `Write ${title}.` }],
});

describe('planGoal()', () => {
  it('has the goal planned, asks a person with the bounds, and does the work in a run of its own', async () => {
    const lab = await makeFleet(folder.path, {
      // The files of an architect are not kept.
      plan: [planned(one('x'), { 'notes.txt': 'mine\n' })],
      x: [{ files: { 'x.txt': 'x\n' } }],
    });
    await lab.git('checkout', '--quiet', '--detach');
    const store = memoryStore();
    const pipeline = () => planGoal('Write a text.', lab.options);
    const run = startRun(pipeline(), { store, runId: 'goal' });
    for await (const { event } of run) if (event.type === 'task.asked') break;
    expect(run.snapshot().phases['plan']?.decisions).toEqual([]);
    expect(await lab.calls('x')).toEqual([]);
    run.suspend();
    await run.result;

    const [item] = await store.inbox({ open: true });
    expect(item).toMatchObject({ runId: 'goal' });
    const bounds = (await store.read('goal')).flatMap(({ event }) =>
      event.type === 'task.completed' && event.task === 'bounds' ? [event.output] : [],
    );
    expect(bounds).toEqual([
      {
        bounds: [
          'Phase 1: x x',
          'At worst: 2 turns of agents, with their tries, and 0 reviews',
          'Cost: unknown, as there is no estimate; a limit of the run would bound it',
        ],
      },
    ]);
    const warned = (await store.read('goal')).filter(({ event }) => event.type === 'phase.warned');
    const message = "The user's HEAD is on no branch.";
    expect(warned).toMatchObject([{ event: { phase: 'plan', code: 'WORKSPACE_NOTE', message } }]);
    await answerItem(store, item?.id ?? '', { type: 'decide', decision: approve() });
    const result = await (await resumeRun(store, 'goal', pipeline())).result;
    expect(result).toMatchObject({
      status: 'completed',
      outputs: { work: { fleet: { run: 'goal/work/0/0/task/fleet', branch: 'phasegate/goal' } } },
    });
    const files = await lab.filesAt('phasegate/goal');
    expect(files).toMatchObject({ 'x.txt': 'x' });
    expect(files).not.toHaveProperty('notes.txt');
    expect(await lab.options.workspace.list(new AbortController().signal)).toEqual([]);
  });

  it('sends an invalid plan back to the architect with all of its problems', async () => {
    const bad = { ...one('x'), subtasks: [{ id: 'x', title: 'x', description: '', depends_on: ['y', 'x'] }] };
    const lab = await makeFleet(folder.path, {
      plan: [planned(bad), planned(one('x'))],
      x: [{ files: { 'x.txt': 'x\n' } }],
    });
    const result = await startRun(planGoal('Write a text.', { ...lab.options, approval: false })).result;
    expect(result.status).toBe('completed');
    const [, second] = await lab.calls('plan');
    expect(second?.prompt).toContain('DEPENDENCY_UNKNOWN: subtask "x" depends on "y", which is not in the plan.');
    expect(second?.prompt).toContain('DEPENDENCY_CYCLE: subtask "x" depends on itself.');
  });

  it('sends a plan back that a person has made invalid, with all of its problems', async () => {
    const lab = await makeFleet(folder.path, {
      plan: [planned(one('x')), planned(one('x'))],
      x: [{ files: { 'x.txt': 'x\n' } }],
    });
    const run = startRun(planGoal('Write a text.', lab.options), { runId: 'edited' });
    const asked = async () =>
      vi.waitFor(
        () => {
          const [item] = run.inbox();
          if (!item) throw new Error('Nobody is asked.');
          return item;
        },
        { timeout: 60_000, interval: 20 },
      );
    const subtasks = [{ id: 'x', title: 'x', description: '', depends_on: ['y', 'x'] }];
    const plan = { goal: 'Write a text.', subtasks };
    const first = await asked();
    await run.answer(first.id, { type: 'decide', decision: approve(), outputs: { plan } });
    await vi.waitUntil(async () => (await lab.calls('plan')).length === 2, { timeout: 60_000, interval: 20 });
    const second = await asked();
    expect(second.id).not.toBe(first.id);
    await run.answer(second.id, { type: 'decide', decision: approve() });
    expect((await run.result).status).toBe('completed');
    const prompt = (await lab.calls('plan'))[1]?.prompt;
    expect(prompt).toContain('DEPENDENCY_UNKNOWN: subtask "x" depends on "y", which is not in the plan.');
    expect(prompt).toContain('DEPENDENCY_CYCLE: subtask "x" depends on itself.');
  });

  it('sends the plan back once if its work is rejected, with the reason', async () => {
    const lab = await makeFleet(folder.path, {
      plan: [planned(one('wrong')), planned(one('right'))],
      x: [{ files: { 'x.txt': 'x\n' } }],
    });
    const review = ({ subtasks }: { readonly subtasks: readonly { readonly title: string }[] }) =>
      subtasks[0]?.title === 'wrong' ? reject('Nobody needs that.') : approve();
    const options = { ...lab.options, approval: false, reviewers: [{ name: 'judge', review }] };
    const store = memoryStore();
    const result = await startRun(planGoal('Write a text.', options), { store, runId: 'again' }).result;
    expect(result.status).toBe('completed');
    const [, second] = await lab.calls('plan');
    expect(second?.prompt).toContain('Nobody needs that.');
    expect(
      (await store.runs()).map(({ runId, status }) => `${runId} ${status}`).toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['again completed', 'again/work/0.1/0/task/fleet completed', 'again/work/0/0/task/fleet rejected']);
  });

  it.each([
    ['keeps approved work of a plan that changes later', 'Write a.', [1, 1, 2]],
    ['has all work done again on top of what a plan changes', 'Write a differently.', [2, 2, 2]],
  ])('%s', async (_, first, counts) => {
    const revised = (a: string, c: string): WorkPlanInput => ({
      goal: 'Write a text.',
      plan_markdown: c,
      subtasks: [
        { id: 'a', title: 'a', description: a },
        { id: 'b', title: 'b', description: 'Write b.', depends_on: ['a'] },
        { id: 'c', title: c, description: '', depends_on: ['b'] },
      ],
    });
    const writes = (name: string) => [{ files: { [`${name}.txt`]: `${name}\n` } }];
    const lab = await makeFleet(folder.path, {
      plan: [planned(revised('Write a.', 'wrong')), planned(revised(first, 'right'))],
      // The repository has this file, so the first work of it changes nothing.
      a: [...writes('a'), { files: { 'a.txt': 'a 2\n' } }],
      b: writes('b'),
      c: writes('c'),
    });
    const review = ({ subtasks }: { readonly subtasks: readonly { readonly title: string }[] }) =>
      subtasks[0]?.title === 'wrong' ? reject('Nobody needs that.') : approve();
    const options = { ...lab.options, approval: false, reviewers: [{ name: 'judge', review }] };
    const result = await startRun(planGoal('Write a text.', options), { runId: 'goal' }).result;
    expect(result.status).toBe('completed');
    expect(await Promise.all(['a', 'b', 'c'].map(async (id) => (await lab.calls(id)).length))).toEqual(counts);
    const text = counts[0] === 1 ? 'a' : 'a 2';
    expect(await lab.filesAt('phasegate/goal')).toMatchObject({ 'a.txt': text, 'b.txt': 'b', 'c.txt': 'c' });
    const merges = (await lab.git('log', '--merges', '--format=%s', 'phasegate/goal')).split('\n');
    expect(merges.slice(0, 2)).toEqual(['phasegate(phase-3): right', 'phasegate(phase-2): b']);
  });

  it('does not try again in a folder that is in no repository', async () => {
    const lab = await makeFleet(folder.path, {});
    const workspace = lab.workspaces({ repository: lab.scripts });
    const run = startRun(planGoal('Write a text.', { ...lab.options, workspace, retry: { attempts: 3 } }));
    const starts: string[] = [];
    for await (const { event } of run) if (event.type === 'task.started') starts.push(event.task);
    expect(starts).toEqual(['plan']);
    expect((await run.result).phases.plan?.error).toMatchObject({ code: 'REPOSITORY_UNUSABLE' });
  });

  it('needs an architect if agents depend on the subtask', async () => {
    const { options } = await makeFleet(folder.path, {});
    const { agent } = options;
    if (typeof agent === 'function') throw new Error('One agent is expected.');
    expect(() => planGoal('Write a text.', { ...options, agent: () => agent })).toThrow('there is no architect');
    expect(() => planGoal('Write a text.', { ...options, agent: () => agent, architect: agent })).not.toThrow();
  });
});
