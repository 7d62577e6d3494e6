/**
 * Outputs in a browser: rendered by their kind, raw, copied and downloaded.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/index.ts';
import { fake } from '../rig.ts';
import { dashboard } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

const HOSTILE = [
  '# Bees',
  '',
  'They are **fast**, see [the page](https://example.org/bees) or [this](javascript:alert(1)).',
  '',
  '- fly',
  '- hum \u202Ebackwards',
  '',
  '| name | count |',
  '|---|---|',
  '| wings | 4 |',
  '',
  '<script>document.title = "owned"</script><img src=x onerror="document.title=1">',
  '',
  '![a picture](https://example.org/bee.png)',
].join('\n');

describe('an output', () => {
  it('of Markdown is rendered, and nothing in it runs or loads', async () => {
    const { view, page } = await shown(HOSTILE);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const markdown = view.locator('.markdown');
    await markdown.getByRole('link', { name: 'the page' }).waitFor();
    expect(await markdown.getByRole('link').count()).toBe(1);
    expect(await markdown.getByRole('listitem').allInnerTexts()).toEqual(['fly', 'hum ⟨U+202E⟩backwards']);
    expect(await markdown.getByRole('cell').allInnerTexts()).toEqual(['name', 'count', 'wings', '4']);
    expect(await markdown.locator('script, img').count()).toBe(0);
    expect(await markdown.innerText()).toContain('<script>document.title = "owned"</script>');
    expect(await page.title()).not.toMatch(/owned|^1/u);
    expect(asked.filter((url) => url.includes('example.org'))).toEqual([]);
  });

  it('has a raw view, and can be copied and downloaded', async () => {
    const { view, page } = await shown(HOSTILE);
    await view.getByRole('checkbox', { name: /^Raw/u }).check();
    await view.locator('pre', { hasText: 'They are **fast**' }).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await view.getByRole('button', { name: /^Copy/u }).click();
    await view.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(HOSTILE);
    const download = page.waitForEvent('download');
    await view.getByRole('button', { name: /^Download/u }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^[\w-]*work[\w-]*\.md$/u);
    expect(await readFile(await file.path(), 'utf8')).toBe(HOSTILE);
  });

  it('that is an image is shown, and nothing in an SVG runs or loads', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const { view } = await shown({ type: 'image', data: png, mimeType: 'image/png' });
    await drawn(view, 1);
    await view.getByRole('checkbox', { name: /^Raw/u }).check();
    await view.locator('pre', { hasText: 'iVBORw0KGgo' }).waitFor();

    const hostile = await shown(
      '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7" onload="document.title=1">' +
        '<script>document.title = "owned"; fetch("/owned")</script><image href="/owned.png" width="7" height="7"/></svg>',
    );
    await drawn(hostile.view, 7);
    expect(await hostile.page.title()).not.toMatch(/owned|^1/u);
    expect(hostile.asked.filter((url) => url.includes('owned'))).toEqual([]);
    expect(await hostile.view.locator('svg').count()).toBe(0);

    const broken = await shown(`data:image/png;base64,${png.slice(0, 40)}`);
    await broken.view.getByText('This image cannot be shown.').waitFor();
  });

  it('of JSON is a tree, whose parts open', async () => {
    const { view } = await shown({ bees: { count: 3, names: ['a', '<b>'] }, deep: { a: { b: { c: null } } } });
    const tree = view.locator('.json-tree').first();
    await tree.getByText('“<b>”').waitFor();
    expect(await tree.getByText('null').count()).toBe(0);
    await tree.locator('summary', { hasText: 'b' }).last().click();
    await tree.getByText('null').waitFor();
    await view.getByRole('checkbox', { name: /^Raw/u }).check();
    await view.locator('pre', { hasText: '"count": 3' }).waitFor();
  });

  it('of a diff has a tone for each line, and a plain text has no other view', async () => {
    const { view } = await shown('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n');
    expect(await view.locator('.diff-text .added').allInnerTexts()).toEqual(['+new\n']);
    expect(await view.locator('.diff-text .removed').allInnerTexts()).toEqual(['-old\n']);
    const plain = await shown('Bees fly.');
    await plain.view.getByText('Bees fly.').waitFor();
    expect(await plain.view.getByRole('checkbox').count()).toBe(0);
  });
});

// --- internal ---

interface Shown {
  readonly view: Locator;
  readonly page: Page;
  /** The addresses of requests so far. */
  readonly asked: readonly string[];
}

/** Waits until the image of a view is drawn, with its own width. */
async function drawn(view: Locator, width: number): Promise<void> {
  await view.getByRole('img').waitFor();
  const widthOf = `(({ complete, naturalWidth }) => complete && naturalWidth)(document.querySelector('.value-view img'))`;
  await expect.poll(() => view.page().evaluate(widthOf)).toBe(width);
}

/** Shows the output of the only phase of a run. */
async function shown(output: unknown): Promise<Shown> {
  const { store, url } = await dashboard();
  const run = startRun(pipelineOf('story', [fake('draft', { outputs: [output] })]), { store, runId: 'r-1' });
  await run.result;
  const { page } = await openTab(url);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${url.replace(/\?.*/u, '')}#/run/r-1`);
  const view = page.getByRole('region', { name: 'Result' });
  await view.waitFor();
  return { view, page, asked };
}
