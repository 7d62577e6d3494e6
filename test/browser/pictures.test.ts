/** Pictures in SVG in a browser. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePipeline, phase, task } from '../../src/index.ts';
import { phaseMachine } from '../../src/machines.ts';
import { chartToSvg, statechartOf, toSvg } from '../../src/visualizations.ts';
import { files } from '../cli/cli.ts';
import { launch } from './chromium.ts';

const NAMES = [
  'WWWWWWWWWWWWWWWW MMMM',
  'iiiiiiiiiiiiiiiiiiiii',
  'RELEASE NOTES OF AUTUMN',
  'a plain name of a phase',
  '<script>alert(1)</script>',
  '&amp; "quoted" \'twice\'',
  'averyveryverylongnamewithoutanyspacewhichissurelycutsomewhere',
  '0123456789 0123456789',
];

describe('pictures in SVG', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  }, 120_000);
  afterAll(() => browser.close());

  it('keep every text in its box, and run nothing', async () => {
    const phases = NAMES.map((name) => phase(name, { tasks: [task(name, { run: () => 1 })], review: () => 'APPROVE' }));
    const pictures = [toSvg(definePipeline({ name: 'named', phases }).plan), chartToSvg(statechartOf(phaseMachine))];
    for (const picture of pictures) {
      const { outside, texts, dialogs } = await shown(browser, picture);
      expect(outside).toEqual([]);
      expect(texts.length).toBeGreaterThan(20);
      expect(dialogs).toEqual([]);
    }
    const { texts } = await shown(browser, pictures[0] ?? '');
    expect(texts).toContain('<script>alert(1)</script>');
    expect(texts).toContain('&amp; "quoted" \'twice\'');
  });

  it('follow what the reader prefers: light or dark', async () => {
    const picture = chartToSvg(statechartOf(phaseMachine));
    const light = await shown(browser, picture, 'light');
    const dark = await shown(browser, picture, 'dark');
    expect([light.ground, dark.ground]).toEqual(['rgb(255, 255, 255)', 'rgb(13, 17, 23)']);
  });
});

/** Opens a picture as a file. @returns The measurements of its boxes and texts. */
async function shown(browser: Browser, picture: string, colorScheme: 'light' | 'dark' = 'light') {
  const file = join(await files({}), 'picture.svg');
  await writeFile(file, picture);
  const page = await browser.newPage({ colorScheme });
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  try {
    await page.goto(pathToFileURL(file).href);
    const seen = (await page.evaluate(LOOK)) as {
      readonly outside: readonly string[];
      readonly texts: readonly string[];
      readonly ground: string;
    };
    return { ...seen, dialogs };
  } finally {
    await page.close();
  }
}

/** A script as text, as it runs in the browser: the tests have no types of the DOM. */
const LOOK = `(() => {
  const outside = [];
  const texts = [...document.querySelectorAll('text')].map((one) => one.textContent);
  for (const group of document.querySelectorAll('g.box')) {
    const box = group.querySelector('rect').getBoundingClientRect();
    for (const text of group.querySelectorAll('text')) {
      const own = text.getBoundingClientRect();
      if (own.left < box.left || own.right > box.right || own.top < box.top || own.bottom > box.bottom) {
        outside.push(text.textContent + ' by ' + Math.round(own.right - box.right));
      }
    }
  }
  return { outside, texts, ground: getComputedStyle(document.querySelector('.ground')).fill };
})()`;
