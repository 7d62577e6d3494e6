/**
 * Cost and quality of a run, now and at earlier records.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startRun } from '../../src/index.ts';
import { fake } from '../rig.ts';
import { dashboard } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

it('cost and quality are shown with numbers, link to phases, and are available for earlier records', async () => {
  const { store, url } = await dashboard();
  const spend = ({ report }: { readonly report: (what: object) => void }) => {
    report({ costUsd: 0.25, tokens: 1000 });
    return 'text';
  };
  const plan = fake('plan', { outputs: [spend] });
  const draft = fake('draft', { after: ['plan'], outputs: [spend, spend], verdicts: ['RETRY: Make it shorter.'] });
  const run = startRun(pipelineOf('story', [plan, draft], { limits: { costUsd: 0.8, corrections: 3 } }), {
    store,
    runId: 'r-1',
  });
  await run.result;
  const { page } = await openTab(url);
  const place = `${url.replace(/\?.*/u, '')}#/run/r-1?tab=quality`;
  await page.goto(place);

  await page.getByText('1 defect found: 1 fixed. Removed: 100.0 %.').waitFor();
  expect(await rowsOf(page, 'What the run has used')).toEqual([
    ['Cost', '$0.75', '$0.80', '$0.05', '94 % nearly spent'],
    ['Tokens', '3 000', 'no limit', '–', ''],
    ['Corrections', '1', '3', '2', '33 %'],
    ['Working time', expect.stringMatching(/ s$/u), 'no limit', '–', ''],
    ['Total time', expect.stringMatching(/ s$/u), 'no limit', '–', ''],
  ]);
  expect(await rowsOf(page, 'Cost by phase')).toEqual([
    ['plan', '', '$0.25', '–', '–', '$0.25', '0.0 %'],
    ['draft', '', '$0.25', '–', '$0.25', '$0.50', '50.0 %'],
    ['All phases', '', '$0.50', '–', '$0.25', '$0.75', '33.3 %'],
  ]);
  await page.getByRole('radio', { name: 'Tokens' }).check();
  expect((await rowsOf(page, 'Tokens by phase')).at(-1)).toEqual([
    'All phases',
    '',
    '2 000',
    '–',
    '1 000',
    '3 000',
    '33.3 %',
  ]);
  expect(await rowsOf(page, 'Phases by their attempts')).toEqual([
    ['1', '1', '', 'plan'],
    ['2', '1', '', 'draft'],
  ]);
  expect(await rowsOf(page, 'Gates')).toEqual([['draft', '2', '–', '1', '0', '0.0 %', '']]);
  expect(await rowsOf(page, 'Phase containment')).toEqual([['draft', '1', '–', '–', '1']]);
  expect((await rowsOf(page, 'Defects')).map((row) => row.slice(0, 6))).toEqual([
    ['1', 'Make it shorter.', 'feedback', '–', '✓ fixed', 'draft'],
  ]);

  const before = (await store.read('r-1')).findIndex(({ event }) => event.type === 'review.decided');
  await page.goto(`${place}&at=${before}`);
  await page.getByText('No defect was found.').first().waitFor();
  expect((await rowsOf(page, 'What the run has used'))[0]?.slice(0, 2)).toEqual(['Cost', '$0.50']);
  expect(await page.getByText('No gate has judged.').count()).toBe(1);

  await page.goto(place);
  await page.getByRole('table', { name: 'Gates' }).getByRole('link', { name: 'draft' }).click();
  await expect.poll(() => page.url()).toContain('phase=draft');
  await page.getByRole('button', { name: 'Close' }).waitFor();
});

// --- internal ---

/** Returns the cells of a table, without its head. */
async function rowsOf(page: Page, name: string): Promise<readonly (readonly string[])[]> {
  const rows = page.getByRole('table', { name, exact: true }).locator('tbody tr, tfoot tr');
  await rows.first().waitFor();
  const told: string[][] = [];
  for (const row of await rows.all()) {
    const cells = await row.locator('th, td').allInnerTexts();
    told.push(cells.map((cell) => cell.replaceAll(/\s+/gu, ' ').trim()));
  }
  return told;
}
