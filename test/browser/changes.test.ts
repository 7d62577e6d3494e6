/**
 * The work of agents in the panel of a phase: real fleets in real repositories.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import { definePipeline, phase, startRun, task } from '../../src/index.ts';
import { makeFleet } from '../fleet/rig.ts';
import { held } from '../rig.ts';
import { makeLab, useFolder } from '../workspaces/rig.ts';
import { dashboard, serveOn, type Served } from './dashboard.ts';
import { flawsOf } from './flaws.ts';
import { openTab } from './tab.ts';

const folder = useFolder();

const MARKUP = '<img src=x onerror="window.pwned=1">';
const HOSTILE = `h ${MARKUP.replaceAll('/', '')} \u202Etxt.exe`;
const LONG = Array.from({ length: 5000 }, (_, index) => `line ${index}`).join('\n');
const MOVED = 'one\ntwo\nthree\nfour\n';

const PLAN = {
  goal: 'Change.',
  subtasks: [
    { id: 'a', title: 'Change a', description: 'Do it.', files_touched: ['src/', 'a.txt', 'moved.txt', 'empty'] },
  ],
};

const FILES = {
  'a.txt': 'two cats\n',
  'src/b.txt': null,
  'src/large.txt': LONG,
  'moved.txt': MOVED,
  'old.txt': null,
  binary: 'x\0y',
  empty: '',
  [HOSTILE]: `${MARKUP}\u202Edrow${'x'.repeat(5000)}\n`,
};

describe('the work of an agent', () => {
  it.each([1280, 400])('has its files, and the lines of each, in a window of %i pixels', async (width) => {
    const { url, lab } = await fleet();
    const { page } = await openTab(url, { viewport: { width, height: 900 } });
    await page.goto(`${new URL('/', url).href}#/run/fleet?phase=phase-1`);
    const task = page.getByRole('region', { name: 'Task a', exact: true });
    await task.getByText('I changed all of it.').waitFor();
    await task.getByText(/^Changes: 8 files, 3 not expected by the plan/u).click();
    const list = task.getByRole('list', { name: 'Files changed by a' });
    await list.waitFor();
    expect(
      (await list.getByRole('listitem').allInnerTexts()).map((text) => text.replaceAll(/\s+/gu, ' ').trim()),
    ).toEqual([
      'changed a.txt +1 −1',
      'added binary binary not expected by the plan',
      'added empty +0 −0',
      `added h ${MARKUP} ⟨U+202E⟩txt.exe +1 −0 not expected by the plan`,
      'renamed old.txt → moved.txt +1 −0 not expected by the plan',
      'deleted src/b.txt +0 −1',
      'added src/large.txt +5 000 −0',
    ]);
    const open = async (name: string) => {
      const item = list.getByRole('listitem').filter({ has: page.locator('code', { hasText: name }) });
      await item.locator('summary').press('Enter');
      return item;
    };
    const table = (await open('a.txt')).getByRole('table', { name: 'a.txt: before and after' });
    await table.waitFor();
    expect(await table.locator('.text').allInnerTexts()).toEqual([
      expect.stringMatching(/^−\s*a$/u),
      expect.stringMatching(/^\+\s*two cats$/u),
    ]);
    // The panel is narrow in either window: one version is below the other.
    const [before, after] = await Promise.all([0, 1].map((at) => table.locator('.text').nth(at).boundingBox()));
    expect(before?.x).toBeGreaterThan(0);
    expect(before?.x).toBe(after?.x);
    await (await open('binary')).getByText('A binary file has no lines to show.').waitFor();
    await (await open('empty')).getByText('No line is changed.').waitFor();
    await (await open('moved.txt')).getByRole('table').waitFor();
    await (await open('src/b.txt')).getByRole('table').waitFor();
    await (await open('h <img')).getByText('⟨U+202E⟩drow').waitFor();
    const large = await open('src/large.txt');
    await large.getByRole('button', { name: /^Show more \(400 of 5.000 lines\)$/u }).click();
    await large.getByRole('button', { name: /^Show more \(2.400 of 5.000 lines\)$/u }).waitFor();
    await page.getByText(/^Loading/u).waitFor({ state: 'detached' });
    expect(await flawsOf(page)).toEqual([]);
    expect(await page.evaluate('window.pwned ?? "no"')).toBe('no');
    expect(await lab.git('status', '--porcelain')).toBe('');
  });

  it('that conflicts names the paths, and the other subtasks', async () => {
    const act = (text: string) => ({ files: { 'same.txt': `${text}\n` } });
    const lab = await makeFleet(folder.path, { a: [act('a')], b: [act('b'), act('a')] });
    const served = await dashboard({ workspaces: lab.workspaces() });
    const subtasks = ['a', 'b'].map((id) => ({ id, title: id, description: id }));
    const run = startRun(compilePlan({ goal: 'Meet.', subtasks }, lab.options), {
      store: served.store,
      runId: 'fleet',
    });
    expect((await run.result).status).toBe('completed');
    const { page } = await openTab(served.url);
    await page.goto(`${new URL('/', served.url).href}#/run/fleet?phase=phase-1`);
    const panel = page.getByRole('complementary', { name: 'Phase phase-1' });
    await panel.getByText('Attempt 1', { exact: true }).click();
    const conflicts = panel.getByRole('region', { name: 'Conflicts' });
    await conflicts.getByText('Subtask b conflicts with a. Its work is left out.').waitFor();
    expect(await conflicts.getByRole('listitem').allInnerTexts()).toEqual(['same.txt']);
    expect(await flawsOf(page)).toEqual([]);
  });

  it('has its log as it comes, which is text', async () => {
    const { store, url } = await dashboard();
    const [more, end] = [held(), held()];
    const work = task('work', {
      run: async (context) => {
        const { report } = context;
        report({ progress: 'Read src/a.ts' });
        await more.script(context);
        report({ progress: `failed: ${MARKUP}\u202Edrow` });
        for (let line = 1; line <= 60; line += 1) report({ progress: `Edit ${line}` });
        await end.script(context);
      },
    });
    const run = startRun(definePipeline({ name: 'p', phases: [phase('p', { tasks: [work] })] }), { store, runId: 'r' });
    const { page } = await openTab(url);
    await page.goto(`${new URL('/', url).href}#/run/r?phase=p`);
    const log = page.getByRole('log', { name: 'Log of work' });
    await log.getByText('Read src/a.ts').waitFor();
    expect(await log.locator('p').count()).toBe(1);
    more.release('');
    await log.getByText(/Edit 60$/u).waitFor();
    await log.getByText(`failed: ${MARKUP}⟨U+202E⟩drow`).waitFor();
    // The last line is in sight, as nobody has scrolled.
    const left =
      '(({ scrollHeight, scrollTop, clientHeight }) => [scrollTop > 0, scrollHeight - scrollTop - clientHeight < 24])';
    await expect.poll(() => page.evaluate(`${left}(document.querySelector('.agent-log'))`)).toEqual([true, true]);
    await page.getByText('Log: 62 lines').waitFor();
    expect(await flawsOf(page)).toEqual([]);
    end.release('');
    expect((await run.result).status).toBe('completed');
    expect(await page.evaluate('window.pwned ?? "no"')).toBe('no');
  });

  it('has the names of its files, and the reason, if its commit cannot be read', async () => {
    const { store } = await fleet();
    const { url } = await serveOn(store, { workspaces: (await makeLab(folder.path)).workspaces() });
    const { page } = await openTab(url);
    await page.goto(`${new URL('/', url).href}#/run/fleet?phase=phase-1`);
    const task = page.getByRole('region', { name: 'Task a', exact: true });
    await task.getByText(/^Changes: /u).click();
    await task.getByText(/^Cannot use commit .* as the repository does not have it/u).waitFor();
    expect(await task.getByRole('list', { name: 'Files changed by a' }).getByRole('listitem').count()).toBe(8);
    expect(await flawsOf(page)).toEqual([]);
  });
});

// --- internal ---

/** Serves a dashboard with a fleet that has ended. */
async function fleet(): Promise<Served & { readonly lab: Awaited<ReturnType<typeof makeFleet>> }> {
  const lab = await makeFleet(folder.path, { a: [{ files: FILES, say: 'I changed all of it.' }] });
  await lab.put('old.txt', MOVED.slice(0, -5));
  await lab.git('add', '-A');
  await lab.git('commit', '-q', '-m', 'Add a file');
  const served = await dashboard({ workspaces: lab.workspaces() });
  const run = startRun(compilePlan(PLAN, lab.options), { store: served.store, runId: 'fleet' });
  expect((await run.result).status).toBe('completed');
  return { ...served, lab };
}
