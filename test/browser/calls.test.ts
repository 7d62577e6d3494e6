/**
 * The messages and the answer of a reviewer that is a model, in the panel of a phase.
 *
 * @module
 */
import { expect, it } from 'vitest';
import { definePipeline, phase, startRun, task } from '../../src/index.ts';
import { openaiReviewer } from '../../src/openai.ts';
import { dashboard } from './dashboard.ts';
import { flawsOf } from './flaws.ts';
import { openTab } from './tab.ts';

const MARKUP = '<img src=x onerror="window.pwned=1">';

it('shows the prompt and the answer of a reviewer behind a switch, as text', async () => {
  const { store, url } = await dashboard();
  const draft = task('draft', { run: () => `Gates help. ${MARKUP}` });
  const editor = openaiReviewer('editor', {
    criteria: 'It names a number.',
    model: `judge ${MARKUP}`,
    ask: () => Promise.resolve({ text: `No verdict. ${MARKUP}`, usage: { inputTokens: 30, outputTokens: 4 } }),
  });
  const note = phase('note', { tasks: [draft], review: { by: editor, maxReviewErrors: 0 } });
  await startRun(definePipeline({ name: 'p', phases: [note] }), { store, runId: 'r' }).result;
  const { page } = await openTab(url);
  await page.goto(`${new URL('/', url).href}#/run/r?phase=note`);
  const review = page.getByRole('region', { name: 'Reviewer editor' });
  const toggle = review.getByText(/^Messages and answer: judge .*, 30 tokens in, 4 out$/u);
  await toggle.waitFor();
  const call = review.getByRole('region', { name: 'Call of editor' });
  expect(await call.count()).toBe(0);
  await toggle.click();
  await call.getByRole('heading', { name: 'System prompt' }).waitFor();
  await call.getByText('It names a number.').waitFor();
  await call.getByText('Gates help.').waitFor();
  await call.getByText('No verdict.').waitFor();
  expect(await flawsOf(page)).toEqual([]);
  expect(await page.evaluate('window.pwned ?? "no"')).toBe('no');
});
