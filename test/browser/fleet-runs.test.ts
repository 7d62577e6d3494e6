/**
 * The runs of a planned goal, and the command that takes their work.
 *
 * @module
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import { planGoal } from '../../src/fleet/plan-goal.ts';
import { reject, startRun } from '../../src/index.ts';
import { makeFleet } from '../fleet/rig.ts';
import { useFolder } from '../workspaces/rig.ts';
import { dashboard } from './dashboard.ts';
import { flawsOf } from './flaws.ts';
import { openTab } from './tab.ts';

const folder = useFolder();

const PLAN = { goal: 'Write.', subtasks: [{ id: 'x', title: 'Write x', description: 'Write it.' }] };
const WRITES = { files: { 'x.txt': 'x\n' } };

describe('the page of a planned goal', () => {
  it('leads to the run of its plan and back, and has the command that takes the work', async () => {
    const lab = await makeFleet(folder.path, {
      plan: [{ say: `\`\`\`json\n${JSON.stringify(PLAN)}\n\`\`\`` }],
      x: [WRITES],
    });
    const { store, url } = await dashboard({ storeName: 'my runs.db', workspaces: lab.workspaces() });
    const run = startRun(planGoal('Write.', { ...lab.options, approval: false }), { store, runId: 'goal' });
    expect((await run.result).status).toBe('completed');
    const { page } = await openTab(url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const base = new URL('/', url).href;
    await page.goto(`${base}#/run/goal?phase=work`);
    const command = "phasegate apply goal --store 'my runs.db'";
    const work = page.getByRole('region', { name: 'Work to take' });
    await work.getByText('phasegate/goal', { exact: true }).waitFor();
    await work.getByText(command, { exact: true }).waitFor();
    await work.getByRole('button', { name: 'Copy the command' }).click();
    await work.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(command);
    expect(await flawsOf(page)).toEqual([]);

    await page.getByRole('region', { name: 'Task fleet' }).getByRole('link', { name: 'fleet-work' }).click();
    await page.getByRole('heading', { level: 1, name: /^fleet-work completed/u }).waitFor();
    await work.getByText(command, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'goal', exact: true }).click();
    await page.getByRole('complementary', { name: 'Phase work' }).waitFor();

    await page.goto(`${base}#/runs`);
    const row = page.getByRole('row', { name: /^fleet-work/u });
    await row.getByRole('link', { name: 'goal', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /^fleet completed/u }).waitFor();
  });
});

describe('the page of a fleet', () => {
  it('shows a level with each of its subtasks, while they work', async () => {
    const lab = await makeFleet(folder.path, { x: [WRITES], y: [{ wait: true }] });
    const { store, url } = await dashboard();
    const subtasks = [...PLAN.subtasks, { id: 'y', title: 'Write <b>y</b>', description: '' }];
    const run = startRun(compilePlan({ ...PLAN, subtasks }, lab.options), { store, runId: 'live' });
    onTestFinished(async () => {
      run.cancel('the test is over');
      await run.result;
    });
    const { page } = await openTab(url);
    await page.goto(`${new URL('/', url).href}#/run/live`);
    const level = page.getByRole('button', { name: /^phase-1 .*running/u });
    await page
      .getByRole('button', { name: /^phase-1 .*running.* x Write x \(completed\) y Write <b>y<\/b> \(running\)/u })
      .waitFor();
    expect(await flawsOf(page)).toEqual([]);
    await level.click();
    await page.getByRole('region', { name: 'Task y', exact: true }).waitFor();
    run.cancel('enough');
    await page.getByRole('button', { name: /^phase-1 .*cancelled.* y Write <b>y<\/b> \(failed\)/u }).waitFor();
  });

  it('has the command for its approved levels if it was rejected, and none if there are none', async () => {
    const lab = await makeFleet(folder.path, { x: [WRITES], y: [WRITES] });
    const { store, url } = await dashboard({ storeName: 'runs.db' });
    const subtasks = [...PLAN.subtasks, { id: 'y', title: 'Write y', description: '', depends_on: ['x'] }];
    for (const [runId, level] of [
      ['late', 'phase-2'],
      ['early', 'phase-1'],
    ] as const) {
      const review = ({ context: { phase } }: { readonly context: { readonly phase: string } }) =>
        phase === level ? reject('No.') : ('APPROVE' as const);
      const options = { ...lab.options, reviewers: [{ name: 'judge', review }] };
      const run = startRun(compilePlan({ ...PLAN, subtasks }, options), { store, runId });
      expect((await run.result).status).toBe('rejected');
    }
    const { page } = await openTab(url);
    const base = new URL('/', url).href;
    await page.goto(`${base}#/run/late`);
    const work = page.getByRole('region', { name: 'Work to take' });
    await work.getByText('1 level of 2 was approved before the run ended.').waitFor();
    await work.getByText('phasegate apply late --partial --store runs.db', { exact: true }).waitFor();
    await page.goto(`${base}#/run/early`);
    await page.getByRole('heading', { level: 1, name: /^fleet rejected/u }).waitFor();
    expect(await work.count()).toBe(0);
  });
});
