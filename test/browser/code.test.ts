/**
 * Code of outputs in a browser: colours, languages, and text that would keep a highlighter busy for long.
 *
 * @module
 */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startRun, task } from '../../src/index.ts';
import { fake } from '../rig.ts';
import { dashboard } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

const MARKDOWN = [
  'Count them:',
  '',
  '```ts',
  "const wings = count('bees'); // all \u202E",
  '```',
  '',
  '```unknown-language',
  'const a = 1;',
  '```',
].join('\n');

/** Highlighting of it takes time that grows with the square of its length. */
const SLOW = 'a '.repeat(19_000);

describe('code', () => {
  it('of an artifact has colours, by a module and a worker that other pages do not load', async () => {
    const { artifact, asked } = await shown([
      { name: 'main.py', content: 'def wings():\n    return "four"  # <b>bees</b>\n' },
    ]);
    const loaded = () => asked.filter((url) => /code-view|highlight-worker/u.test(url));
    expect(loaded()).toEqual([]);
    const view = await artifact('main.py');
    await view.locator('.token-keyword', { hasText: 'def' }).waitFor();
    expect(await view.locator('.token-string').allInnerTexts()).toEqual(['"four"']);
    expect(await view.locator('.token-comment').allInnerTexts()).toEqual(['# <b>bees</b>']);
    expect(await view.locator('.line').count()).toBe(3);
    await expect.poll(() => loaded().length).toBeGreaterThan(1);
    expect(await view.locator('b').count()).toBe(0);
  });

  it('in Markdown has the colours of the language that it names', async () => {
    const { artifact } = await shown([{ name: 'notes.md', content: MARKDOWN }]);
    const view = await artifact('notes.md');
    await view.locator('.token-string', { hasText: "'bees'" }).waitFor();
    expect(await view.locator('.token-comment').allInnerTexts()).toEqual(['// all ⟨U+202E⟩']);
    expect(await view.locator('pre').allInnerTexts()).toEqual([
      "const wings = count('bees'); // all ⟨U+202E⟩",
      'const a = 1;',
    ]);
  });

  it('that takes too long stays without colours, and blocks neither the page nor the next code', async () => {
    const { page, artifact } = await shown([
      { name: 'slow.cpp', content: SLOW },
      { name: 'main.go', content: 'func main() {}\n' },
    ]);
    const ended = new Promise<void>((resolve) => {
      page.on('worker', (worker) => {
        if (worker.url().includes('highlight-worker')) worker.on('close', () => resolve());
      });
    });
    const slow = await artifact('slow.cpp');
    const next = await artifact('main.go');
    await next.locator('.token-keyword', { hasText: 'func' }).waitFor();
    await ended;
    expect(await slow.innerText()).toContain('a a a a');
    expect(await slow.locator('[class^="token-"]').count()).toBe(0);
  });
});

// --- internal ---

interface Shown {
  readonly page: Page;
  /** Opens the artifacts. @returns The view of one. */
  readonly artifact: (name: string) => Promise<Locator>;
  /** The addresses of requests so far. */
  readonly asked: readonly string[];
}

/** Shows the phase of a run that has reported artifacts. */
async function shown(artifacts: readonly { readonly name: string; readonly content: unknown }[]): Promise<Shown> {
  const { store, url } = await dashboard();
  const report = task('work', {
    run: (context) => {
      for (const artifact of artifacts) context.report({ artifact });
      return 'done';
    },
  });
  const run = startRun(pipelineOf('story', [fake('draft', { tasks: [report] })]), { store, runId: 'r-1' });
  await run.result;
  const { page } = await openTab(url);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${url.replace(/\?.*/u, '')}#/run/r-1?phase=draft`);
  const list = page.locator('details', { has: page.locator('summary', { hasText: /artifacts?$/u }) }).last();
  await list.waitFor();
  return {
    page,
    asked,
    async artifact(name) {
      const title = page.getByRole('heading', { level: 5, name, exact: true });
      if ((await title.count()) === 0) await list.locator('summary').first().click();
      const entry = list.locator('div', { has: title }).last();
      await entry.waitFor();
      const load = entry.getByRole('button', { name: /^Load it/u });
      if ((await load.count()) > 0) await load.click();
      return entry;
    },
  };
}
