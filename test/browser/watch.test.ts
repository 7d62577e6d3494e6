/**
 * A run is watched in a browser while it works, and viewed at earlier records.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { RunStore } from '../../src/store.ts';
import { dashboard } from './dashboard.ts';
import { RUN, startStory } from './story.ts';
import { openTab } from './tab.ts';

describe('the dashboard', () => {
  it('opens with the given address, and removes the token from the address bar', async () => {
    const { url, port } = await dashboard();
    const { page } = await openTab(url);
    await page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
    expect(page.url()).toBe(`http://127.0.0.1:${port}/`);
    expect(await page.title()).toContain('Needs you · phasegate');
  });

  it('shows a run from its start to its end: a retry, a rewind, a question that a click answers', async () => {
    const { store, url } = await dashboard();
    const { page } = await openTab(url);
    await page.getByRole('link', { name: 'Runs' }).click();
    const { run, drafts } = startStory(store);
    await page.getByRole('link', { name: 'story', exact: true }).click();

    await stand(page, [/^plan approved/u, /^draft running/u, /^check pending/u]);
    await corrections(page, 0);
    drafts[0]?.release('a long draft');
    await corrections(page, 1);
    await stand(page, [/^plan approved/u, /^draft running/u, /^check pending/u]);
    drafts[1]?.release('a short draft');
    await stand(page, [/^plan approved/u, /^draft running/u, /^check waits for rework/u]);
    await corrections(page, 2);
    drafts[2]?.release('a draft with a source');
    await stand(page, [/^plan approved/u, /^draft approved/u, /^check waits for you/u]);
    await page.getByRole('link', { name: /^Needs you \(1\)/u }).waitFor();

    await page.getByRole('region', { name: 'Waits for a person' }).getByRole('link', { name: 'check' }).click();
    await page.getByRole('heading', { level: 1, name: /check/u }).waitFor();
    await page.getByText('Is the source any good?').first().waitFor();
    await page.getByRole('radio', { name: /^Approve/u }).check();
    await page.getByRole('button', { name: 'Send: approve' }).click();
    await page.getByRole('heading', { name: 'Answered' }).waitFor();
    await page.getByRole('link', { name: /^Needs you \(0\)/u }).waitFor();
    expect((await run.result).status).toBe('completed');

    await page.goto(`${base(url)}#/run/${RUN}`);
    await page.getByRole('heading', { level: 1, name: /story.*completed/u }).waitFor();
    await stand(page, [/^plan approved/u, /^draft approved/u, /^check approved/u]);
    const [item] = await store.inbox();
    expect([item?.outcome, item?.who]).toEqual(['APPROVE', 'ada']);
  });

  it('shows everything after a reload in the middle, and continues', async () => {
    const { store, url } = await dashboard();
    const { drafts } = startStory(store);
    const { page } = await openTab(url);
    await page.goto(`${base(url)}#/run/${RUN}`);
    await stand(page, [/^plan approved/u, /^draft running/u, /^check pending/u]);
    await corrections(page, 0);
    drafts[0]?.release('a long draft');
    await corrections(page, 1);
    await stand(page, [/^plan approved/u, /^draft running/u, /^check pending/u]);
    await page.reload();
    await stand(page, [/^plan approved/u, /^draft running/u, /^check pending/u]);
    await expectAll(page, store);
    drafts[1]?.release('a short draft');
    drafts[2]?.release('a draft with a source');
    await stand(page, [/^plan approved/u, /^draft approved/u, /^check waits for you/u]);
    await expectAll(page, store);
  });

  it('shows a run at any record, with an address that leads there, and returns to now', async () => {
    const { store, url } = await dashboard();
    const { drafts } = startStory(store);
    drafts[0]?.release('a long draft');
    drafts[1]?.release('a short draft');
    const { page } = await openTab(url);
    await page.goto(`${base(url)}#/run/${RUN}`);
    await stand(page, [/^plan approved/u, /^draft running/u, /^check waits for rework/u]);

    const slider = page.getByRole('slider', { name: 'Record' });
    await slider.focus();
    await slider.press('Home');
    await expect.poll(() => page.url()).toContain('at=1');
    await stand(page, [/^plan pending/u, /^draft pending/u, /^check pending/u]);
    for (const type of ['phase.started', 'phase.approved']) {
      const seq = await firstOf(store, type);
      await page.goto(`${base(url)}#/run/${RUN}?at=${seq}`);
      await stand(page, [
        type === 'phase.started' ? /^plan running/u : /^plan approved/u,
        /^draft pending/u,
        /^check pending/u,
      ]);
    }
    await page.reload();
    await stand(page, [/^plan approved/u, /^draft pending/u, /^check pending/u]);
    // Later records do not change the view of an earlier one.
    drafts[2]?.release('a draft with a source');
    await page.getByRole('link', { name: /^Needs you \(1\)/u }).waitFor();
    await stand(page, [/^plan approved/u, /^draft pending/u, /^check pending/u]);
    await page.getByRole('button', { name: 'Live' }).click();
    await stand(page, [/^plan approved/u, /^draft approved/u, /^check waits for you/u]);
    await expect.poll(() => page.url()).not.toContain('at=');
  });
});

// --- internal ---

function base(url: string): string {
  return url.replace(/\?.*/u, '');
}

/** Waits until the phases have these statuses, in the order of the pipeline. */
async function stand(page: Page, phases: readonly (string | RegExp)[]): Promise<void> {
  const graph = page.getByRole('application', { name: /^Graph of the phases/u });
  for (const name of phases) await graph.getByRole('button', { name, exact: true }).waitFor();
}

/** Waits until the page shows that number of corrections. */
async function corrections(page: Page, count: number): Promise<void> {
  const fact = page.locator('dt', { hasText: 'Corrections' }).locator('xpath=following-sibling::dd');
  await expect.poll(() => fact.innerText()).toBe(String(count));
}

/** Waits until the page shows as many records as the store has. */
async function expectAll(page: Page, store: RunStore): Promise<void> {
  const count = (await store.read(RUN)).length;
  await page.getByText(`${count} of ${count}`, { exact: true }).waitFor();
}

async function firstOf(store: RunStore, type: string): Promise<number> {
  return (await store.read(RUN)).find(({ event }) => event.type === type)?.seq ?? 0;
}
