/**
 * A page in words: its roles and texts in order, the looks of its texts, and its colours. No part of it depends on the fonts of a
 * machine.
 *
 * @module
 */
import type { Page } from 'playwright-core';

/** Describes a page, as lines. @param isRepeated True for the looks alone, if its roles and texts are described already. @default false */
export async function describePicture(page: Page, isRepeated = false): Promise<string> {
  const roles = isRepeated ? '' : `${await page.locator('body').ariaSnapshot()}\n\n`;
  const looks: unknown = await page.evaluate(LOOKS);
  // Versions of browsers differ in the spaces of dates.
  return `${roles}${String(looks)}`.replaceAll(/[\u00A0\u202F]/gu, ' ');
}

// --- internal ---

/** A script that runs in the page: colours of the theme, sizes of large parts, and each look of a text with its first text. */
const LOOKS = `(() => {
  const TOKENS = ['paper', 'raised', 'sunk', 'line', 'ink', 'quiet', 'accent', 'busy', 'busy-soft', 'warn', 'warn-soft', 'good', 'good-soft', 'bad', 'bad-soft'];
  const probe = document.body.appendChild(document.createElement('i'));
  const rgbOf = (token) => { probe.style.color = 'var(--' + token + ')'; return getComputedStyle(probe).color; };
  const tokens = TOKENS.map((token) => [token, rgbOf(token)]);
  probe.remove();
  const nameOf = (color) => color === 'rgba(0, 0, 0, 0)' ? 'none' : (tokens.find(([, rgb]) => rgb === color)?.[0] ?? color);
  const tenths = (size) => Math.round(size / 10) * 10;

  const parts = [...document.querySelectorAll('body header, main, .phase-graph, .phase-box, .timeline')].map((one) => {
    const style = getComputedStyle(one);
    // Widths of these come from the window or from a layout without text.
    return one.tagName.toLowerCase() + '.' + one.className + ' ' + tenths(one.offsetWidth) + ' wide, ' + nameOf(style.backgroundColor) + ', edge ' + nameOf(style.borderTopColor);
  });

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const looks = new Map();
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    if (text === '' || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const isDrawn = element instanceof SVGElement;
    const look = [
      element.tagName.toLowerCase(),
      Math.round(parseFloat(style.fontSize)) + 'px',
      style.fontWeight,
      nameOf(isDrawn ? style.fill : style.color),
      'on ' + nameOf(style.backgroundColor),
      'padding ' + style.padding,
      'edge ' + style.borderTopWidth + ' ' + style.borderTopStyle,
    ].join(' ');
    if (!looks.has(look)) looks.set(look, text.replace(/\\s+/g, ' ').slice(0, 40));
  }
  return [
    'colours: ' + tokens.map(([token, rgb]) => token + ' ' + rgb).join(', '),
    ...[...new Set(parts)],
    ...[...looks].map(([look, text]) => look + ': ' + JSON.stringify(text)),
  ].join('\\n');
})()`;
