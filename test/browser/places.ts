/**
 * Every place of the dashboard, of a run that has a bit of everything.
 *
 * @module
 */
import type { Page } from 'playwright-core';

/** A place. */
export interface Place {
  readonly name: string;
  readonly hash: string;
}

/** The places for a run, one of its phases, and an item of it. */
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

/** Goes to a place, and waits until it is shown. */
export async function goTo(page: Page, { hash }: Pick<Place, 'hash'>): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  // What was there before is gone, then what is loading, and then what is there is drawn.
  await twoFrames(page);
  await page.getByText(/^Loading/u).waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await twoFrames(page);
}

// --- internal ---

async function twoFrames(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
