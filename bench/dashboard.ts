/**
 * Benchmark of the dashboard in a browser, with a run of 2 000 phases: time to show, frame rate and heap.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { definePipeline, phase, startRun, task, type Pipeline } from '../src/index.ts';
import { serveDashboard } from '../src/server/serve.ts';
import { sqliteStore } from '../src/sqlite.ts';
import { launch } from '../test/browser/chromium.ts';

const PHASES = 2000;
const WIDTH = 20;
const SECONDS = 4;

/** Measures and prints Markdown. Without a browser it prints the reason. */
export async function benchDashboard(): Promise<void> {
  const browser = await launch().catch((thrown: unknown) => console.log(`\n${String(thrown)}`));
  if (!browser) return;
  const folder = await mkdtemp(join(tmpdir(), 'phasegate-bench-'));
  const store = sqliteStore(join(folder, 'runs.db'));
  const build = process.env['PHASEGATE_BUILD'] ?? fileURLToPath(new URL('../dist', import.meta.url));
  const dashboard = await serveDashboard(store, { assets: join(build, 'dashboard') });
  try {
    await startRun(layersOf(0), { store, runId: 'over' }).result;
    // About 50 records per second: ten phases end per second, with 5 records each.
    const live = startRun(layersOf(100 * WIDTH), { store, runId: 'live', signal: AbortSignal.timeout(LIVE_MS) });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(dashboard.url);
    console.log(`\n| dashboard, ${PHASES} phases | shown after | frames per second | 95 % of frames in | heap |`);
    console.log('| --- | ---: | ---: | ---: | ---: |');
    for (const run of ['over', 'live'])
      for (const tab of ['graph', 'timeline']) {
        const shown = await show(page, `#/run/${run}?tab=${tab}`);
        const frames = await framesWhile(page, tab === 'graph' ? pan(page) : scroll(page));
        const cells = [
          `${tab} of a run that ${run === 'over' ? 'is over' : 'goes on'}`,
          `${shown.toFixed(0)} ms`,
          frames.perSecond.toFixed(0),
          `${frames.most.toFixed(0)} ms`,
          `${((await heapOf(page)) / 1_000_000).toFixed(0)} MB`,
        ];
        console.log(`| ${cells.join(' | ')} |`);
      }
    live.cancel('measured');
    await live.result;
  } finally {
    await dashboard.close();
    await browser.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

// --- internal ---

const LIVE_MS = 120_000;

/** Creates layers of phases. Each phase needs two of the layer before and has a gate that approves. */
function layersOf(taskMs: number): Pipeline<unknown> {
  const phases = Array.from({ length: PHASES }, (_, at) => {
    const before = Math.floor(at / WIDTH) * WIDTH - WIDTH;
    const after = before < 0 ? [] : [before + (at % WIDTH), before + ((at + 1) % WIDTH)].map((one) => `phase ${one}`);
    const run = async () => {
      if (taskMs > 0) await setTimeout(taskMs);
      return at;
    };
    return phase(`phase ${at}`, { after, tasks: [task('work', { run })], review: () => 'APPROVE' });
  });
  return definePipeline({ name: 'layers', phases, concurrency: WIDTH });
}

/** Opens a page, after the home page. @returns Milliseconds until the page was shown. */
async function show(page: Page, hash: string): Promise<number> {
  await page.evaluate(`location.hash = '#/'`);
  await page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
  const start = performance.now();
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.locator('.react-flow__node, .timeline .row').first().waitFor({ state: 'attached' });
  return performance.now() - start;
}

/** Measures frames during an action. */
async function framesWhile(
  page: Page,
  done: Promise<void>,
): Promise<{ readonly perSecond: number; readonly most: number }> {
  const taken: unknown = await page.evaluate(`new Promise((resolve) => {
    const taken = [];
    const start = performance.now();
    let before = start;
    requestAnimationFrame(function next(now) {
      taken.push(now - before);
      before = now;
      if (now - start < ${SECONDS * 1000}) requestAnimationFrame(next);
      else resolve(taken);
    });
  })`);
  await done;
  const times = (Array.isArray(taken) ? taken.map(Number) : []).toSorted((a, b) => a - b);
  return { perSecond: times.length / SECONDS, most: times[Math.floor(times.length * 0.95)] ?? 0 };
}

/** Drags the graph. */
async function pan(page: Page): Promise<void> {
  await page.mouse.move(640, 600);
  await page.mouse.down();
  const start = performance.now();
  for (let step = 0; performance.now() - start < SECONDS * 900; step += 1)
    await page.mouse.move(640 + 300 * Math.sin(step / 10), 600 + 100 * Math.cos(step / 10));
  await page.mouse.up();
}

/** Turns the mouse wheel. */
async function scroll(page: Page): Promise<void> {
  await page.mouse.move(640, 600);
  const start = performance.now();
  for (let step = 0; performance.now() - start < SECONDS * 900; step += 1) {
    await page.mouse.wheel(0, step % 100 < 50 ? 60 : -60);
    await setTimeout(16);
  }
}

/** Measures the heap of scripts in bytes, after garbage collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}
