/**
 * The focus of the keyboard goes to what a person looks at: after navigation, with the panel of a phase, after an answer.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { dashboard } from './dashboard.ts';
import { RUN, startStory } from './story.ts';
import { openTab } from './tab.ts';

describe('the focus', () => {
  it('goes to the content of another page, which is shown from its top', async () => {
    const { page } = await asked();
    await focused(page, 'BODY');
    await page.evaluate('document.body.style.minHeight = "3000px"; scrollTo(0, 500)');
    await page.getByRole('link', { name: 'Runs', exact: true }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await focused(page, 'MAIN');
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.getByRole('link', { name: 'story', exact: true }).press('Enter');
    await page.getByRole('heading', { level: 1, name: /story/u }).waitFor();
    await focused(page, 'MAIN');
    // The views of a run are one page: the link of the view keeps the focus.
    await page.getByRole('link', { name: 'Records', exact: true }).press('Enter');
    await page.getByRole('link', { name: 'Records', exact: true }).and(page.locator('[aria-current="page"]')).waitFor();
    await focused(page, 'A');
  });

  it('goes to the panel of a phase that is opened, and back when it is closed', async () => {
    const { page, base } = await asked();
    await page.goto(`${base}#/run/${RUN}`);
    const node = page.getByRole('application', { name: /^Graph/u }).getByRole('button', { name: /^draft/u });
    await node.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'draft' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await node.and(page.locator(':focus')).waitFor();
    await node.press('Enter');
    await page.getByRole('button', { name: 'Close', exact: true }).press('Enter');
    await node.and(page.locator(':focus')).waitFor();
  });

  it('goes to the result of an answer', async () => {
    const { page } = await asked();
    await page.getByRole('list', { name: 'Open items' }).getByRole('link', { name: 'check' }).press('Enter');
    await page.getByRole('radio', { name: /^Approve/u }).check();
    await page.getByRole('button', { name: 'Send: approve' }).press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Answered' }).and(page.locator(':focus')).waitFor();
  });
});

// --- internal ---

async function focused(page: Page, name: string): Promise<void> {
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe(name);
}

/** Opens the dashboard of a run that waits for a person. */
async function asked(): Promise<{ readonly page: Page; readonly base: string }> {
  const { url, store } = await dashboard();
  const { drafts } = startStory(store);
  for (const draft of drafts) draft.release('a draft');
  await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);
  const { page } = await openTab(url);
  await page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
  return { page, base: url.replace(/\?.*/u, '') };
}
