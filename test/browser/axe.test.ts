/**
 * Accessibility by the rules of axe: every page and state, on a wide and a narrow screen, in light and in dark colours.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePipeline, human, phase, startRun, task } from '../../src/index.ts';
import { type Route, routeOf, runTabs } from '../../visualizations/dashboard/src/route.ts';
import { fake } from '../rig.ts';
import { violationsOf } from './axe.ts';
import { dashboard } from './dashboard.ts';
import { goTo, placesOf, type Place } from './places.ts';
import { pipelineOf } from './runs.ts';
import { RUN, startStory } from './story.ts';
import { openTab } from './tab.ts';

/** A place, and what a person does there. */
interface State extends Place {
  readonly act?: (page: Page) => Promise<unknown>;
}

/** All pages. A new page does not compile until it is here, and then has to be among the states. */
const PAGES: Readonly<Record<Route['page'], true>> = {
  home: true,
  runs: true,
  item: true,
  unknown: true,
  start: true,
  run: true,
  compare: true,
  search: true,
};

describe('the states that axe looks at', () => {
  it('are of every page, and of every view of a run', () => {
    const routes = statesOf('item', 'closed').map(({ hash }) => routeOf(hash));
    expect([...new Set(routes.map(({ page }) => page))].toSorted()).toEqual(Object.keys(PAGES).toSorted());
    const tabs = routes.flatMap((route) => (route.page === 'run' ? [route.tab] : []));
    expect(runTabs.filter((tab) => !tabs.includes(tab))).toEqual([]);
  });
});

