/**
 * The pictures of the documentation show the dashboard as it is now. Pages are compared in words, as fonts differ between machines.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from './chromium.ts';
import { assets } from './dashboard.ts';
import { describePicture } from './describe-picture.ts';
import { RETAKE, showPictures } from './doc-pictures.ts';
import { pictureSection } from './picture-file.ts';

const folder = fileURLToPath(new URL('../../docs/images', import.meta.url));

describe('the pictures of the documentation', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  }, 120_000);
  afterAll(() => browser.close());

  it(`are fresh; if not, run: ${RETAKE}`, { timeout: 240_000 }, async () => {
    const sections: string[] = [];
    await showPictures(browser, assets, async ({ name, page, isRepeated }) => {
      const picture = readFileSync(join(folder, `${name}.png`));
      sections.push(pictureSection(name, picture, await describePicture(page, isRepeated)));
    });
    const stored = readFileSync(join(folder, 'pictures.txt'), 'utf8');
    expect(sections.join('\n'), `The dashboard differs from its pictures. Run: ${RETAKE}`).toBe(stored);
    const named = readdirSync(folder).filter((name) => name.endsWith('.png'));
    expect(sections).toHaveLength(named.length);
  });
});
