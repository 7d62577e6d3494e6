/**
 * Answers that are given in a browser: too late, by keyboard alone, or while the server is away.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/index.ts';
import { fake } from '../rig.ts';
import { dashboard, serveOn } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openSecondTab, openTab } from './tab.ts';

describe('a second tab', () => {
  it('shows the answer as soon as the first has given it', async () => {
    const { url, item } = await asked();
    const { page: first } = await openTab(url);
    await first.goto(item);
    const { page: second } = await openSecondTab(first, item);
    await second.getByRole('radio', { name: /^Retry/u }).check();
    await answer(first, 'Approve', 'Send: approve');
    await first.getByRole('heading', { name: 'Answered' }).waitFor();
    await second.getByRole('alert').filter({ hasText: 'Closed by ada: Approved; the run is completed.' }).waitFor();
    expect(await second.getByRole('button', { name: /^Send/u }).count()).toBe(0);
  });

  it('is refused if it missed the answer of the first, and keeps its typed text', async () => {
    const { url, item, store, run } = await asked();
    const { page: first } = await openTab(url);
    await first.goto(item);
    const { page: second, allow } = await openSecondTab(first, 'about:blank');
    allow(/net::ERR_FAILED|409/u);
    // Without the shared worker, the page has a stream of its own, which fails.
    await second.addInitScript('delete window.SharedWorker');
    await second.route('**/api/changes', (route) => route.abort());
    await second.goto(item);
    await second.getByRole('radio', { name: /^Retry/u }).check();
    await second.getByRole('textbox', { name: 'What to change?' }).fill('Count the words again.');
    await answer(first, 'Approve', 'Send: approve');
    await first.getByRole('heading', { name: 'Answered' }).waitFor();

    await second.getByRole('button', { name: 'Send: retry' }).click();
    await second
      .getByRole('alert')
      .filter({ hasText: /Cannot answer/u })
      .waitFor();
    expect(await second.getByRole('textbox', { name: 'What to change?' }).inputValue()).toBe('Count the words again.');
    expect((await run.result).status).toBe('completed');
    expect((await store.inbox()).map(({ outcome, who }) => [outcome, who])).toEqual([['APPROVE', 'ada']]);
  });
});

describe('the keyboard alone', () => {
  it('leads to an answer', async () => {
    const { url, run, store } = await asked();
    const { page } = await openTab(url);
    await page.getByRole('link', { name: /^Needs you \(1\)/u }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await tabTo(page, /^draft/u);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /draft/u }).waitFor();
    await tabTo(page, /^Approve/u);
    await page.keyboard.press('Space');
    await tabTo(page, /^Send: approve/u);
    await page.keyboard.press('Enter');
    // Focus moves from the form to the result of the answer.
    await expect.poll(() => focused(page)).toBe('Answered');
    expect((await run.result).status).toBe('completed');
    expect((await store.inbox()).map(({ outcome, who }) => [outcome, who])).toEqual([['APPROVE', 'ada']]);
  });
});

describe('a server that ends and starts again', () => {
  it('is found again by open pages', async () => {
    const { url, store, port, item, close } = await asked();
    const { page, allow } = await openTab(url);
    allow(/net::ERR_|401/u);
    await page.goto(item);
    await page.getByRole('radio', { name: /^Retry/u }).check();
    await page.getByRole('textbox', { name: 'What to change?' }).fill('Count the words again.');
    await close();
    await page.getByRole('alert').filter({ hasText: 'The dashboard server does not respond.' }).waitFor();
    await serveOn(store, { port, session: SECRET });
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Send: retry' }).click();
    await expect.poll(async () => (await store.inbox())[0]?.outcome).toContain('Count the words again.');
  });
});

describe('a dashboard that ends with its run', () => {
  it('shows the end of the run, after which pages do not report it missing', async () => {
    const { url, item, run, close } = await asked();
    const { page: first, allow } = await openTab(url);
    await first.goto(item);
    const { page: second, allow: allowToo } = await openSecondTab(first, item);
    await second.getByRole('radio', { name: /^Retry/u }).check();
    allow(/net::ERR_/u);
    allowToo(/net::ERR_/u);
    const closed = run.result.then(() => close({ farewellMs: 10_000 }));
    await answer(first, 'Approve', 'Send: approve');
    for (const page of [first, second]) {
      await page
        .getByRole('status')
        .filter({ hasText: /phasegate has ended/u })
        .waitFor();
    }
    await first.getByRole('heading', { name: 'Answered' }).waitFor();
    await second.getByRole('alert').filter({ hasText: 'Closed by ada: Approved; the run is completed.' }).waitFor();
    await second.getByText('The item is closed, so nothing can be sent.').waitFor();
    await closed;
    // A place that was never loaded cannot load now, which is not reported as an error.
    await first.getByRole('link', { name: 'Runs' }).click();
    await first.getByText('Nothing more can be loaded or sent').waitFor();
    expect(await first.getByRole('alert').count()).toBe(0);
  });
});

describe('a server that starts again with other secrets', () => {
  it('asks for its new address, and continues once that is opened', async () => {
    const { store, url, port, item, close } = await asked();
    const { page, allow } = await openTab(url);
    allow(/net::ERR_|401/u);
    await page.goto(item);
    await page.getByRole('heading', { level: 1, name: /draft/u }).waitFor();
    await close();
    await page.getByRole('alert').filter({ hasText: 'The dashboard server does not respond.' }).waitFor();
    const next = await serveOn(store, { port });
    // Requests in the meantime are refused with the same words.
    await page.getByRole('alert').filter({ hasText: 'printed at its start' }).first().waitFor();
    const beside = await openSecondTab(page, next.url);
    await beside.page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await answer(page, 'Approve', 'Send: approve');
    await page.getByRole('heading', { name: 'Answered' }).waitFor();
  });
});

// --- internal ---

const SECRET = 'kept by whoever starts the server again';

/** Starts a dashboard with a run that waits for a person. @returns The dashboard and the address of the item. */
async function asked() {
  const served = await dashboard({ session: SECRET });
  const { store, url } = served;
  const draft = fake('draft', { verdicts: ['ESCALATE: Is this good enough?'] });
  const run = startRun(pipelineOf('story', [draft]), { store, runId: 'r-1' });
  await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);
  const [waiting] = await store.inbox({ open: true });
  return { ...served, run, item: `${url.replace(/\?.*/u, '')}#/item/${encodeURIComponent(waiting?.id ?? '')}` };
}

async function answer(page: Page, choice: string, send: string): Promise<void> {
  await page.getByRole('radio', { name: new RegExp(`^${choice}`, 'u') }).check();
  await page.getByRole('button', { name: send }).click();
}

/** Returns the accessible name of the focused element. */
async function focused(page: Page): Promise<string> {
  const name: unknown = await page.evaluate(
    `(() => { const one = document.activeElement; return (one.labels?.[0] ?? one).innerText?.replace(/\\s+/g, ' ').trim() ?? ''; })()`,
  );
  return String(name);
}

/** Presses Tab until an element of that name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let key = 0; key < 60; key += 1) {
    await page.keyboard.press('Tab');
    const here = await focused(page);
    if (name.test(here)) return;
    passed.push(here);
  }
  throw new Error(`The keyboard does not come to ${String(name)}, but to:\n${passed.join('\n')}`);
}
