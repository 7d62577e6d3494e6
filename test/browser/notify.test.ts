/**
 * Notifications of questions: permission, content, tabs.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRun } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import { fake } from '../rig.ts';
import { dashboard } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openSecondTab, openTab } from './tab.ts';

/**
 * The notifications of a browser with a screen. One without a screen has denied them, whatever a test grants. It answers the question for
 * permission as `window.answer` says, and keeps what pages show.
 */
const SCREEN = `
  window.asked = 0;
  window.shown = [];
  window.Notification = class extends EventTarget {
    static get permission() {
      return localStorage.getItem('permission') ?? 'default';
    }
    static async requestPermission() {
      window.asked += 1;
      localStorage.setItem('permission', window.answer ?? 'granted');
      return this.permission;
    }
    constructor(title, { body, tag }) {
      super();
      if (this.constructor.permission === 'granted') window.shown.push({ title, body, tag, one: this });
    }
    close() {}
  };`;

const SECRET = 'The password is 4711.';

describe('notifications', () => {
  it('are off until a click, say who is asked by which run, and lead to the item', async () => {
    const { page, store } = await opened();
    await ask(store, 'r-1');
    await page.getByRole('link', { name: 'Needs you (1)' }).waitFor();
    expect(await shownIn(page)).toEqual([]);
    expect(await page.evaluate('window.asked')).toBe(0);
    await turnOn(page);
    expect(await page.evaluate('window.asked')).toBe(1);
    await ask(store, 'r-2');
    await expect.poll(() => shownIn(page)).toEqual(['draft waits for a decision: story, queue default']);
    const [item] = (await store.inbox({ open: true })).filter(({ runId }) => runId === 'r-2');
    await page.evaluate(`shown[0].one.dispatchEvent(new Event('click'))`);
    await expect.poll(() => page.url()).toContain(`#/item/${encodeURIComponent(item?.id ?? '')}`);
    await page.getByText(SECRET).first().waitFor();
  });

  it('are shown once by all tabs, and no more after another click', async () => {
    const { page, store, base } = await opened();
    await turnOn(page);
    const tabs = [page];
    for (let count = 1; count < 3; count += 1) {
      const { page: other } = await openSecondTab(page, 'about:blank');
      const read = other.waitForResponse(/\/api\/inbox$/u);
      await other.goto(`${base}#/runs`);
      await read;
      tabs.push(other);
    }
    await ask(store, 'r-1');
    await ask(store, 'r-2');
    for (const tab of tabs) await tab.getByRole('link', { name: 'Needs you (2)' }).waitFor();
    const all = async () => (await Promise.all(tabs.map(shownIn))).flat();
    await expect.poll(async () => (await all()).length).toBe(2);
    await page.getByRole('button', { name: 'Notifying' }).click();
    // The choice is that of the browser, so it reaches all tabs.
    for (const tab of tabs) await tab.getByRole('button', { name: 'Notify me', pressed: false }).waitFor();
    await ask(store, 'r-3');
    for (const tab of tabs) await tab.getByRole('link', { name: 'Needs you (3)' }).waitFor();
    expect(await all()).toHaveLength(2);
  });

  it('come to a hidden tab, which receives no changes', async () => {
    const { page, store } = await opened();
    await page.clock.install();
    await page.reload();
    await turnOn(page);
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));`);
    await ask(store, 'r-1');
    await page.clock.fastForward(15_000);
    await expect.poll(() => shownIn(page)).toHaveLength(1);
  });

  it('are not offered again once they are denied', async () => {
    const { page } = await opened();
    await page.evaluate(`window.answer = 'denied'`);
    await page.getByRole('button', { name: 'Notify me' }).press('Enter');
    await page.getByText('Notifications are blocked').waitFor();
    expect(await page.getByRole('button', { name: /^Notify/u }).count()).toBe(0);
    // The button is gone, so the content has the focus.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
    await page.reload();
    await page.getByLabel('Colours').waitFor();
    expect(await page.getByRole('button', { name: /^Notify/u }).count()).toBe(0);
    expect(await page.evaluate('window.asked')).toBe(0);
  });

  it('are not offered by a browser that has none', async () => {
    const { url } = await dashboard();
    const { page } = await openTab('about:blank');
    await page.context().addInitScript('delete window.Notification');
    await page.goto(url);
    await page.getByLabel('Colours').waitFor();
    expect(await page.getByRole('button', { name: /^Notify/u }).count()).toBe(0);
  });
});

// --- internal ---

/** Opens a dashboard in a browser that has a screen, and has not been asked. */
async function opened(): Promise<{ readonly page: Page; readonly store: RunStore; readonly base: string }> {
  const { url, store } = await dashboard();
  const { page } = await openTab('about:blank');
  const base = url.replace(/\?.*/u, '');
  await page.context().addInitScript(SCREEN);
  await page.goto(url);
  await page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
  return { page, store, base };
}

/** Turns notifications on, on the list of runs, which needs no items itself. It waits until the open ones are known. */
async function turnOn(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  const read = page.waitForResponse(/\/api\/inbox$/u);
  await page.getByRole('button', { name: 'Notify me', pressed: false }).click();
  await page.getByRole('button', { name: 'Notifying', pressed: true }).waitFor();
  await (await read).finished();
}

/** Starts a run that asks a person, and waits until it does. */
async function ask(store: RunStore, runId: string): Promise<void> {
  const draft = fake('draft', { verdicts: [`ESCALATE: ${SECRET}`] });
  const run = startRun(pipelineOf('story', [draft]), { store, runId });
  onTestFinished(async () => {
    run.cancel('the test is over');
    await run.result;
  });
  await expect.poll(() => run.inbox().length).toBe(1);
}

/** The notifications of a tab so far: title and body. */
function shownIn(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>('(window.shown ?? []).map(({ title, body }) => `${title}: ${body}`)');
}
