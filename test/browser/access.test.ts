/**
 * Accessibility of every place: names, headings, contrast and narrow windows, in light and dark, with and without
 * motion.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { dashboard } from './dashboard.ts';
import { flawsOf } from './flaws.ts';
import { goTo, placesOf, type Place } from './places.ts';
import { RUN, startStory } from './story.ts';
import { openTab } from './tab.ts';

const WINDOWS = [
  { name: 'light', colorScheme: 'light', reducedMotion: 'no-preference', width: 1280 },
  { name: 'dark', colorScheme: 'dark', reducedMotion: 'no-preference', width: 1280 },
  { name: 'narrow, without motion', colorScheme: 'light', reducedMotion: 'reduce', width: 400 },
] as const;

describe('every place', () => {
  it.each(WINDOWS)('has no flaws in a window that is $name', async ({ colorScheme, reducedMotion, width }) => {
    const { url, places } = await told();
    const { page } = await openTab(url, { colorScheme, reducedMotion, viewport: { width, height: 800 } });
    const flaws: Record<string, readonly string[]> = {};
    for (const place of places) {
      await goTo(page, place);
      flaws[place.name] = await flawsOf(page);
    }
    expect(flaws).toEqual(Object.fromEntries(places.map(({ name }) => [name, []])));
  });
});

// --- internal ---

/** Starts a dashboard with a run that waits for a person after a retry and a rewind. */
async function told(): Promise<{ readonly url: string; readonly places: readonly Place[] }> {
  const { url, store } = await dashboard();
  const { drafts } = startStory(store);
  for (const draft of drafts) draft.release('a draft');
  await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);
  const [item] = await store.inbox({ open: true });
  return { url, places: placesOf(RUN, 'draft', item?.id ?? '') };
}
