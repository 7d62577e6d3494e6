/**
 * Takes the screenshots of the dashboard for the documentation: `npm run build && npm run screenshots`.
 *
 * The runs of examples and the browser use simulated time, so the same dashboard gives the same screenshots, except for
 * anti-aliasing. The dashboard is that of `dist`, or of the folder that `PHASEGATE_BUILD` names.
 *
 * @module
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
// By the same name as in the examples, as `human()` needs the same copy of the library.
import { startRun, type Pipeline } from 'phasegate';
import type { RunStore } from 'phasegate/store';
import { sqliteStore } from 'phasegate/sqlite';
import { article } from '../examples/article/article.ts';
import { people } from '../examples/article/people.ts';
import { userManagement } from '../examples/design-review/users.ts';
import { launch } from '../examples/launch/launch.ts';
import { serveDashboard } from '../src/server/serve.ts';
import { launch as launchBrowser } from '../test/browser/chromium.ts';
import { goTo } from '../test/browser/places.ts';
import { idle, simulatedTime } from '../test/rig.ts';

/** A Tuesday morning, in milliseconds since 1970. */
const NINE = Date.UTC(2026, 0, 13, 9);
const MINUTE = 60_000;
/** The time of the screenshots. */
const NOW = NINE + 22 * MINUTE;
const MOST_BYTES = 150_000;
/** The number of idle rounds after which a run counts as hung. */
const QUIET = 100;
const RUN = 'launch-2026-01';
/** A script that runs in the page. */
const TO_EFFORT =
  "[...document.querySelectorAll('h2')].find(({ innerText }) => innerText === 'Effort').scrollIntoView()";

const repository = fileURLToPath(new URL('..', import.meta.url));
const build = process.env['PHASEGATE_BUILD'] ?? 'dist';
const target = join(repository, 'docs/images');
const folder = await mkdtemp(join(tmpdir(), 'phasegate-screenshots-'));
const store = sqliteStore(join(folder, 'runs.db'), { now: () => NOW });
const browser = await launchBrowser();
try {
  await mkdir(target, { recursive: true });
  await played('article-12', article(people), NINE);
  await played('user-management-3', userManagement, NINE + 5 * MINUTE);
  await played(RUN, launch, NINE + 20 * MINUTE);
  const dashboard = await serveDashboard(store, {
    assets: join(isAbsolute(build) ? build : join(repository, build), 'dashboard'),
    storeName: '.phasegate/runs.db',
    user: 'ada',
  });
  const [item] = await store.inbox({ open: true });
  const run = `#/run/${RUN}`;
  await take(dashboard.url, {
    'needs-you': '#/',
    item: `#/item/${encodeURIComponent(item?.id ?? '')}`,
    run,
    timeline: `${run}?tab=timeline`,
    quality: `${run}?tab=quality`,
  });
  await take(dashboard.url, { 'phase-dark': `${run}?phase=press` }, { colorScheme: 'dark' });
  await dashboard.close();
} finally {
  await browser.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
}
// Exits explicitly, as runs that wait for a person keep the process alive.
process.exit();

// --- internal ---

/** Plays a run until it ends or waits for a person. */
async function played(
  runId: string,
  what: Pipeline<unknown> | ((desk: { readonly wait: (ms: number) => Promise<void> }) => Pipeline<unknown>),
  start: number,
): Promise<void> {
  const time = simulatedTime(start);
  const wait = (ms: number) => new Promise<void>((resolve) => time.clock.setTimeout(resolve, ms));
  const pipeline = typeof what === 'function' ? what({ wait }) : what;
  const run = startRun(pipeline, { runId, store, clock: time.clock, holder: 'ada@desk' });
  for (let quiet = 0; quiet < QUIET; quiet += 1) {
    await idle();
    if (run.snapshot().status !== 'running' || (await isAsked(store, runId))) return;
    if (time.advance()) quiet = 0;
  }
  throw new Error(`${runId} neither ends nor asks anybody`);
}

async function isAsked(kept: RunStore, runId: string): Promise<boolean> {
  return (await kept.inbox({ runId, open: true })).length > 0;
}

/** Takes screenshots of pages. */
async function take(url: string, places: Readonly<Record<string, string>>, look: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
    ...look,
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  await page.goto(url);
  for (const [name, hash] of Object.entries(places)) {
    await goTo(page, { hash });
    const path = join(target, `${name}.png`);
    // Scrolls down: the measures begin below the head that every view of a run has.
    if (name === 'quality') await page.evaluate(TO_EFFORT);
    const picture = await still(page);
    await writeFile(path, picture);
    console.log(`docs/images/${name}.png, ${picture.byteLength} bytes`);
    if (picture.byteLength > MOST_BYTES) throw new Error(`${path} is larger than ${MOST_BYTES} bytes`);
  }
  await context.close();
}

/** Takes a screenshot when the page no longer changes. */
async function still(page: Page): Promise<Buffer> {
  for (let before = await page.screenshot(); ;) {
    await page.evaluate('new Promise((done) => requestIdleCallback(done))');
    const next = await page.screenshot();
    if (next.equals(before)) return next;
    before = next;
  }
}
