/**
 * The order of a run's page and of an item in a browser: what matters comes first, on wide and on narrow screens.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { definePipeline, human, phase, reject, startRun, task } from '../../src/index.ts';
import { dashboard } from './dashboard.ts';
import { openTab } from './tab.ts';

const WIDE = { width: 1280, height: 500 };
const NARROW = { width: 390, height: 700 };

describe("a run's page", () => {
  it('begins with the input, and with the result once the run is over', async () => {
    const { page, run, open } = await asked(WIDE);
    await open();
    await expectOrder(page, ['.run-head', '.run-story', '.run-details', '.time-bar', '.tabs', '.run-view']);
    await page.locator('.run-story summary', { hasText: 'Write about bees.' }).waitFor();
    expect(await page.getByRole('region', { name: 'Result' }).count()).toBe(0);
    await page.locator('.run-story summary').click();
    await page.locator('.run-story pre', { hasText: 'Write about bees.' }).waitFor();
    await page.getByRole('link', { name: 'Answer', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Good?' }).waitFor();
    await run.answer(run.inbox()[0]?.id ?? '', { type: 'decide', decision: 'APPROVE' });
    await open();
    await page.getByRole('region', { name: 'Result' }).getByText('Bees fly.').waitFor();
    // The result of the draft is no result of the run if a later phase needs it.
    expect(await page.getByRole('region', { name: 'Result' }).innerText()).not.toContain('outline');
    expect(await page.getByRole('link', { name: 'Answer', exact: true }).count()).toBe(0);
  });

  it('has a head of one line that stays visible', async () => {
    const { page, open } = await asked(WIDE);
    await open();
    const head = page.locator('.run-head');
    // Questions arrive after the run, and the link to their answer with them.
    await head.getByRole('link', { name: 'Answer', exact: true }).waitFor();
    expect(await head.innerText()).toMatch(/paper\s*‖ waits for you[\s\S]*1 of 2 phases approved\s*\$0\.25\s*Answer/u);
    const { height = 0 } = (await head.boundingBox()) ?? {};
    expect(height).toBeLessThan(60);
    // The page becomes longer as its parts arrive.
    await expect.poll(() => page.evaluate('scrollTo(0, document.body.scrollHeight), scrollY')).toBeGreaterThan(100);
    expect((await head.boundingBox())?.y).toBe(0);
  });

  it('shows the view first on a phone, and its head still has one line', async () => {
    const { page, open } = await asked(NARROW);
    await open();
    await expectOrder(page, ['.run-head', '.open-items', '.tabs', '.run-view', '.run-story', '.time-bar']);
    expect((await page.locator('.run-head').boundingBox())?.height).toBeLessThan(60);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it.each([
    ['wide', WIDE, ['.run-head', '.end-causes', '.run-story', '.run-view']],
    ['narrow', NARROW, ['.run-head', '.end-causes', '.run-view', '.run-story']],
  ] as const)('says on a %s screen why the run failed, with a way to the phase', async (_, viewport, order) => {
    const { store, url } = await dashboard();
    const load = phase('load', {
      tasks: [task('rows', { run: () => Promise.reject(new Error('Line 48 has 3 columns.')) })],
    });
    const look = phase('look', {
      tasks: [task('see', { run: () => 'an image' })],
      review: { by: task('ben', { run: () => reject('It is too dark.') }) },
    });
    const after = phase('after', { after: ['load'], tasks: [task('t', { run: () => 1 })] });
    const pipeline = definePipeline({ name: 'import', phases: [look, load, after], policy: { onFailure: 'continue' } });
    const run = startRun(pipeline, { store, runId: 'r-1', input: 'rows' });
    expect((await run.result).status).toBe('failed');
    const { page } = await openTab(`${url}#/run/r-1`, { viewport });
    await expectOrder(page, order);
    const causes = page.getByRole('list', { name: 'Why the run is failed' }).getByRole('listitem');
    await expect
      .poll(() => causes.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^look\s+✗ rejected\s+It is too dark\.$/u),
        expect.stringMatching(/^load\s+✗ failed\s+Line 48 has 3 columns\.$/u),
      ]);
    await causes.getByRole('link', { name: 'load' }).click();
    await page.getByRole('complementary', { name: 'Phase load' }).waitFor();
  });

  it('keeps its views near, however long the result is', async () => {
    const { store, url } = await dashboard();
    const long = Array.from({ length: 200 }, (_, at) => `Line ${at}.`).join('\n');
    const phases = ['a', 'b', 'c', 'd'].map((name) => phase(name, { tasks: [task('write', { run: () => long })] }));
    await startRun(definePipeline({ name: 'long', phases }), { store, runId: 'r-1' }).result;
    const { page } = await openTab(`${url}#/run/r-1`, { viewport: { width: 1440, height: 900 } });
    await page.getByRole('region', { name: 'Result' }).getByText('Line 1.').first().waitFor();
    const { y = Number.NaN } = (await page.locator('.tabs').boundingBox()) ?? {};
    expect(y).toBeLessThan(700);
  });

  it('shows the whole graph also next to the panel of a phase', async () => {
    const { store, url } = await dashboard();
    const names = ['first', 'second', 'third'];
    const phases = names.map((name, at) =>
      phase(name, { after: names.slice(Math.max(0, at - 1), at), tasks: [task('t', { run: () => 1 })] }),
    );
    await startRun(definePipeline({ name: 'three', phases }), { store, runId: 'r-1' }).result;
    const { page } = await openTab(`${url}#/run/r-1`, {
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    });
    const boxes = page.locator('.phase-graph [data-phase]');
    await expect.poll(() => boxes.count()).toBe(3);
    const areInView = async () => {
      const canvas = await page.locator('.phase-graph').boundingBox();
      const all = await Promise.all((await boxes.all()).map((box) => box.boundingBox()));
      if (!canvas || all.length < 3) return false;
      return all.every((box) => box !== null && box.x >= canvas.x && box.x + box.width <= canvas.x + canvas.width);
    };
    await expect.poll(areInView).toBe(true);
    await boxes.filter({ hasText: 'first' }).click();
    await page.getByRole('complementary', { name: 'Phase first' }).waitFor();
    await expect.poll(areInView).toBe(true);
  });

  it('shows attempts before the statechart in the panel of a phase', async () => {
    const { page, open } = await asked(WIDE);
    await open('?phase=draft');
    await expectOrder(page, ['.phase-panel .attempts', '.phase-panel .phase-facts', '.phase-panel .chart-box']);
    const panel = page.getByRole('complementary', { name: 'Phase draft' });
    await panel.getByText('waits for you').waitFor();
  });
});

describe('an item', () => {
  it('begins with what must be judged, and ends with statistics', async () => {
    const { page, item } = await asked(WIDE);
    await page.goto(item);
    await page.getByRole('region', { name: 'Latest attempt: attempt 1' }).getByText('Bees fly.').waitFor();
    await expectOrder(page, ['h1', '.about', '#attempt-heading', '#inputs-heading', '#usage-heading']);
  });
});

// --- internal ---

/** Checks that elements are below each other, in this order. */
async function expectOrder(page: Page, places: readonly string[]): Promise<void> {
  const tops: number[] = [];
  for (const place of places) {
    const element = page.locator(place).first();
    await element.waitFor();
    tops.push((await element.boundingBox())?.y ?? Number.NaN);
  }
  expect(tops, places.join(' above ')).toEqual(tops.toSorted((a, b) => a - b));
  expect(new Set(tops).size).toBe(tops.length);
}

/** Starts a run that asks a person about its last phase. */
async function asked(viewport: { readonly width: number; readonly height: number }) {
  const { store, url } = await dashboard();
  const plan = phase('plan', {
    tasks: [
      task('outline', {
        run: ({ report }) => {
          report({ costUsd: 0.25 });
          return 'an outline';
        },
      }),
    ],
  });
  const draft = phase('draft', {
    after: ['plan'],
    tasks: [task('write', { run: () => 'Bees fly.' })],
    review: { by: task('ada', { run: human({ question: 'Good?' }) }) },
  });
  const pipeline = definePipeline({ name: 'paper', phases: [plan, draft] });
  const run = startRun(pipeline, { store, runId: 'r-1', input: 'Write about bees.' });
  onTestFinished(async () => {
    run.cancel('the test is over');
    await run.result;
  });
  await expect.poll(() => run.inbox().length).toBe(1);
  const { page } = await openTab(url, { viewport });
  const base = url.replace(/\?.*/u, '');
  return {
    page,
    run,
    item: `${base}#/item/${encodeURIComponent(run.inbox()[0]?.id ?? '')}`,
    open: (query = '') => page.goto(`${base}#/run/r-1${query}`),
  };
}
