/**
 * The views of a run in a browser (graph, list, timeline, phase panel, records), and navigation by keyboard.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import { foldRunInfo } from '../../src/projections/run/run-info.ts';
import { fake, play, simulatedTime } from '../rig.ts';
import { dashboard } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

describe('the graph of a run', () => {
  it('is navigated by keyboard: along edges, into the panel of a phase, and back', async () => {
    const { page } = await openEnded();
    const graph = page.getByRole('application', { name: /^Graph of the phases/u });
    const plan = graph.getByRole('button', { name: /^plan approved/u });
    await plan.focus();
    await plan.press('ArrowRight');
    const draft = graph.getByRole('button', { name: /^draft approved/u });
    await expectFocus(page, /^draft/u);
    await draft.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Phase draft' });
    await panel.getByRole('heading', { level: 2, name: 'draft' }).waitFor();
    await expectFocus(page, /^draft$/u);
    expect(await draft.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await expectFocus(page, /^draft \W*approved/u);
    await page.keyboard.press('ArrowRight');
    await expectFocus(page, /^check/u);
    await page.keyboard.press('Home');
    await expectFocus(page, /^plan/u);
  });

  it('moves to the phase that is searched for, also after a reload', async () => {
    const served = await dashboard();
    const names = Array.from({ length: 60 }, (_, at) => `step-${at}`);
    const steps = names.map((name, at) => fake(name, at === 0 ? {} : { after: [`step-${at - 1}`] }));
    await startRun(pipelineOf('long', steps), { store: served.store, runId: 'long' }).result;
    const { page } = await openTab(`${served.url}#/run/long`);
    const graph = page.getByRole('application', { name: /^Graph of the phases/u });
    const last = graph.getByRole('button', { name: /^step-59 approved/u });
    await graph.getByRole('button', { name: /^step-0 approved/u }).waitFor();
    expect(await last.count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Name' }).fill('step-59');
    const isInWindow = async () => {
      const [outer, inner] = [await graph.boundingBox(), await last.boundingBox({ timeout: 1000 }).catch(() => null)];
      return outer !== null && inner !== null && inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width;
    };
    await expect.poll(isInWindow).toBe(true);
    await page.reload();
    await expect.poll(isInWindow).toBe(true);
  });

  it('draws the rewinds between phases, with their number', async () => {
    const { page } = await openEnded();
    await page.locator('.way-label', { hasText: '1×' }).waitFor();
    expect(await page.locator('.ways .gone').count()).toBe(1);
    // Each of the two forward paths begins in a column of its own.
    expect(await page.locator('.ways .ahead').count()).toBe(2);
  });

  it('is also a list, filtered by name and status, with the search in the address', async () => {
    const { page } = await openEnded();
    await page.getByRole('link', { name: 'As a list' }).click();
    const table = page.getByRole('region', { name: 'Table of phases' }).getByRole('table');
    const rows = () => table.locator('tbody th').allInnerTexts();
    await expect.poll(rows).toEqual(['plan', 'draft', 'check']);
    await page.getByRole('searchbox', { name: 'Name' }).fill('RAF');
    await expect.poll(rows).toEqual(['draft']);
    await page.reload();
    await expect.poll(rows).toEqual(['draft']);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('approved');
    await page.getByText('1 of 3 phases').waitFor();
    await table.getByRole('link', { name: 'draft' }).click();
    await page.getByRole('complementary', { name: 'Phase draft' }).waitFor();
    expect(page.url()).toMatch(/phase=draft.*as=list&find=RAF&only=approved/u);
  });
});

describe('the panel of a phase', () => {
  it('shows the statechart, the definition, and all attempts with their feedback', async () => {
    const { page } = await openEnded('?phase=draft');
    const panel = page.getByRole('complementary', { name: 'Phase draft' });
    await panel.getByText('The machine is in the state approved.').waitFor();
    expect(await panel.locator('.chart .state.current').textContent()).toBe('approved');
    expect(await panel.locator('.phase-facts dd').first().innerText()).toBe('plan');
    await panel.getByRole('heading', { name: '3 attempts' }).waitFor();
    const attempts = panel.locator('.attempts > li');
    expect(await attempts.locator('summary strong').allInnerTexts()).toEqual(['Attempt 3', 'Attempt 2', 'Attempt 1']);
    const latest = attempts.first();
    await latest.getByText('Change requested by check').waitFor();
    await latest.getByText('Cite a source.').waitFor();
    await latest.getByText('a draft with a source').waitFor();
    await latest.getByText('Changes since Attempt 2').click();
    await latest.locator('.diff').waitFor();
    await attempts.nth(1).locator('summary').first().click();
    await attempts.nth(1).getByText('a short draft').waitFor();
  });

  it('shows the phase as it was at a record', async () => {
    const { page, store } = await openEnded();
    const first = (await store.read(RUN)).find(({ event }) => event.type === 'phase.retrying')?.seq ?? 0;
    await page.goto(`${page.url().replace(/#.*/u, '')}#/run/${RUN}?phase=draft&at=${first}`);
    const panel = page.getByRole('complementary', { name: 'Phase draft' });
    await panel.getByText('The machine is in the state retrying.').waitFor();
    await panel.getByRole('heading', { name: '1 attempt' }).waitFor();
    await panel.getByText('sent back for rework').waitFor();
  });
});

