/**
 * Takes the screenshots of the dashboard for the documentation: `npm run screenshots`, which builds first. It also describes them in
 * docs/images/pictures.txt, which a test compares with the dashboard.
 *
 * The same dashboard gives the same screenshots, except for fonts and anti-aliasing. The dashboard is that of `dist`, or of the
 * folder that `PHASEGATE_BUILD` names.
 *
 * @module
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launch } from '../test/browser/chromium.ts';
import { describePicture } from '../test/browser/describe-picture.ts';
import { showPictures, type Shown } from '../test/browser/doc-pictures.ts';
import { pictureSection } from '../test/browser/picture-file.ts';

const MOST_BYTES = 200_000;

const repository = fileURLToPath(new URL('..', import.meta.url));
const build = process.env['PHASEGATE_BUILD'] ?? 'dist';
const target = join(repository, 'docs/images');
const browser = await launch();
const sections: string[] = [];
try {
  // Pictures of pages that are no longer shown must not stay.
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  await showPictures(browser, join(isAbsolute(build) ? build : join(repository, build), 'dashboard'), take);
  await writeFile(join(target, 'pictures.txt'), sections.join('\n'));
} finally {
  await browser.close();
}
// Exits explicitly, as runs that wait for a person keep the process alive.
process.exit();

// --- internal ---

/** Takes a screenshot of a page, and describes it. */
async function take({ name, page, isRepeated }: Shown): Promise<void> {
  const path = join(target, `${name}.png`);
  const picture = await still(page);
  await writeFile(path, picture);
  sections.push(pictureSection(name, picture, await describePicture(page, isRepeated)));
  console.log(`docs/images/${name}.png, ${picture.byteLength} bytes`);
  if (picture.byteLength > MOST_BYTES) throw new Error(`${path} is larger than ${MOST_BYTES} bytes`);
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