describe('every state', () => {
  it.each([
    { width: 1280, colorScheme: 'light' },
    { width: 1280, colorScheme: 'dark' },
    { width: 390, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
  ] as const)('has no violation at $width pixels in $colorScheme colours', async ({ width, colorScheme }) => {
    const { url, states } = await told();
    const { page, allow } = await openTab('about:blank', { colorScheme, viewport: { width, height: 800 } });
    allow(/404/u);
    // Without a screen, a browser has denied notifications, and the page has no button for them.
    await page.addInitScript(`Object.defineProperty(Notification, 'permission', { get: () => 'default' })`);
    await page.goto(url);
    await page.getByRole('button', { name: 'Notify me' }).waitFor();
    const violations: Record<string, readonly string[]> = {};
    for (const { name, hash, act } of states) {
      await goTo(page, { hash });
      await act?.(page);
      const found = await violationsOf(page);
      if (found.length > 0) violations[name] = found;
    }
    expect(violations).toEqual({});
  });

  it('is one in which axe finds what is wrong', async () => {
    const { url } = await told();
    const { page } = await openTab(url);
    await goTo(page, { hash: '#/' });
    await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')`);
    expect((await violationsOf(page)).map((line) => line.replace(/:.*/u, ''))).toEqual(['button-name']);
  });
});

// --- internal ---

const OUTPUT = [
  '# Bees',
  '',
  'See [the page](https://example.org/bees).',
  '',
  '| name | count | of | those | that | fly | and | those | that | hum | or | rest |',
  '|---|---|---|---|---|---|---|---|---|---|---|---|',
  '| wings | 4 | a | b | c | d | e | f | g | h | i | j |',
  '',
  '```ts',
  '/** The wings. */',
  "export const wings = (4 + 1.5) * count('wings'); // all of them",
  '```',
].join('\n');

const DIFF = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n';
const SCRIPT = `#!/bin/sh\n# Counts wings.\nif [ -f wings ]; then\n  echo "wings: $(wc -l < wings)"\nfi\n`;

const CLOSED_RUN = 'outputs-1';

function statesOf(item: string, closed: string): readonly State[] {
  const outputs = `#/run/${CLOSED_RUN}`;
  return [
    ...placesOf(RUN, 'draft', item),
    { name: 'unknown', hash: '#/nothing/here' },
    { name: 'unknown run', hash: '#/run/none' },
    { name: 'unknown item', hash: '#/item/none' },
    { name: 'start', hash: '#/start' },
    { name: 'start, with the schema', hash: '#/start?pipeline=typed', act: openAll },
    {
      name: 'start, with faulty fields',
      hash: '#/start?pipeline=typed',
      async act(page) {
        await page.getByLabel('words').fill('many');
        await press(page, 'Start');
        await page.locator('[aria-invalid="true"]').nth(1).waitFor();
      },
    },
    { name: 'runs, found', hash: '#/runs?find=story' },
    { name: 'runs, none found', hash: '#/runs?find=nothing' },
    { name: 'item, closed', hash: `#/item/${encodeURIComponent(closed)}` },
    { name: 'item, all opened', hash: `#/item/${encodeURIComponent(item)}`, act: openAll },
    {
      name: 'item, with a faulty answer',
      hash: `#/item/${encodeURIComponent(item)}`,
      async act(page) {
        await page.getByRole('radio', { name: /^Retry/u }).check();
        await page.getByRole('button', { name: 'Send: retry' }).click();
        await page.getByRole('alert').first().waitFor();
      },
    },
    { name: 'run, all opened', hash: `#/run/${RUN}`, act: openAll },
    { name: 'run, to cancel', hash: `#/run/${RUN}`, act: (page) => press(page, 'Cancel…') },
    { name: 'run, to fork', hash: outputs, act: (page) => press(page, 'Fork…') },
    { name: 'run, over', hash: outputs, act: openAll },
    ...['diff', 'tree'].map((name) => ({ name: `phase of ${name}`, hash: `${outputs}?phase=${name}`, act: openAll })),
    ...['markdown', 'code'].map((name) => ({
      name: `phase of ${name}`,
      hash: `${outputs}?phase=${name}`,
      async act(page: Page) {
        await openAll(page);
        await page.locator('.token-keyword').first().waitFor();
      },
    })),
    { name: 'search', hash: '#/search' },
    { name: 'search, found', hash: '#/search?text=draft', act: (page) => page.locator('mark').first().waitFor() },
    { name: 'a run to compare with', hash: `#/compare/${RUN}` },
    {
      name: 'two runs, compared',
      hash: `#/compare/${RUN}/${CLOSED_RUN}`,
      async act(page) {
        await page.getByLabel('also show phases that are the same').check();
        await openAll(page);
      },
    },
    { name: 'records, found', hash: `${outputs}?tab=records&only=task.completed` },
  ];
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

/** Opens everything that is closed, and waits for what it loads. */
async function openAll(page: Page): Promise<void> {
  const closed = page.locator('main details:not([open]) > summary:visible');
  for (let count = 0; count < 60 && (await closed.count()) > 0; count += 1) await closed.first().click();
  const loading = page.getByText(/^Loading/u);
  while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' });
}

/** Starts a dashboard with a run that waits for a person, and one whose person has answered. */
async function told(): Promise<{ readonly url: string; readonly states: readonly State[] }> {
  const paper = pipelineOf('paper', [
    fake('markdown', { outputs: [OUTPUT] }),
    fake('code', { outputs: [SCRIPT] }),
    fake('diff', { outputs: [DIFF] }),
    fake('tree', { outputs: [{ wings: 4, names: ['left', null, true] }] }),
    fake('ask', { tasks: [task('ada', { run: human({ question: 'Good?' }) })] }),
  ]);
  const input = z.object({
    topic: z.string().describe('The subject.'),
    words: z.int().optional(),
    tone: z.enum(['dry', 'warm']),
    sources: z.array(z.string()).optional(),
  });
  const typed = definePipeline({
    name: 'typed',
    input,
    phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })],
  });
  const { url, store } = await dashboard({
    pipelines: [paper, typed],
    actions: { resume: () => Promise.resolve(), retry: () => Promise.resolve() },
  });
  const { drafts } = startStory(store);
  for (const draft of drafts) draft.release('a draft');
  await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);
  const [item] = await store.inbox({ open: true });
  const run = startRun(paper, { store, runId: CLOSED_RUN });
  await expect.poll(() => run.inbox().length).toBe(1);
  const closed = run.inbox()[0]?.id ?? '';
  await run.answer(closed, { type: 'value', value: 'yes' });
  expect((await run.result).status).toBe('completed');
  return { url, states: statesOf(item?.id ?? '', closed) };
}