describe('the timeline of a run', () => {
  it('is navigated by keyboard, and each bar leads to its attempt', async () => {
    const { page } = await openEnded('?tab=timeline');
    const bars = page.getByRole('region', { name: /^Bars of the timeline/u });
    const first = bars.getByRole('link', { name: /^plan, work, attempt 1/u });
    await first.focus();
    // The focused bar stays in sight during zooming, although it is not in the middle.
    for (const key of ['+', '+', '+']) await page.keyboard.press(key);
    await expectFocus(page, /^plan, work, attempt 1/u);
    await page.keyboard.press('0');
    await page.keyboard.press('ArrowDown');
    await expectFocus(page, /^draft, work, attempt 1/u);
    await page.keyboard.press('ArrowRight');
    await expectFocus(page, /^draft, review, attempt 1.*sent back for rework/u);
    await page.keyboard.press('+');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expectFocus(page, /^draft, (?:work|waits to start again|review), attempt \d/u);
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Phase draft' });
    await panel.getByRole('heading', { name: '3 attempts' }).waitFor();
    expect(page.url()).toContain('attempt=');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'As a table' }).click();
    const table = page.getByRole('region', { name: 'Table of the timeline' });
    await table.getByRole('cell', { name: 'sent back an earlier phase' }).waitFor();
  });

  it('shortens a night of waiting, unless the true scale is chosen', async () => {
    const { page } = await openNight();
    const work = page.getByRole('link', { name: /^b, work, attempt 1, 8.0 s/u });
    const short = page.getByRole('checkbox', { name: 'Shorten long waits' });
    await page.getByText('1 wait, 12 h 00 min in all').waitFor();
    const wide = (await work.boundingBox())?.width ?? 0;
    expect(wide).toBeGreaterThan(200);
    // Ticks are drawn only over working time, and do not overlap.
    const ticks = page.locator('.timeline-axis .tick');
    const lefts = await Promise.all((await ticks.all()).map(async (one) => (await one.boundingBox())?.x ?? 0));
    expect(lefts.length).toBeGreaterThan(3);
    for (const [at, left] of lefts.entries()) if (at > 0) expect(left - (lefts[at - 1] ?? 0)).toBeGreaterThan(80);
    expect((await ticks.allInnerTexts()).at(-1)).toMatch(/^12:00:\d\d$/u);
    await short.click();
    await expect.poll(async () => (await work.boundingBox())?.width).toBeLessThan(20);
    await short.click();
    await expect.poll(async () => (await work.boundingBox())?.width).toBe(wide);
  });
});

describe('time travel', () => {
  it('steps from decision to decision by keys, describes each, and returns to now', async () => {
    const { page, store } = await openEnded();
    const decisions = (await store.read(RUN)).flatMap(({ seq, event }) =>
      event.type === 'review.decided' ? [seq] : [],
    );
    const count = (await store.read(RUN)).length;
    const at = (seq: number) => page.getByText(`${seq} of ${count}`, { exact: true }).waitFor();
    await at(count);
    await page.keyboard.press('[');
    await at(decisions.at(-1) ?? 0);
    await page.keyboard.press('[');
    await at(decisions.at(-2) ?? 0);
    await page.locator('.time-bar .words', { hasText: 'verdict' }).waitFor();
    await page.keyboard.press(']');
    await at(decisions.at(-1) ?? 0);
    await expect.poll(() => page.url()).toContain(`at=${decisions.at(-1)}`);
    // In a text field the key types its character.
    await page.getByLabel('Name').fill('');
    await page.getByLabel('Name').press('[');
    expect(await page.getByLabel('Name').inputValue()).toBe('[');
    await at(decisions.at(-1) ?? 0);
    await page.getByRole('button', { name: 'Play' }).click();
    await at(count);
    await page.getByRole('button', { name: 'Play' }).waitFor();
  });

  it('leads from records to the run as it was', async () => {
    const { page, store } = await openEnded('?tab=records');
    await page.getByLabel('Type').selectOption('phase.rewinding');
    const table = page.getByRole('region', { name: 'Table of records' });
    await table.getByRole('cell', { name: 'sends back draft 1/2: Cite a source.' }).waitFor();
    const seq = (await store.read(RUN)).find(({ event }) => event.type === 'phase.rewinding')?.seq ?? 0;
    await table.getByRole('link', { name: String(seq), exact: true }).click();
    await page.getByText(`As of record ${seq}`).waitFor();
    await page.getByRole('link', { name: 'Graph' }).click();
    await page.getByRole('button', { name: /^check waits for rework/u }).waitFor();
    expect(page.url()).toContain(`at=${seq}`);
  });
});

