/**
 * Text of models, files and people is shown as text, whatever markup it contains.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { escalate, memoryStore, readRun, retry, startRun } from '../../src/index.ts';
import { copyRun } from '../../src/runtime/records/copy-run.ts';
import { fake } from '../rig.ts';
import { dashboard, type Served } from './dashboard.ts';
import { goTo, placesOf, type Place } from './places.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

const MARKUP = '<script>window.pwned = 1</script><img src="x" onerror="window.pwned = 2">${1}{{1}}';
const TURNED = 'ends in \u202Etxt.exe\u202C and \u2066hides\u2069';
/** A text of one long line. */
const LONG = 'x'.repeat(1_000_000);
const PHASE = `draft ${MARKUP} ${TURNED}`;
const RUN = 'r/../<b>&?#"\'';

describe('hostile text', () => {
  it.each([1280, 400])('is text in every place, and widens none of %i pixels', async (width) => {
    const served = await hostile();
    const { page } = await openTab(served.url, { viewport: { width, height: 900 } });
    const widths: Record<string, number> = {};
    const places = await placesIn(served);
    for (const place of places) {
      await goTo(page, place);
      await expectHarmless(page, place);
      widths[place.name] = Number(await page.evaluate('document.documentElement.scrollWidth'));
    }
    expect(widths).toEqual(Object.fromEntries(places.map(({ name }) => [name, width])));
  });

  it('is legible', async () => {
    const served = await hostile();
    const { page } = await openTab(served.url);
    const [item] = (await placesIn(served)).filter(({ name }) => name === 'item');
    if (item) await goTo(page, item);
    await page.getByText('<script>window.pwned = 1</script>').first().waitFor();
    // Marks that reverse the direction of text are shown by code, and have no effect.
    await page.getByText('⟨U+202E⟩txt.exe').first().waitFor();
  });
});

// --- internal ---

/** Starts a dashboard with a run that waits for a person and is hostile in each of its texts. */
async function hostile(): Promise<Served> {
  const served = await dashboard({ user: `ada ${MARKUP}`, storeName: `runs ${MARKUP} ${TURNED}.db` });
  const output = { [MARKUP]: TURNED, long: LONG, words: 'a '.repeat(50_000) };
  const draft = fake(PHASE, {
    outputs: [output, { ...output, [MARKUP]: `${TURNED} again` }],
    reviewers: {
      [`critic ${MARKUP}`]: [retry(`${MARKUP} ${TURNED} ${LONG}`), escalate(`${MARKUP} ${TURNED} ${LONG}`)],
    },
  });
  const made = memoryStore();
  const run = startRun(pipelineOf(`story ${MARKUP} ${TURNED}`, [draft, fake('next', { after: [PHASE] })]), {
    store: made,
    runId: 'r',
  });
  onTestFinished(() => run.cancel(MARKUP));
  await expect.poll(async () => (await made.inbox({ open: true })).length).toBe(1);
  // An earlier version has kept a run with this id.
  await copyRun(served.store, RUN, await readRun(made, 'r'), { startedAt: Date.now() });
  return served;
}

async function placesIn({ store }: Served): Promise<readonly Place[]> {
  const [item] = await store.inbox({ open: true });
  return placesOf(RUN, PHASE, item?.id ?? '');
}

async function expectHarmless(page: Page, { name }: Place): Promise<void> {
  const found = await page.evaluate(`({
    pwned: window.pwned ?? 'no',
    made: document.querySelectorAll('img[src="x"], script:not([src]), [onerror], b').length,
    turned: document.body.innerText.match(/.{0,20}[\\u202A-\\u202E\\u2066-\\u2069].{0,20}/gu) ?? 'none',
  })`);
  expect([name, found]).toEqual([name, { pwned: 'no', made: 0, turned: 'none' }]);
}
