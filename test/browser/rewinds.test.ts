/**
 * Rewinds in the graph of a run in a browser, with 40 phases that may all send back many others.
 *
 * @module
 */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/index.ts';
import { dashboard } from './dashboard.ts';
import { flawsOf } from './flaws.ts';
import { manyRewinds, nameOf, PHASES } from './many-rewinds.ts';
import { openTab } from './tab.ts';

describe('the graph of 40 phases that may all send back others', () => {
  it('shows the allowed rewinds of the phase at the pointer, with the focus, or that is open', async () => {
    const { page } = await openMany();
    const words = page.locator('.ways-words');
    const graph = page.getByRole('application', { name: /^Graph of the phases/u });
    const box = (at: number) => graph.getByRole('button', { name: new RegExp(`^${nameOf(at)} `, 'u') });
    await box(5).waitFor();
    expect(await page.locator('.ways .possible, .ways .allowed').count()).toBe(0);
    await box(9).hover();
    await page.locator('.ways .possible').waitFor();
    expect(await headsIn(page, '.possible')).toBe((await targetsShown(page, 9)) - 1);
    expect(await words.innerText()).toMatch(/^phase 09 may send back .* It has sent back phase 01 2 times\.$/u);
    await page.getByRole('heading', { level: 1 }).hover();
    await page.locator('.ways .possible').waitFor({ state: 'detached' });
    // A phase with the focus shows the same without a pointer.
    await box(9).focus();
    await page.locator('.ways .possible').waitFor();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => words.innerText()).toMatch(/^phase 0[4-7] may send back /u);
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: /^Phase phase 0[4-7]/u }).waitFor();
    expect(await page.locator('.ways .possible').count()).toBe(1);
  });

  it('shows the rewinds that have happened at all times, and all allowed ones by a switch', async () => {
    const { page } = await openMany();
    await page.locator('.way-label').first().waitFor();
    expect((await page.locator('.way-label').allInnerTexts()).toSorted()).toEqual(['1×', '1×', '1×', '2×']);
    expect(await headsIn(page, '.gone')).toBe(4);
    const all = page.getByRole('checkbox', { name: 'All rewinds' });
    await all.check();
    // Each phase outside of the last column is sent back by another one; arrows to one phase share a head.
    await expect.poll(() => headsIn(page, '.allowed')).toBe(PHASES - 4);
    await all.uncheck();
    await page.locator('.ways .allowed').waitFor({ state: 'detached' });
    expect(await headsIn(page, '.gone')).toBe(4);
  });

  it.each([
    ['as it opens', 0],
    ['from further off', 3],
  ])('has no label on a phase or a label, and no rewind through a phase, %s', async (_, steps) => {
    const { page } = await openMany({ viewport: { width: 3400, height: 1600 } });
    await page.getByRole('checkbox', { name: 'All rewinds' }).check();
    await page.getByRole('button', { name: new RegExp(`^${nameOf(39)} `, 'u') }).focus();
    for (let step = 0; step < steps; step += 1) await page.keyboard.press('-');
    await expect.poll(() => headsIn(page, '.allowed')).toBe(PHASES - 4);
    const seen = (await page.evaluate(MEASURE)) as {
      readonly boxes: number;
      readonly labels: number;
      readonly covered: readonly string[];
      readonly crossed: readonly string[];
    };
    expect(seen.boxes).toBe(PHASES);
    expect(seen.labels).toBe(4);
    expect(seen.covered).toEqual([]);
    expect(seen.crossed).toEqual([]);
  });

  it('moves the view by the small picture, which is there only if the graph is larger than the view', async () => {
    const { page } = await openMany({ viewport: { width: 900, height: 800 } });
    const last = page.getByRole('button', { name: new RegExp(`^${nameOf(39)} `, 'u') });
    const small = page.locator('.mini-map svg');
    const frame = page.locator('.mini-map .frame');
    await small.waitFor();
    expect(await last.count()).toBe(0);
    const before = Number(await frame.getAttribute('x'));
    const { width = 0, height = 0 } = (await small.boundingBox()) ?? {};
    await small.click({ position: { x: width - 4, y: height / 2 } });
    await last.waitFor();
    expect(Number(await frame.getAttribute('x'))).toBeGreaterThan(before);
    await page.getByRole('button', { name: 'Fit View' }).click();
    await small.waitFor({ state: 'detached' });
  });

  it('is used by touch on a phone: a tap opens a phase and shows its rewinds', async () => {
    const { page } = await openMany({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const box = page.locator('.phase-box').first();
    await box.waitFor();
    const { width = 0, height = 0 } = (await page.getByRole('button', { name: 'Fit View' }).boundingBox()) ?? {};
    expect([width >= 44, height >= 44]).toEqual([true, true]);
    await page.getByRole('checkbox', { name: 'All rewinds' }).tap();
    await expect.poll(() => headsIn(page, '.allowed')).toBe(PHASES - 4);
    await page.getByRole('checkbox', { name: 'All rewinds' }).tap();
    await page.goto(`${page.url().replace(/\?.*/u, '')}?phase=${encodeURIComponent(nameOf(9))}`);
    await page.locator('.ways .possible').waitFor({ state: 'attached' });
    expect(await flawsOf(page)).toEqual([]);
  });
});

