/**
 * The pictures of the dashboard in the documentation: the runs that they show, and each page as it is when its picture is taken.
 *
 * Runs and pages use simulated time. So the same dashboard has the same pages on every machine, except for its fonts.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
// By the same name as in the examples, as `human()` needs the same copy of the library.
import { definePipeline, phase, startRun, task, type Pipeline } from 'phasegate';
import type { RunStore } from 'phasegate/store';
import { sqliteStore } from 'phasegate/sqlite';
import { article } from '../../examples/article/article.ts';
import { people } from '../../examples/article/people.ts';
import { userManagement } from '../../examples/design-review/users.ts';
import { launch } from '../../examples/launch/launch.ts';
import { serveDashboard } from '../../src/server/serve.ts';
import { idle, simulatedTime } from '../rig.ts';
import { goTo } from './places.ts';

/** The command that takes the pictures, and writes their description. */
export const RETAKE = 'npm run screenshots';

/** A page as it is when its picture is taken. */
export interface Shown {
  readonly page: Page;
  /** The page, its width in pixels, and its colours: `run-1440-dark`. */
  readonly name: string;
  /** True if an earlier picture shows the same texts at the same width, in other colours. */
  readonly isRepeated: boolean;
}

/** Shows each page of which there is a picture, one after the other. @param each Is called once the page is drawn. */
export async function showPictures(
  browser: Browser,
  assets: string,
  each: (shown: Shown) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'phasegate-pictures-'));
  const store = sqliteStore(join(folder, 'runs.db'), { now: () => NOW });
  try {
    const stops = [
      await played(store, 'article-12', article(people), NINE),
      await played(store, 'user-management-3', userManagement, NINE + 5 * MINUTE),
      await played(store, RUN, launch, NINE + 20 * MINUTE),
    ];
    const dashboard = await serveDashboard(store, {
      assets,
      storeName: '.phasegate/runs.db',
      user: 'ada',
      pipelines: [{ pipeline: newsletter, tags: ['team=docs'], workCommand: 'phasegate work newsletter.ts' }],
    });
    const [item] = await store.inbox({ open: true });
    const run = `#/run/${RUN}`;
    const places = [
      { name: 'needs-you', hash: '#/' },
      { name: 'item', hash: `#/item/${encodeURIComponent(item?.id ?? '')}` },
      { name: 'run', hash: run },
      { name: 'phase', hash: `${run}?phase=press` },
      { name: 'timeline', hash: `${run}?tab=timeline` },
      { name: 'quality', hash: `${run}?tab=quality` },
      { name: 'search', hash: '#/search?text=product' },
      { name: 'start', hash: '#/start' },
    ];
    for (const look of LOOKS) {
      const page = await openPage(browser, dashboard.url, look);
      for (const { name, hash } of places) {
        await goTo(page, { hash });
        if (name === 'search') await page.getByText(/^1 place in \d+ records$/u).waitFor();
        await page.evaluate(UNTIL_STILL);
        // The mark of the focus is for those who use the keyboard.
        await page.evaluate('document.activeElement?.blur()');
        // Scrolls down: the measures begin below the head that every view of a run has.
        if (name === 'quality') await page.evaluate(TO_EFFORT);
        await each({
          page,
          name: `${name}-${look.width}-${look.colorScheme}`,
          isRepeated: look.colorScheme === 'dark',
        });
      }
      await page.context().close();
    }
    await dashboard.close();
    for (const stop of stops) await stop();
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

// --- internal ---

/** A Tuesday morning, in milliseconds since 1970. */
const NINE = Date.UTC(2026, 0, 13, 9);
const MINUTE = 60_000;
/** The time of the pictures. */
const NOW = NINE + 22 * MINUTE;
/** The number of idle rounds after which a run counts as hung. */
const QUIET = 100;
const RUN = 'launch-2026-01';
/** A script that waits until two idle periods leave the page as it is: the server, workers and layouts have answered by then. */
const UNTIL_STILL = `(async () => {
  const idle = () => new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)));
  for (let before = '', equal = 0; equal < 2; ) {
    await idle();
    const now = document.body.innerHTML;
    equal = now === before ? equal + 1 : 0;
    before = now;
  }
})()`;

/** A script that runs in the page. */
const TO_EFFORT =
  "[...document.querySelectorAll('h2')].find(({ innerText }) => innerText === 'Effort').scrollIntoView(); scrollBy(0, -70)";

/** The windows of pictures: a desktop and a phone, in both colours. */
const LOOKS = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 1440, height: 900, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;

/** A pipeline whose input has a field of each kind. */
const newsletter = definePipeline({
  name: 'newsletter',
  input: z.strictObject({
    subject: z.string().max(80).describe('The line that readers see first.'),
    brief: z.string().describe('The news of the month, in your words.'),
    tone: z.enum(['factual', 'friendly', 'formal']),
    words: z.int().max(1000).default(300),
    links: z.array(z.url()).optional().describe('Pages that it must link to.'),
  }),
  phases: [phase('draft', { tasks: [task('write', { run: () => '' })] })],
});

async function openPage(
  browser: Browser,
  url: string,
  { width, height, colorScheme }: (typeof LOOKS)[number],
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
    colorScheme,
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  // The server has the time of this machine, which the page would follow.
  await page.route('**/api/session', async (route) => {
    const response = await route.fetch();
    const session: unknown = await response.json();
    await route.fulfill({ response, json: Object.assign({}, session, { now: NOW }) });
  });
  await page.goto(url);
  return page;
}

/** Plays a run until it ends or waits for a person. @returns Lets go of the run. */
async function played(
  store: RunStore,
  runId: string,
  what: Pipeline<unknown> | ((desk: { readonly wait: (ms: number) => Promise<void> }) => Pipeline<unknown>),
  start: number,
): Promise<() => Promise<unknown>> {
  const time = simulatedTime(start);
  const wait = (ms: number) => new Promise<void>((resolve) => time.clock.setTimeout(resolve, ms));
  const pipeline = typeof what === 'function' ? what({ wait }) : what;
  const run = startRun(pipeline, { runId, store, clock: time.clock, holder: 'ada@desk' });
  for (let quiet = 0; quiet < QUIET; quiet += 1) {
    await idle();
    if (run.snapshot().status !== 'running' || (await store.inbox({ runId, open: true })).length > 0) {
      return async () => {
        run.cancel('the pictures are taken');
        await run.result;
      };
    }
    if (time.advance()) quiet = 0;
  }
  throw new Error(`${runId} neither ends nor asks anybody`);
}
