/**
 * Pages of other origins, in a browser that has the cookie of the dashboard: they can read nothing and change
 * nothing.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRun } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import { fake } from '../rig.ts';
import { attempt, ATTEMPTS, foreignPage, type Target } from './attempts.ts';
import { REBOUND } from './chromium.ts';
import { dashboard } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openSecondTab, openTab } from './tab.ts';

describe('the page of the dashboard', () => {
  it('can do everything that others attempt', async () => {
    const { page, base, store, item } = await visited('own');
    expect(await attempt(page, ATTEMPTS['reads by fetch'], { base, item })).toContain('"runId":"r-1"');
    expect(await attempt(page, ATTEMPTS['listens to events'], { base, item })).not.toBe('');
    expect(await attempt(page, ATTEMPTS['answers in JSON'], { base, item })).toContain('"state":');
    expect(await store.inbox({ open: true })).toEqual([]);
  });
});

describe('a page of another port, which browsers treat as the same site', () => {
  it.each(Object.entries(ATTEMPTS))('%s in vain', async (_name, body) => {
    const { page, base, store, item } = await visited();
    expect(await attempt(page, body, { base, item })).toBe('');
    await expectUntouched(store);
  });

  it('cannot show it in a frame', async () => {
    const { page, base, store } = await visited();
    await page.evaluate(
      `new Promise((resolve) => { const frame = document.createElement('iframe'); frame.onload = resolve; frame.src = ${JSON.stringify(base)}; document.body.append(frame); })`,
    );
    const [frame] = page.frames().slice(1);
    expect(frame?.url()).toBe('chrome-error://chromewebdata/');
    await expectUntouched(store);
  });

  it('has no access to a window that it opens', async () => {
    const { page, base, store } = await visited();
    const opened = page.context().waitForEvent('page');
    await page.evaluate(`window.other = window.open(${JSON.stringify(base)}); undefined`);
    const other = await opened;
    await other.waitForLoadState();
    // The cookie is strict, yet the browser sends it: ports of one host are the same site.
    expect(await other.evaluate('window.opener === null')).toBe(true);
    await expect.poll(() => page.evaluate('window.other.closed')).toBe(true);
    await expectUntouched(store);
  });
});

describe('a name that leads to this machine', () => {
  it('is refused, with the token and without', async () => {
    const { store, url, port } = await waiting();
    const { page } = await openTab(url);
    const other = await openSecondTab(page, 'about:blank');
    other.allow(/403|Cross-Origin-Opener-Policy header has been ignored/u);
    for (const path of ['/', `/${new URL(url).search}`, '/api/runs', '/api/inbox']) {
      const answer = await other.page.goto(`http://${REBOUND}:${port}${path}`);
      expect([path, answer?.status()]).toEqual([path, 403]);
      expect(await other.page.locator('body').innerText()).toContain(
        'Cannot answer as the host must be a name of this machine: it is',
      );
    }
    await expectUntouched(store);
  });
});

describe('an address without the token', () => {
  it('shows how to get the address, and nothing else', async () => {
    const { port, store } = await waiting();
    const { page, allow } = await openTab('about:blank');
    allow(/401/u);
    const answer = await page.goto(`http://127.0.0.1:${port}/`);
    expect(answer?.status()).toBe(401);
    expect(await page.locator('body').innerText()).toContain('Open the URL that it printed at its start');
    await expectUntouched(store);
  });
});

// --- internal ---

/** Starts a dashboard with a run that waits for a person. */
async function waiting() {
  const served = await dashboard();
  const asked = fake('draft', { verdicts: ['ESCALATE: look'] });
  const run = startRun(pipelineOf('story', [asked]), { store: served.store, runId: 'r-1' });
  onTestFinished(() => run.cancel('the test is over'));
  await expect.poll(async () => (await served.store.inbox({ open: true })).length).toBe(1);
  return served;
}

/**
 * Starts the same dashboard in a browser, which then opens a page of another origin. @param whose @default 'foreign'
 */
async function visited(
  whose: 'own' | 'foreign' = 'foreign',
): Promise<Target & { readonly page: Page; readonly store: RunStore }> {
  const { store, url, port } = await waiting();
  const { page } = await openTab(url);
  const { page: other, allow } =
    whose === 'own' ? { page, allow: () => undefined } : await openSecondTab(page, await foreignPage());
  // The browser logs an error for each attempt that it prevents.
  allow(/./u);
  const [item] = await store.inbox({ open: true });
  return {
    page: other,
    base: `http://127.0.0.1:${port}`,
    store,
    item: { id: item?.id ?? '', nonce: item?.nonce ?? '', run: 'r-1' },
  };
}

/** Asserts that the item is still open and has no answer. */
async function expectUntouched(store: RunStore): Promise<void> {
  const open = await store.inbox({ open: true });
  expect(open.map(({ runId, about }) => [runId, about])).toEqual([['r-1', 'draft']]);
  expect(await store.messages('r-1')).toEqual([]);
  const run = await store.run('r-1');
  expect([run?.status, run?.seq]).toEqual(['running', (await store.read('r-1')).length]);
}