// --- internal ---

async function openMany(options: BrowserContextOptions = {}): Promise<{ readonly page: Page }> {
  const { store, url } = await dashboard();
  const run = startRun(manyRewinds(), { store, runId: 'many' });
  expect((await run.result).status).toBe('completed');
  const { page } = await openTab(url, { reducedMotion: 'reduce', ...options });
  await page.goto(`${url.replace(/\?.*/u, '')}#/run/many`);
  await page.locator('.phase-box').first().waitFor();
  return { page };
}

/** Counts the arrowheads of one kind of arrows. */
async function headsIn(page: Page, kind: string): Promise<number> {
  const data: unknown = await page.evaluate(
    `[...document.querySelectorAll('.ways ${kind}:not(.own) .heads')].map((one) => one.getAttribute('d')).join('')`,
  );
  return String(data).split('M').length - 1;
}

/** Reads from the words below the graph how many phases a phase may send back. */
async function targetsShown(page: Page, at: number): Promise<number> {
  const words = await page.locator('.ways-words').innerText();
  const list = new RegExp(`^${nameOf(at)} may send back (.*?) \\(`, 'u').exec(words)?.[1] ?? '';
  const others = Number(/(\d+) others?$/u.exec(list)?.[1] ?? 0);
  return list.split(/, | and /u).filter((one) => one.startsWith('phase')).length + others;
}

/** A script that runs in the page: labels on boxes or labels, and points of rewinds in boxes. */
const MEASURE = `(() => {
  const rectOf = (element) => element.getBoundingClientRect();
  const boxes = [...document.querySelectorAll('.phase-box')].map((box) => ({ name: box.innerText.split('\\n')[0], rect: rectOf(box) }));
  const labels = [...document.querySelectorAll('.way-label')].map((label) => ({ name: label.title, rect: rectOf(label) }));
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const covered = labels.flatMap((label, at) =>
    [...boxes, ...labels.slice(at + 1)].filter(({ rect }) => meet(rect, label.rect)).map(({ name }) => label.name + ' on ' + name),
  );
  const crossed = new Set();
  for (const kind of ['allowed', 'gone', 'possible'])
    for (const path of document.querySelectorAll('.ways .' + kind + ' .lines')) {
      const matrix = path.getScreenCTM();
      const length = path.getTotalLength();
      for (let at = 0; at <= length; at += 12) {
        const point = path.getPointAtLength(at).matrixTransform(matrix);
        for (const { name, rect } of boxes)
          if (point.x > rect.left + 1 && point.x < rect.right - 1 && point.y > rect.top + 1 && point.y < rect.bottom - 1)
            crossed.add(kind + ' through ' + name);
      }
    }
  return { boxes: boxes.length, labels: labels.length, covered, crossed: [...crossed] };
})()`;
