/**
 * Logs of tasks with many reports: each line can be reached, and the page has only those in view.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { definePipeline, memoryStore, phase, readRun, startRun, task } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { copyRun } from '../../src/runtime/records/copy-run.ts';
import { held } from '../rig.ts';
import { violationsOf } from './axe.ts';
import { dashboard } from './dashboard.ts';
import { openTab } from './tab.ts';

const COUNT = 100_000;

/** The records of a run whose task has reported this many lines. Line 10 is long, and line 20 has several lines. */
async function reported(count: number): Promise<readonly RunRecord[]> {
  const store = memoryStore();
  const work = task('work', { run: ({ report }) => report({ progress: 'line 1' }) });
  const pipeline = definePipeline({ name: 'p', phases: [phase('p', { tasks: [work] })] });
  await startRun(pipeline, { store, runId: 'r' }).result;
  const records = await readRun(store, 'r');
  const all = records.flatMap((record) => {
    const { event } = record;
    if (event.type !== 'task.reported') return [record];
    return Array.from({ length: count }, (_, at) => ({ ...record, event: { ...event, progress: textOf(at + 1) } }));
  });
  return all.map((record, at) => ({ ...record, seq: at + 1 }));
}

function textOf(line: number): string {
  return `line ${line}${line === 10 ? ' long'.repeat(200) : line === 20 ? '\n'.repeat(5) : ''}.`;
}

/** Returns the numbers of the lines in view, after a check that none covers another, and the number of rows in the page. */
function inView(page: Page): Promise<{ readonly lines: readonly number[]; readonly rows: number }> {
  return page.evaluate(`(() => {
    const box = document.querySelector('.agent-log').getBoundingClientRect();
    const rows = [...document.querySelectorAll('.agent-log p')].map((row) => [row, row.getBoundingClientRect()]);
    rows.sort(([, one], [, other]) => one.top - other.top);
    for (const [at, [, { top }]] of rows.entries())
      if (at > 0 && top < rows[at - 1][1].bottom - 1) throw new Error('a row covers another');
    const seen = rows.filter(([, { top, bottom }]) => top < box.bottom - 2 && bottom > box.top + 2);
    return { lines: seen.map(([row]) => Number(/line (\\d+)/.exec(row.innerText)[1])), rows: rows.length };
  })()`);
}

it('reaches each of 100 000 lines, and has few of them in the page', async () => {
  const { store, url } = await dashboard();
  await copyRun(store, 'r', await reported(COUNT), { startedAt: Date.now() });
  const { page } = await openTab(`${url}#/run/r?phase=p`);
  await page.getByText('Log: 100 000 lines').click();
  const log = page.getByRole('log', { name: 'Log of work' });
  await log.getByText(`line ${COUNT}.`).waitFor();
  await expect.poll(async () => (await inView(page)).lines.at(-1)).toBe(COUNT);
  // The last rows are shown until the part for long logs is loaded.
  await expect.poll(async () => (await inView(page)).rows).toBeLessThan(100);

  await page.getByRole('button', { name: 'First line' }).click();
  await expect.poll(async () => (await inView(page)).lines[0]).toBe(1);
  await page.getByRole('region', { name: 'Lines of work' }).press('End');
  await expect.poll(async () => (await inView(page)).lines.at(-1)).toBe(COUNT);
  await page.getByRole('region', { name: 'Lines of work' }).press('Home');
  await expect.poll(async () => (await inView(page)).lines[0]).toBe(1);

  // The long line and that of several lines are as high as their texts.
  await page.evaluate(`document.querySelector('.agent-log').scrollTop = 180`);
  await expect.poll(async () => (await inView(page)).lines).toContain(10);
  expect((await log.getByText('long long').boundingBox())?.height).toBeGreaterThan(40);
  await page.evaluate(`(({ scrollHeight }) => (document.querySelector('.agent-log').scrollTop = scrollHeight / 2))(
    document.querySelector('.agent-log'))`);
  await expect.poll(async () => (await inView(page)).lines[0]).toBeGreaterThan(40_000);
  const { lines, rows } = await inView(page);
  expect(lines[0]).toBeLessThan(60_000);
  expect(lines).toEqual(lines.map((_, at) => (lines[0] ?? 0) + at));
  expect(rows).toBeLessThan(100);
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole('button', { name: 'Last line' }).click();
  await expect.poll(async () => (await inView(page)).lines.at(-1)).toBe(COUNT);
});

it('follows a log that grows long, and leaves a reader where they are', async () => {
  const { store, url } = await dashboard();
  const [more, again, end] = [held(), held(), held()];
  const work = task('work', {
    run: async (context) => {
      for (let line = 1; line <= 150; line += 1) context.report({ progress: `line ${line}.` });
      await more.script(context);
      for (let line = 151; line <= 400; line += 1) context.report({ progress: `line ${line}.` });
      await again.script(context);
      for (let line = 401; line <= 600; line += 1) context.report({ progress: `line ${line}.` });
      await end.script(context);
    },
  });
  const run = startRun(definePipeline({ name: 'p', phases: [phase('p', { tasks: [work] })] }), { store, runId: 'r' });
  const { page } = await openTab(url);
  await page.goto(`${new URL('/', url).href}#/run/r?phase=p`);
  await expect.poll(async () => (await inView(page)).lines.at(-1)).toBe(150);
  expect((await inView(page)).rows).toBe(150);
  more.release('');
  await page.getByText('Log: 400 lines').waitFor();
  await expect.poll(async () => (await inView(page)).lines.at(-1)).toBe(400);
  const log = page.getByRole('log', { name: 'Log of work' });
  expect(await log.getAttribute('aria-live')).toBe('polite');

  await page.getByRole('button', { name: 'First line' }).click();
  await expect.poll(() => log.getAttribute('aria-live')).toBe('off');
  again.release('');
  await page.getByText('Log: 600 lines').waitFor();
  expect((await inView(page)).lines[0]).toBe(1);
  end.release('');
  expect((await run.result).status).toBe('completed');
});
