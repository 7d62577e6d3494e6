/**
 * Pages under watch: a test fails where a page says an error, throws, or is kept from something by its policy.
 *
 * All files of one worker share a browser, which starts with the first page, and ends with the worker. A file of tests looks like this:
 *
 * ```ts
 * const { store, url } = await dashboard();            // a server with a store of its own
 * const run = startRun(pipeline, { store });           // runs that really run; `held()` of the rig ends work by hand
 * const { page } = await openTab(url);                 // the address with the token leads into the app
 * await expectText(page.getByRole('heading', { level: 1 }), 'Needs you');
 * ```
 *
 * Conditions are waited for: by locators, or by `expect.poll`. Nothing sleeps.
 *
 * @module
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { launch } from './chromium.ts';

/** A page, and what it may say. */
export interface Tab {
  readonly page: Page;
  /** Lets errors of the console pass that say this, such as those that browsers write for each answer that refuses something. */
  readonly allow: (expected: RegExp) => void;
}

/** Opens a page of its own, which shares nothing with others. It is gone after the test. */
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

/** Opens another page in the browser window of a page, with the same cookies. */
export async function openBeside(page: Page, url: string): Promise<Tab> {
  const other = await page.context().newPage();
  const tab = watch(other);
  await other.goto(url);
  return tab;
}

// --- internal ---

/** Milliseconds until a test gives up waiting: machines that test at the same time are slow. */
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
