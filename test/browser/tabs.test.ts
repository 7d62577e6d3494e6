/**
 * Several tabs of one browser, which share its six connections to the dashboard.
 *
 * A headless browser reports every page as visible, so these pages simulate their visibility. They have no shared workers, so that
 * each has a stream of its own, as in browsers without them; `shared-stream.test.ts` has the others.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { dashboard } from './dashboard.ts';
import { RUN, startStory } from './story.ts';
import { openSecondTab, openTabAlone } from './tab.ts';

describe('an answer', () => {
  it('is sent despite five visible tabs on a run', async () => {
    const { url, page, run } = await asked();
    for (let count = 1; count < 5; count += 1) await openRun((await openSecondTab(page, home(url))).page, url);
    await answer(page);
    expect((await run.result).status).toBe('completed');
  });

  it('is sent despite ten hidden tabs on a run', async () => {
    const { url, page, run } = await asked();
    for (let count = 1; count < 10; count += 1) {
      const { page: other } = await openSecondTab(page, home(url));
      await openRun(other, url);
      await show(other, false);
    }
    await answer(page);
    expect((await run.result).status).toBe('completed');
  });
});

describe('a tab', () => {
  it('has one stream, on every page', async () => {
    const { url, page } = await asked();
    const open = streamsOf(page);
    await page.reload();
    for (let count = 0; count < 2; count += 1) {
      await openRun(page, url);
      await expect.poll(() => open().map(pathOf)).toEqual([`/api/changes?run=${RUN}`]);
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
      await expect.poll(() => open().map(pathOf)).toEqual(['/api/changes']);
    }
  });

  it('has no stream while it is hidden, and continues after its last record once it is visible', async () => {
    const { store, url } = await dashboard();
    const { drafts } = startStory(store);
    const { page } = await openTabAlone(url);
    const open = streamsOf(page);
    await openRun(page, url);
    const graph = page.getByRole('application', { name: /^Graph of the phases/u });
    await graph.getByRole('button', { name: /^draft running/u }).waitFor();
    await expect.poll(async () => (await countOf(page)) === (await store.read(RUN)).length).toBe(true);
    const shown = await countOf(page);
    await show(page, false);
    await expect.poll(open).toEqual([]);
    for (const draft of drafts) draft.release('a draft');
    await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);
    const { length } = await store.read(RUN);
    expect(length).toBeGreaterThan(shown);
    expect(await countOf(page)).toBe(shown);

    await show(page, true);
    await expect.poll(() => countOf(page)).toBe(length);
    expect(open().map(pathOf)).toEqual([`/api/changes?run=${RUN}&after=${shown}`]);
  });

  it('shows the number of pending items in its title while it is hidden', async () => {
    const { store, url } = await dashboard();
    const { page } = await openTabAlone('about:blank');
    await page.clock.install();
    await page.goto(url);
    await expect.poll(() => page.title()).toBe('Needs you · phasegate');
    const asks = countsOf(page);
    await show(page, false);
    await expect.poll(asks).toBe(1);
    const { drafts } = startStory(store);
    for (const draft of drafts) draft.release('a draft');
    await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);
    await page.clock.fastForward(15_000);
    await expect.poll(() => page.title()).toBe('(1) Needs you · phasegate');
    expect(asks()).toBe(2);
    await show(page, true);
    await page.clock.fastForward(60_000);
    await page.getByRole('link', { name: 'Needs you (1)' }).waitFor();
    expect(asks()).toBe(2);
  });
});

// --- internal ---

/** Starts a dashboard with a run that waits for a person, and opens a tab on it. */
async function asked() {
  const { store, url } = await dashboard();
  const { run, drafts } = startStory(store);
  for (const draft of drafts) draft.release('a draft');
  await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);
  const { page } = await openTabAlone(url);
  return { url, page, run };
}

async function answer(page: Page): Promise<void> {
  await page.getByRole('link', { name: /check/u }).first().click();
  await page.getByRole('radio', { name: /^Approve/u }).check();
  await page.getByRole('button', { name: 'Send: approve' }).click();
  await page.getByRole('heading', { name: 'Answered' }).waitFor();
}

function home(url: string): string {
  return new URL('/', url).href;
}

async function openRun(page: Page, url: string): Promise<void> {
  await page.goto(`${home(url)}#/run/${RUN}`);
  await page.getByText(/^\d+ of \d+$/u).waitFor();
}

/** Returns the number of records that the page shows. */
async function countOf(page: Page): Promise<number> {
  const [, count] = (await page.getByText(/^\d+ of \d+$/u).innerText()).split(' of ');
  return Number(count);
}

/** Sets the visibility of a page. */
async function show(page: Page, isSeen: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${isSeen ? 'visible' : 'hidden'}', configurable: true });
     document.dispatchEvent(new Event('visibilitychange'));`,
  );
}

/** Watches a page. @returns The addresses of the streams that the page has opened since. */
function streamsOf(page: Page): () => readonly string[] {
  const open = new Map<object, string>();
  page.on('request', (request) => {
    if (/\/api\/changes|\/records/u.test(request.url())) open.set(request, request.url());
  });
  const forget = (request: object) => void open.delete(request);
  page.on('requestfailed', forget);
  page.on('requestfinished', forget);
  return () => [...open.values()];
}

/** Watches a page. @returns The number of its requests for the count of open items since. */
function countsOf(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => (count += request.url().endsWith('/api/open') ? 1 : 0));
  return () => count;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}
