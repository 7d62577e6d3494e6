/**
 * Accessibility flaws: controls without names, headings out of order, text with low contrast, pages that are too
 * wide.
 *
 * @module
 */
import type { Page } from 'playwright-core';

/** Returns a description of each flaw of a page. */
export async function flawsOf(page: Page): Promise<readonly string[]> {
  const snapshot = await page.locator('body').ariaSnapshot();
  const unnamed = snapshot.split('\n').filter((line) => UNNAMED.test(line));
  const found: unknown = await page.evaluate(LOOK);
  return [
    ...unnamed.map((line) => `has no name: ${line.trim()}`),
    ...(Array.isArray(found) ? found.map(String) : [`cannot be looked at: ${String(found)}`]),
  ];
}

// --- internal ---

/** A line of an accessibility snapshot: the role of a control without a name. */
const UNNAMED =
  /^\s*- '?(?:button|link|checkbox|combobox|dialog|heading|menuitem|radio|region|searchbox|slider|spinbutton|switch|tab|textbox)(?: \[[^\]]*\])*:?'?$/u;

/** The script that runs in the page. */
const LOOK = `(() => {
  const flaws = [];
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  const headings = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(isSeen);
  if (headings.filter(({ tagName }) => tagName === 'H1').length !== 1) flaws.push('has not one first heading');
  let level = 0;
  for (const heading of headings) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) flaws.push('leaves out a level before the heading ' + JSON.stringify(heading.innerText));
    level = next;
  }

  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) flaws.push('has the id ' + id + ' twice');

  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) flaws.push('is ' + scrollWidth + ' pixels wide in a window of ' + innerWidth);
  if (!document.documentElement.lang) flaws.push('has no language');

  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const channels = (color) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = ([red, green, blue, alpha], below) =>
    [red, green, blue].map((one, at) => one * alpha + below[at] * (1 - alpha));
  const groundOf = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const color = channels(getComputedStyle(one).backgroundColor);
      layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const luminance = (color) =>
    color
      .map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
      .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const said = new Set();
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    // Disabled controls may have low contrast.
    if (text === '' || !element || !isSeen(element) || element.closest(':disabled, [aria-disabled="true"], script, style')) continue;
    const { width, height } = element.getBoundingClientRect();
    if (width <= 1 || height <= 1) continue;
    const style = getComputedStyle(element);
    const ground = groundOf(element);
    const ink = over(channels(element instanceof SVGElement ? style.fill : style.color), ground);
    const size = Number.parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const reached = contrast(ink, ground);
    if (reached < (isLarge ? 3 : 4.5)) said.add('is hard to see (' + reached.toFixed(2) + '): ' + JSON.stringify(text.slice(0, 40)));
  }
  return [...flaws, ...said];
})()`;
