/**
 * Titles, icons, colours, unknown addresses and commands of the dashboard in a browser.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRun } from '../../src/index.ts';
import { fake } from '../rig.ts';
import { dashboard, serveOn } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

describe('the browser tab', () => {
  it('has names in its title, and the state in its icon', async () => {
    const { page, go, run, item } = await asked();
    await tabOf(page, '(1) Needs you · phasegate', '/icon-warn.svg');
    await go(`#/item/${encodeURIComponent(item)}`);
    await tabOf(page, '(1) draft waits for a decision, story · phasegate', '/icon-warn.svg');
    await go('#/run/r-1');
    await tabOf(page, '(1) story waits for you, r-1 · phasegate', '/icon-warn.svg');
    await run.answer(item, { type: 'decide', decision: 'REJECT: No.' });
    await tabOf(page, 'story rejected, r-1 · phasegate', '/icon-bad.svg');
    await go('#/');
    await tabOf(page, 'Needs you · phasegate', '/icon.svg');
  });
});

describe('an address that leads nowhere', () => {
  it.each<[hash: string, heading: string, text: RegExp]>([
    ['#/nothing/here', 'This address leads nowhere', /There is no page #\/nothing\/here\./u],
    ['#/run/unknown', 'This run cannot be shown', /RUN_UNKNOWN/u],
    ['#/item/r-1:999', 'This item cannot be shown', /ITEM_UNKNOWN/u],
  ])('says so: %s', async (hash, heading, text) => {
    const { page, go, allow } = await asked();
    allow(/404/u);
    await go(hash);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.getByRole('main').filter({ hasText: text }).waitFor();
  });
});

describe('the colours', () => {
  it('follow the system, until the user chooses, also after a reload', async () => {
    const { page } = await asked();
    const paper = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const light = await paper();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.getByLabel('Colours').selectOption('light');
    expect(await paper()).toBe(light);
    await page.reload();
    await page.getByLabel('Colours').waitFor();
    expect(await paper()).toBe(light);
    await page.getByLabel('Colours').selectOption('system');
    expect(await paper()).toBe(dark);
  });
});

describe('"copy as command"', () => {
  it('gives the answer of the form, if a shell runs it', async () => {
    const { page, go, run, store, item, file } = await asked();
    await go(`#/item/${encodeURIComponent(item)}`);
    const reason = `It isn't "good"; $HOME`;
    await page.getByRole('radio', { name: /^Reject/u }).check();
    expect(await page.getByRole('button', { name: /^Copy as command/u }).count()).toBe(0);
    await page.getByLabel('Why?').fill(reason);
    const button = page.getByRole('button', { name: /^Copy as command ?: this answer/u });
    const line = (await button.getAttribute('title')) ?? '';
    expect(line).toContain(file);
    await shell(line);
    expect((await run.result).status).toBe('rejected');
    expect((await store.item(item))?.outcome).toBe(`REJECT: ${reason}`);
  });

  it('is beside each action of a run', async () => {
    const { page, go, run, file } = await asked();
    await go('#/run/r-1');
    const line = await page.getByRole('button', { name: /^Copy as command ?: Cancel/u }).getAttribute('title');
    expect(line).toBe(`phasegate cancel r-1 --store ${file}`);
    await shell(line ?? '');
    expect((await run.result).status).toBe('cancelled');
  });
});

// --- internal ---

async function tabOf(page: Page, title: string, icon: string): Promise<void> {
  await expect
    .poll(async () => [await page.title(), await page.locator('link[rel="icon"]').getAttribute('href')])
    .toEqual([title, icon]);
}

/** Runs a command line with the built program as `phasegate`. */
async function shell(line: string): Promise<void> {
  const program = join(import.meta.dirname, '../..', process.env['PHASEGATE_BUILD'] ?? 'dist', 'cli/main.js');
  const script = `phasegate() { '${process.execPath}' '${program}' "$@"; }\n${line}`;
  await promisify(execFile)('sh', ['-c', script], { env: { PATH: process.env['PATH'], USER: 'ada' } });
}

/** Starts a run that waits for a decision, and opens a tab on its dashboard, which names the file of its store. */
async function asked() {
  const { store, file } = await dashboard();
  const { url } = await serveOn(store, { storeName: file });
  const run = startRun(pipelineOf('story', [fake('draft', { verdicts: ['ESCALATE: Well?'] })]), {
    store,
    runId: 'r-1',
  });
  onTestFinished(async () => {
    run.cancel('the test is over');
    await run.result;
  });
  await expect.poll(() => run.inbox().length).toBe(1);
  const { page, allow } = await openTab(url);
  const base = url.replace(/\?.*/u, '');
  const go = (hash: string) => page.goto(`${base}${hash}`);
  return { page, allow, run, store, file, go, item: run.inbox()[0]?.id ?? '' };
}
