/**
 * Every place of the dashboard, for a run that has something to show in each.
 *
 * @module
 */
import type { Page } from 'playwright-core';

/** A place, which is a page of the app with its own hash. */
export interface Place {
  readonly name: string;
  readonly hash: string;
}

/** Returns the places for a run, one of its phases, and one of its items. */
export function placesOf(run: string, phase: string, item: string): readonly Place[] {
  const at = `#/run/${encodeURIComponent(run)}`;
  const of = encodeURIComponent(phase);
  return [
    { name: 'needs you', hash: '#/' },
    { name: 'runs', hash: '#/runs' },
    { name: 'item', hash: `#/item/${encodeURIComponent(item)}` },
    { name: 'graph', hash: at },
    { name: 'list', hash: `${at}?as=list` },
    { name: 'phase', hash: `${at}?phase=${of}` },
    { name: 'timeline', hash: `${at}?tab=timeline` },
    { name: 'quality', hash: `${at}?tab=quality` },
    { name: 'records', hash: `${at}?tab=records` },
    { name: 'past', hash: `${at}?at=3` },
  ];
}

/** Goes to a place, and waits until it is drawn. */
export async function goTo(page: Page, { hash }: Pick<Place, 'hash'>): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  // The previous place disappears, then the new one loads, and then it is drawn.
  await twoFrames(page);
  // Several parts may load at once.
  const loading = page.getByText(/^Loading/u);
  while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await twoFrames(page);
}

// --- internal ---

async function twoFrames(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
