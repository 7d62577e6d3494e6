/**
 * The page that searches runs, in a browser.
 *
 * @module
 */
import { expect, it } from 'vitest';
import { startRun } from '../../src/index.ts';
import { fake } from '../rig.ts';
import { dashboard } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

it('finds a text in all runs and in one, shows it as text, and leads to its record', async () => {
  const { store, url } = await dashboard();
  for (const runId of ['a', 'b']) {
    const draft = fake('draft', {
      outputs: [`the <b>bees</b> of ${runId}`],
      verdicts: ['RETRY: more bees', 'APPROVE'],
    });
    await startRun(pipelineOf('book', [draft]), { store, runId }).result;
  }
  const { page } = await openTab(url);
  await page.getByRole('link', { name: 'Search', exact: true }).click();
  await page.getByLabel('Text, in any case').fill('BEES');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const places = page.getByRole('list', { name: 'Places' }).getByRole('listitem');
  await expect.poll(() => places.count()).toBe(4);
  await page.getByText('4 places in').waitFor();
  expect(page.url()).toContain('#/search?text=BEES');
  expect(await places.locator('mark').allTextContents()).toEqual(['bees', 'bees', 'bees', 'bees']);
  await page.getByText('the <b>bees</b> of a').waitFor();
  // The space before the mark is kept.
  expect(await places.getByText('more bees', { exact: true }).count()).toBe(2);
  await page
    .getByRole('link', { name: /draft: decision, record/u })
    .first()
    .click();
  await expect.poll(() => page.url()).toMatch(/#\/run\/b\?tab=records&phase=draft&at=\d+/u);
  await page.goBack();
  // The address has the search.
  await expect.poll(() => places.count()).toBe(4);
  await page.getByRole('link', { name: 'attempt 1 of draft', exact: true }).first().click();
  await expect.poll(() => page.url()).toMatch(/#\/run\/b\?phase=draft&attempt=\d+/u);
  await page.getByRole('heading', { level: 2, name: 'draft' }).waitFor();
  const base = page.url().replace(/#.*$/u, '');
  await page.goto(`${base}#/run/a`);
  await page.getByRole('link', { name: 'this run' }).click();
  await page.getByLabel('Text, in any case').fill('bees of');
  await page.getByLabel('Text, in any case').press('Enter');
  await page.getByText('0 places in').waitFor();
  await page.getByLabel('Text, in any case').fill('of a');
  await page.getByLabel('Text, in any case').press('Enter');
  await expect.poll(() => places.count()).toBe(1);
});

it('reads more on request, and says why it cannot', async () => {
  const { store, url } = await dashboard();
  const drafts = Array.from({ length: 60 }, (_, at) => fake(`phase ${at}`, { outputs: ['bees'] }));
  await startRun(pipelineOf('book', drafts), { store, runId: 'a' }).result;
  const { page, allow } = await openTab(url);
  const base = page.url().replace(/#.*$/u, '');
  await page.goto(`${base}#/search?text=bees`);
  await page.getByText('50 places in').waitFor();
  await page.getByRole('button', { name: 'Search for 50 more' }).click();
  await page.getByText('60 places in').waitFor();
  await expect.poll(() => page.getByRole('button', { name: /more$/u }).count()).toBe(0);
  allow(/404/u);
  await page.goto(`${base}#/search?text=bees&run=none`);
  await page.getByText('Cannot search run none').waitFor();
});
