/**
 * Times in a browser whose clock is wrong: ages and running work follow the clock of the server.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { dashboard } from './dashboard.ts';
import { goTo, placesOf } from './places.ts';
import { RUN, startStory } from './story.ts';
import { openTab } from './tab.ts';

const TEN_MINUTES = 600_000;

/** Texts of times: ahead, or minutes long. The run of this test is seconds old, if it is not slowed down beyond five minutes. */
const AHEAD = /\bin \d+ (?:s|min|h|days)\b/u;
const LONG = /\b(?:[6-9]|1\d) min\b/u;

describe('a browser whose clock is wrong', () => {
  it.each([
    ['ten minutes fast', TEN_MINUTES],
    ['ten minutes slow', -TEN_MINUTES],
  ])('shows ages and durations by the clock of the server: %s', async (_, shift) => {
    const { store, url } = await dashboard();
    const { drafts } = startStory(store);
    for (const draft of drafts) draft.release('a draft');
    const { page } = await openTab('about:blank');
    await page.clock.install({ time: Date.now() + shift });
    await page.goto(url);
    await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);
    const [item] = await store.inbox({ open: true });
    const seen = new Map<string, string>();
    for (const place of placesOf(RUN, 'check', item?.id ?? '')) {
      await goTo(page, place);
      seen.set(place.name, await page.locator('main').innerText());
    }
    const drift: unknown = await page.evaluate('Date.now()');
    expect(Math.abs(Number(drift) - Date.now())).toBeGreaterThan(TEN_MINUTES / 2);
    for (const [name, text] of seen) expect([name, AHEAD.exec(text), LONG.exec(text)]).toEqual([name, null, null]);
    // The pages do have such times.
    expect(seen.get('needs you')).toMatch(/just now|\d+ s ago/u);
    expect(seen.get('graph')).toMatch(/Elapsed\s+[\d.]+ s/u);
    expect(seen.get('timeline')).toMatch(/waits for a person/u);
  });
});
