/**
 * Browser pages that fail the test if they log an error, throw, or violate their content security policy.
 *
 * All files of one worker share a browser, which starts with the first page, and ends with the worker. A test file
 * looks like this:
 *
 * ```ts
 * const { store, url } = await dashboard();            // a server with a store of its own
 * const run = startRun(pipeline, { store });           // real runs; `held()` of the rig ends work by hand
 * const { page } = await openTab(url);                 // the address with the token leads into the app
 * await expectText(page.getByRole('heading', { level: 1 }), 'Needs you');
 * ```
 *
 * Tests wait for conditions by locators or by `expect.poll`. Nothing sleeps.
 *
 * @module
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { launch } from './chromium.ts';

/** A page, and the errors that it may log. */
export interface Tab {
  readonly page: Page;
  /** Permits console errors that match, such as those that browsers log for each refused request. */
  readonly allow: (expected: RegExp) => void;
}

/** Opens a page in a browser context of its own. It closes with the test. */
export async function openTab(url: string, options: BrowserContextOptions = {}): Promise<Tab> {
  browser ??= launch();
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const tab = watch(page);
  onTestFinished(() => context.close());
  await page.goto(url);
  return tab;
}

/** Opens a page in a browser without shared workers, so that the page has the event stream itself. Its second tabs have none either. */
export async function openTabAlone(url: string): Promise<Tab> {
  const tab = await openTab('about:blank');
  await tab.page.context().addInitScript('delete window.SharedWorker');
  await tab.page.goto(url);
  return tab;
}

/** Opens another page in the same browser context, with the same cookies. */
export async function openSecondTab(page: Page, url: string): Promise<Tab> {
  const other = await page.context().newPage();
  const tab = watch(other);
  await other.goto(url);
  return tab;
}

// --- internal ---

/** The timeout of a wait, in milliseconds. It is long, as other tests slow the machine down. */
const PATIENCE = 60_000;

let browser: Promise<Browser> | undefined;

function watch(page: Page): Tab {
  const said: string[] = [];
  const allowed: RegExp[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') said.push(message.text());
  });
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('crash', () => said.push('The page has crashed'));
  onTestFinished(() => {
    expect(said.filter((text) => !allowed.some((one) => one.test(text)))).toEqual([]);
  });
  return { page, allow: (expected) => void allowed.push(expected) };
}
