/**
 * The page that compares two runs, in a browser.
 *
 * @module
 */
import { expect, it } from 'vitest';
import { forkRun, resumeRun, startRun } from '../../src/index.ts';
import { fake, type Fake } from '../rig.ts';
import { dashboard } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

const phases = (outputs: readonly string[], verdicts = ['RETRY: <b>more</b>', 'APPROVE']): readonly Fake[] => [
  fake('draft', { outputs, verdicts }),
  fake('end', { after: ['draft'] }),
];

it('compares a fork with its origin: what they share, and the output that differs', async () => {
  const { store, url } = await dashboard();
  await startRun(pipelineOf('book', phases(['one', 'two'])), { store, runId: 'origin' }).result;
  const records = await store.read('origin');
  const at = records.find(({ event }) => event.type === 'phase.retrying')?.seq ?? 0;
  const fork = await forkRun(store, 'origin', { at, runId: 'fork' });
  await (
    await resumeRun(store, fork, pipelineOf('book', phases(['three'], ['APPROVE'])))
  ).result;
  const { page } = await openTab(url);
  await page.goto(`${page.url().replace(/#.*$/u, '')}#/run/fork`);
  await page.getByRole('link', { name: 'compare with it' }).click();
  await page.getByRole('heading', { name: 'Compare two runs' }).waitFor();
  expect(page.url()).toContain('#/compare/origin/fork');
  await page.getByText(`B is a fork of A. The first ${at} records are the same.`).waitFor();
  const draft = page.getByRole('region', { name: 'draft' });
  await draft.getByRole('heading', { name: 'Attempt 2 differs: outputs' }).waitFor();
  await draft.getByText('Output of work differs').click();
  await draft.getByText('three').waitFor();
  // The phase "end" has the same output in both.
  expect(await page.getByRole('region', { name: 'end' }).count()).toBe(0);
  await page.getByLabel('also show phases that are the same').check();
  await page.getByRole('region', { name: 'end' }).waitFor();
  expect(await page.title()).toContain('Compare origin and fork');
});

it('shows text of runs as text, offers other runs to compare with, and says if a run is unknown', async () => {
  const { store, url } = await dashboard();
  await startRun(pipelineOf('book', phases(['one'])), { store, runId: 'a' }).result;
  await startRun(pipelineOf('book', [fake('draft', { verdicts: ['REJECT: <i>no</i>'] })]), { store, runId: 'b' })
    .result;
  await startRun(pipelineOf('site', [fake('x')]), { store, runId: 'c' }).result;
  const { page, allow } = await openTab(url);
  const base = page.url().replace(/#.*$/u, '');
  await page.goto(`${base}#/run/a`);
  await page.getByRole('link', { name: 'with another run' }).click();
  const links = page.getByRole('list', { name: 'Runs' }).getByRole('link');
  // Runs of the same pipeline come first.
  await expect.poll(() => links.allTextContents()).toEqual(['b', 'c']);
  await page.getByLabel('Contains').fill('site');
  await expect.poll(() => links.allTextContents()).toEqual(['c']);
  await page.getByLabel('Contains').fill('');
  await links.getByText('b', { exact: true }).click();
  await page.getByText('verdict: retry: <b>more</b>').waitFor();
  await page.getByText('verdict: reject: <i>no</i>').waitFor();
  await page.getByText('only in A').first().waitFor();
  allow(/404/u);
  await page.goto(`${base}#/compare/a/nothing`);
  await page.getByText(/Cannot show run "?nothing/u).waitFor();
});

it('follows a run that goes on', async () => {
  const { store, url } = await dashboard();
  await startRun(pipelineOf('book', phases(['one', 'two'])), { store, runId: 'a' }).result;
  const asking = fake('draft', { outputs: ['one'], verdicts: ['ESCALATE: Is it good?'] });
  const run = startRun(pipelineOf('book', [asking, fake('end', { after: ['draft'] })]), { store, runId: 'b' });
  const { page } = await openTab(url);
  await page.goto(`${page.url().replace(/#.*$/u, '')}#/compare/a/b`);
  const draft = page.getByRole('region', { name: 'draft' });
  await draft.getByText('waits for you').waitFor();
  const [item] = await expect
    .poll(() => run.inbox())
    .toHaveLength(1)
    .then(() => run.inbox());
  await run.answer(item?.id ?? '', { type: 'decide', decision: 'APPROVE' });
  await run.result;
  await draft.getByText('a person decided: approve').waitFor();
  await expect.poll(() => draft.getByText('waits for you').count()).toBe(0);
});