describe('a run of 2000 phases', () => {
  it('draws the visible part, finds phases, and lists the most important first', { timeout: 120_000 }, async () => {
    const { store, url } = await dashboard();
    const phases = Array.from({ length: 2000 }, (_, at) =>
      fake(`phase-${at}`, {
        after: at < 50 ? [] : [`phase-${at - 50}`],
        ...(at === 1234 ? { verdicts: ['REJECT: no'] } : {}),
      }),
    );
    const run = startRun(pipelineOf('large', phases), { store, runId: 'large' });
    expect((await run.result).status).toBe('rejected');
    const { page } = await openTab(url);
    await page.goto(`${url.replace(/\?.*/u, '')}#/run/large`);
    const graph = page.getByRole('application', { name: /^Graph of the phases/u });
    await graph.getByRole('button', { name: /^phase-1234 rejected/u }).waitFor();
    expect(await graph.locator('.phase-box').count()).toBeLessThan(200);
    await graph.getByRole('button', { name: /^phase-1234 rejected/u }).focus();
    await page.keyboard.press('ArrowLeft');
    await expectFocus(page, /^phase-1184/u);
    await page.getByRole('link', { name: 'As a list' }).click();
    const table = page.getByRole('region', { name: 'Table of phases' }).getByRole('table');
    await expect.poll(async () => (await table.locator('tbody th').allInnerTexts())[0]).toBe('phase-1234');
    expect(await table.locator('tbody th').count()).toBeLessThan(100);
    expect(await table.getAttribute('aria-rowcount')).toBe('2001');
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.getByRole('link', { name: 'As a picture' }).click();
    const bars = page.getByRole('region', { name: /^Bars of the timeline/u });
    await bars.getByRole('link', { name: /^phase-0, work/u }).focus();
    await page.keyboard.press('End');
    await expectFocus(page, /^phase-\d+, (?:work|review)/u);
    expect(await bars.locator('.row').count()).toBeLessThan(100);
  });
});

// --- internal ---

const RUN = 'ended-1';

/**
 * Opens the page of a run that has ended.
 *
 * ```text
 *   plan ──▶ draft ──▶ check
 *             ▲ ▲─┘ "Make it shorter."
 *             └────────┘ "Cite a source."
 * ```
 */
async function openEnded(query = ''): Promise<{ readonly page: Page; readonly store: RunStore }> {
  const { store, url } = await dashboard();
  const phases = [
    fake('plan', { outputs: ['three points'] }),
    fake('draft', {
      after: ['plan'],
      outputs: ['a long draft', 'a short draft', 'a draft with a source'],
      verdicts: ['RETRY: Make it shorter.'],
    }),
    fake('check', { after: ['draft'], verdicts: ['RETRY_PREDECESSOR draft: Cite a source.'] }),
  ];
  const run = startRun(pipelineOf('story', phases), { store, runId: RUN });
  expect((await run.result).status).toBe('completed');
  const { page } = await openTab(url);
  await page.goto(`${url.replace(/\?.*/u, '')}#/run/${RUN}${query}`);
  await page.getByRole('heading', { level: 1, name: /story.*completed/u }).waitFor();
  return { page, store };
}

/** Opens the timeline of a run with two phases of 8 seconds. It waited all night for a person between them. */
async function openNight(): Promise<{ readonly page: Page }> {
  const { store, url } = await dashboard();
  const time = simulatedTime();
  const work = () => new Promise((resolve) => void time.clock.setTimeout(() => resolve('text'), 8000));
  const phases = [
    fake('a', { outputs: [work], verdicts: ['ESCALATE: look'] }),
    fake('b', { after: ['a'], outputs: [work] }),
  ];
  const { records } = await play(phases, {
    time,
    when: {
      'a escalated (requested): look': async (run) => {
        await time.pass(12 * 3_600_000);
        await run.decide('a', 'APPROVE');
      },
    },
  });
  const info = foldRunInfo();
  for (const record of records) info.apply(record);
  await store.append({ runId: records[0]?.runId ?? '', records, info: info.info([]), items: [], artifacts: [] });
  const { page } = await openTab(url);
  await page.goto(`${url.replace(/\?.*/u, '')}#/run/${records[0]?.runId}?tab=timeline`);
  return { page };
}

/** Waits until the focused element has that name. */
async function expectFocus(page: Page, name: RegExp): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(
        `document.activeElement?.ariaLabel ?? document.activeElement?.innerText.replace(/\\s+/g, ' ').replace(/^\\W+/, '')`,
      ),
    )
    .toMatch(name);
}
