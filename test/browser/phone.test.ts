/**
 * Answers on a phone: the question and the material can be read, and the answer can be reached and sent with a thumb.
 *
 * @module
 */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { definePipeline, human, phase, startRun, task, type Run } from '../../src/index.ts';
import { dashboard } from './dashboard.ts';
import { openTab } from './tab.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
const LANDSCAPE = { ...PHONE, viewport: { width: 844, height: 390 } } as const;

describe('an item on a phone', () => {
  it('begins with the question, and keeps the way to the answer in sight', async () => {
    const { page } = await asked();
    await page.getByRole('heading', { level: 1, name: QUESTION }).waitFor();
    const way = page.getByRole('button', { name: 'Go to the answer' });
    await expectInWindow(way);
    await page.evaluate('scrollBy(0, 400)');
    await expectInWindow(way);
  });

  it.each([
    ['upright', PHONE],
    ['on its side', LANDSCAPE],
  ] as const)('is sent back with feedback, %s: field and button are in sight', async (_, device) => {
    const { page, run } = await asked(device);
    const item = run.inbox()[0]?.id;
    expect(item).toBeDefined();
    await page.getByRole('button', { name: 'Go to the answer' }).tap();
    await expectInWindow(page.getByRole('radio', { name: /^Approve/u }));
    await page.getByRole('radio', { name: /^Retry/u }).tap();
    await page.getByLabel('What to change?').fill('Say how long it takes.');
    await expectInWindow(page.getByRole('button', { name: 'Send: retry' }));
    await page.getByRole('button', { name: 'Send: retry' }).tap();
    await expectInWindow(page.getByRole('heading', { name: 'Answered' }));
    await page.getByText(/^Sent back to/u).waitFor();
    await expect.poll(() => run.inbox().map(({ id }) => id)).not.toContain(item);
    // The button of the phone leads back to the page before.
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
  });

  it('breaks no word of a table, which scrolls by itself', async () => {
    const { page } = await asked();
    const cell = page.getByRole('cell', { name: 'Documents' });
    const line = Number.parseFloat(await styleOf(cell, 'lineHeight'));
    expect((await cell.boundingBox())?.height).toBeLessThan(2 * line);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('says next to the answer that somebody else was faster, and keeps the typed text', async () => {
    const { page, run } = await asked();
    await page.getByRole('button', { name: 'Go to the answer' }).tap();
    await page.getByRole('radio', { name: /^Retry/u }).tap();
    await page.getByLabel('What to change?').fill('Say how long it takes.');
    await run.answer(run.inbox()[0]?.id ?? '', { type: 'decide', decision: 'REJECT: Too late.' }, { by: 'ben' });
    const note = page.getByRole('form', { name: 'Answer' }).locator('.blocked');
    await note.getByText('The item is closed, so nothing can be sent.').waitFor();
    await note.getByText('ben: Rejected; the run has ended as rejected.').waitFor();
    await expectInWindow(note);
    expect(await page.getByLabel('What to change?').inputValue()).toBe('Say how long it takes.');
    expect(await page.getByRole('button', { name: 'Go to the answer' }).count()).toBe(0);
    // A person who comes later has typed nothing, and sees no choices.
    await page.evaluate('sessionStorage.clear()');
    await page.reload();
    await note.getByText('ben: Rejected').waitFor();
    expect(await page.getByRole('radio', { name: /^Approve/u }).count()).toBe(0);
  });

  it('has fields that a phone does not zoom into, and choices of the size of a thumb', async () => {
    const { page } = await asked();
    await page.getByRole('radio', { name: /^Retry/u }).tap();
    expect(Number.parseFloat(await styleOf(page.getByLabel('What to change?'), 'fontSize'))).toBeGreaterThanOrEqual(16);
    for (const label of await page.locator('.choices label').all())
      expect((await label.boundingBox())?.height).toBeGreaterThanOrEqual(36);
  });
});

// --- internal ---

const QUESTION = 'May these notes be published?';

const NOTES = [
  '# Release 4.2',
  '',
  '| Plan | Documents | Searches | Recorded | Euros | Support |',
  '|---|---|---|---|---|---|',
  '| Company | 1000000 | unlimited | forever | 499 | telephone |',
  '',
  ...Array.from({ length: 40 }, (_, at) => `Paragraph ${at} says what has changed.\n`),
].join('\n');

/** Starts a run that asks a person about notes, and opens the item by way of the first page. */
async function asked(device: typeof PHONE | typeof LANDSCAPE = PHONE): Promise<{
  readonly page: Page;
  readonly run: Run<unknown>;
}> {
  const { store, url } = await dashboard();
  const notes = phase('notes', {
    tasks: [task('draft', { run: () => NOTES })],
    review: human({ question: QUESTION, description: 'They go to all customers.' }),
  });
  const run = startRun(definePipeline({ name: 'release', phases: [notes] }), { store, runId: 'r-1' });
  onTestFinished(async () => {
    run.cancel('the test is over');
    await run.result;
  });
  const { page } = await openTab(url, device);
  await page.getByRole('link', { name: QUESTION }).tap();
  await page.getByText('Paragraph 39').waitFor();
  return { page, run };
}

/** Waits until all of an element is in the window, and nothing covers its middle. */
async function expectInWindow(element: Locator): Promise<void> {
  await element.waitFor();
  await expect
    .poll(() =>
      element.evaluate((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return top >= 0 && bottom <= innerHeight + 1 && hit !== null && (one.contains(hit) || hit.contains(one));
      }),
    )
    .toBe(true);
}

async function styleOf(element: Locator, name: 'fontSize' | 'lineHeight'): Promise<string> {
  return element.evaluate((one, property) => String(Reflect.get(getComputedStyle(one), property)), name);
}
