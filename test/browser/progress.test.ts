/**
 * Progress and time of work of a phase at work, in the graph and in the list.
 *
 * @module
 */
import { expect, it } from 'vitest';
import { definePipeline, phase, startRun, task } from '../../src/index.ts';
import { held } from '../rig.ts';
import { dashboard } from './dashboard.ts';
import { flawsOf } from './flaws.ts';
import { openTab } from './tab.ts';

it('shows the latest progress of a phase at work and its time, until it ends', async () => {
  const { store, url } = await dashboard();
  const [more, end] = [held(), held()];
  const work = task('work', {
    run: async (context) => {
      context.report({ progress: 0.25 });
      await more.script(context);
      context.report({ progress: 'Read <b>a.ts</b>' });
      await end.script(context);
    },
  });
  const run = startRun(definePipeline({ name: 'p', phases: [phase('build', { tasks: [work] })] }), {
    store,
    runId: 'r',
  });
  const { page } = await openTab(url);
  await page.goto(`${new URL('/', url).href}#/run/r`);
  const box = page.getByRole('button', { name: /^build/u });
  await box.getByText('25%').waitFor();
  await box.locator('.elapsed').waitFor();
  more.release('');
  await box.getByText('Read <b>a.ts</b>').waitFor();
  expect(await flawsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'As a list' }).click();
  const row = page.getByRole('row', { name: /^build/u });
  await row.getByText('Read <b>a.ts</b>').waitFor();
  await page.getByRole('link', { name: 'As a graph' }).click();
  end.release('');
  expect((await run.result).status).toBe('completed');
  await box.getByText('approved').waitFor();
  expect(await box.getByText('Read').count()).toBe(0);
  expect(await box.locator('.elapsed').count()).toBe(0);
});

it('counts the time of work of a run at work on its page', async () => {
  const { store, url } = await dashboard();
  const { script, release } = held();
  const build = phase('build', { tasks: [task('work', { run: script })] });
  const run = startRun(definePipeline({ name: 'p', phases: [build] }), { store, runId: 'r' });
  const { page } = await openTab('about:blank');
  await page.clock.install({ time: Date.now() });
  await page.goto(url);
  await page.evaluate(`location.hash = '#/run/r'`);
  const working = page.locator('.facts > div', { hasText: 'Working time' });
  await working.waitFor();
  await page.clock.fastForward('05:00');
  await expect.poll(() => working.innerText()).toMatch(/\d min/u);
  release('');
  expect((await run.result).status).toBe('completed');
  await expect.poll(() => working.innerText()).not.toMatch(/\d min/u);
});
