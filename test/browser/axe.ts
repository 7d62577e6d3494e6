/**
 * The rules of axe, run in a page.
 *
 * @module
 */
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns a line for each violation: the rule, what it asks, and the elements. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate<string>('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate<Pick<AxeResults, 'violations' | 'passes'>>(RUN);
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(wordsOf).join(' | ')}`);
  return passes.length === 0 ? ['axe has checked nothing', ...found] : found;
}

// --- internal ---

/** All rules but experimental ones. Transitions have ended, so that colours are final. */
const RUN = `(async () => {
  await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined)));
  return axe.run(document, { resultTypes: ['violations', 'passes'] });
})()`;

function wordsOf({ target, failureSummary = '' }: AxeResults['violations'][number]['nodes'][number]): string {
  return `${target.join(' ')} (${failureSummary.replaceAll(/\s+/gu, ' ').slice(0, 200)})`;
}
