/** Runs of programs that were killed or terminated, and the functions that resume them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SimulatedClock } from 'xstate';
import { transformWithOxc } from 'vite';
import { definePipeline, phase, resumeAll, resumeRun, retryRun, startRun, memoryStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { workOn } from '../../src/store/lease-holder.ts';
import { holderIsAlive, thisHolder } from '../../src/store/holder.ts';
import { phasegate } from '../cli/cli.ts';
import { idle } from '../rig.ts';

const LIBRARY = new URL('../../dist/index.js', import.meta.url).href;
const STORES = new URL('../../dist/sqlite.js', import.meta.url).href;

/** The pipeline of the programs, but with a task that ends. */
const pipeline = articleBy(() => 'text');
const hanging = articleBy(() => new Promise<string>(() => undefined));

const HANGS = `
import { definePipeline, phase, startRun } from ${JSON.stringify(LIBRARY)};
import { sqliteStore } from ${JSON.stringify(STORES)};
const pipeline = definePipeline({ name: 'article', phases: [phase('draft', { tasks: (task) => [task('write', {
  run: () => { console.log('at work'); return new Promise(() => setInterval(() => {}, 1e6)); } })] })] });
await startRun(pipeline, { store: sqliteStore('runs.db'), runId: 'a1' }).result;
`;

describe('resumeAll() after kill -9', () => {
  it('resumes the run of a dead process at once, and does not report it as running', async () => {
    const { folder, child, said } = program(HANGS);
    await said('at work');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = sqliteStore(join(folder, 'runs.db'));
    onTestFinished(() => store.close());
    const left = await store.run('a1');
    // The lease is valid for another half a minute.
    expect(left?.lease?.holder).toMatch(new RegExp(String.raw`^process ${child.pid} on `, 'u'));
    expect(left && workOn(left, holderIsAlive).state).toBe('gone');
    const { stdout } = await phasegate(['ls', '--store', 'runs.db'], { cwd: folder });
    expect(stdout).toMatch(/^a1 +suspended/mu);

    const { runs, failed, waiting } = await resumeAll(store, [pipeline]);
    expect([runs.map(({ id }) => id), failed, waiting]).toEqual([['a1'], [], []]);
    expect((await runs[0]?.result)?.status).toBe('completed');
  });

  it('is the same for resumeRun()', async () => {
    const { folder, child, said } = program(HANGS);
    await said('at work');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = sqliteStore(join(folder, 'runs.db'));
    onTestFinished(() => store.close());
    expect((await (await resumeRun(store, 'a1', pipeline)).result).status).toBe('completed');
  });

  it('reports the runs of live or unknown processes, with the end of their leases', async () => {
    const { folder, said, child } = program(HANGS);
    await said('at work');
    const store = sqliteStore(join(folder, 'runs.db'));
    onTestFinished(() => store.close());
    await suspended(store, 'b1');
    const { expiresAt } = await store.acquire('b1', 'another machine', 60_000);
    const live = await store.run('a1');
    const { runs, waiting } = await resumeAll(store, [pipeline]);
    expect(runs).toEqual([]);
    expect(waiting).toEqual([
      {
        runId: 'a1',
        until: live?.lease?.expiresAt,
        holder: expect.stringContaining(`process ${child.pid} on `) as string,
      },
      { runId: 'b1', until: expiresAt, holder: 'another machine' },
    ]);
  });

  it('takes nothing from a live process whose lease has expired', async () => {
    let now = 0;
    const store = memoryStore({ now: () => now });
    await suspended(store, 'a1');
    const { holder } = await store.acquire('a1', `process ${process.ppid} on ${hostOf(thisHolder())}`, 1000);
    now = 5000;
    const { runs, waiting } = await resumeAll(store, [pipeline]);
    expect([runs, waiting]).toEqual([[], [{ runId: 'a1', until: 1000, holder }]]);
  });
});

describe('resumeAll({ watch: true })', () => {
  it('resumes runs whose lease ends or is released, until it is stopped', async () => {
    const clock = new SimulatedClock();
    const store = memoryStore({ now: () => clock.now() });
    for (const runId of ['expires', 'freed', 'later']) await suspended(store, runId);
    await store.acquire('expires', 'another machine', 700);
    const lease = await store.acquire('freed', 'another machine', 60_000);
    await store.acquire('later', 'another machine', 9000);
    const seen: string[] = [];
    const { waiting, stop } = await resumeAll(store, [pipeline], {
      watch: true,
      clock: { ...clockOf(clock), now: () => clock.now() },
      onRun: ({ id }) => seen.push(id),
    });
    expect(waiting.map(({ runId, until }) => [runId, until])).toEqual([
      ['expires', 700],
      ['freed', 60_000],
      ['later', 9000],
    ]);
    clock.increment(700);
    await idle();
    expect(seen).toEqual([]);
    clock.increment(1);
    await idle();
    expect(seen).toEqual(['expires']);
    await store.release(lease);
    clock.increment(5000);
    await idle();
    expect(seen).toEqual(['expires', 'freed']);
    await stop();
    clock.increment(60_000);
    await idle();
    expect(seen).toEqual(['expires', 'freed']);
  });

  it('tries a run that cannot resume again only after a change', async () => {
    const clock = new SimulatedClock();
    const store = memoryStore();
    await suspended(store, 'a1');
    const changed = definePipeline({
      name: 'article',
      phases: [phase('other', { tasks: (task) => [task('t', { run: () => 1 })] })],
    });
    const told: string[] = [];
    const { failed, stop } = await resumeAll(store, [changed], {
      watch: 100,
      clock: clockOf(clock),
      onFailed: ({ runId }) => told.push(runId),
    });
    expect(failed).toMatchObject([{ runId: 'a1', error: { code: 'RUN_CHANGED' } }]);
    clock.increment(1000);
    await idle();
    expect(told).toEqual(['a1']);
    await stop();
  });
});

describe('a terminated program', () => {
  it('suspends its runs by the recipe of the guide, so that another process resumes them at once', async () => {
    const recipe = recipeOfTheGuide();
    const text = recipe
      .replace('memoryStore()', "sqliteStore('runs.db')")
      .replace(
        "from 'phasegate';",
        `from ${JSON.stringify(LIBRARY)};\nimport { sqliteStore } from ${JSON.stringify(STORES)};`,
      )
      .replace(/^process\.kill\(.*$/mu, '');
    expect(text).not.toContain('process.kill');
    const { code } = await transformWithOxc(text, 'recipe.ts');
    const { folder, child, said, output } = program(code);
    await said('writing');
    child.kill('SIGTERM');
    const [exit, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect([exit, signal, output()]).toEqual([0, null, 'writing\na1 suspended\n']);
    const store = sqliteStore(join(folder, 'runs.db'));
    onTestFinished(() => store.close());
    expect(await store.run('a1')).toMatchObject({ status: 'running', lease: undefined });
    const { runs } = await resumeAll(store, [pipeline]);
    expect((await runs[0]?.result)?.status).toBe('completed');
  });
});

describe('hints about an unfinished run', () => {
  it('name the way to resume, and never cancellation', async () => {
    const store = memoryStore();
    await suspended(store, 'a1');
    const error: unknown = await retryRun(store, 'a1', pipeline).catch((thrown: unknown) => thrown);
    expect(error).toMatchInlineSnapshot(`
      [PhasegateError: Cannot try run a1 again as it has not ended
      Resume it with resumeRun() or phasegate resume. Approved phases are not run again.
      Docs: docs/errors.md#RUN_NOT_ENDED]
    `);
  });
});

// --- internal ---

function articleBy(write: () => string | Promise<string>) {
  return definePipeline({
    name: 'article',
    phases: [phase('draft', { tasks: (task) => [task('write', { run: write })] })],
  });
}

/** Leaves a run unfinished and without a process. */
async function suspended(store: Parameters<typeof resumeAll>[0], runId: string): Promise<void> {
  const run = startRun(hanging, { store, runId });
  const started = new Promise<void>((resolve) => {
    run.events$.subscribe(({ event }) => event.type === 'task.started' && resolve());
  });
  await started;
  run.suspend();
  expect((await run.result).status).toBe('suspended');
}

/** Starts a program in a folder of its own. */
function program(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'phasegate-recover-'));
  const file = join(folder, 'program.mjs');
  writeFileSync(file, text);
  const child = spawn(process.execPath, [file], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '';
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => (problem += more));
  child.stdout.setEncoding('utf8').on('data', (more: string) => (told += more));
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  async function said(wanted: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = () => told.includes(wanted) && resolve();
      child.stdout.on('data', look);
      child.once('exit', () => reject(new Error(`It ended before it said so: ${told}${problem}`)));
      look();
    });
  }
  return { folder, child, said, output: () => told };
}

function recipeOfTheGuide(): string {
  const guide = readFileSync(new URL('../../docs/guide.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```ts\n([^]*?)^```$/gmu)].map(([, text = '']) => text);
  const [recipe, ...others] = blocks.filter((text) => text.includes("once('SIGTERM'"));
  if (recipe === undefined || others.length > 0) throw new Error('The guide has one recipe.');
  return recipe;
}

function hostOf(holder: string): string {
  return / on (\S+)/u.exec(holder)?.[1] ?? '';
}

function clockOf(clock: SimulatedClock) {
  return {
    setTimeout: (run: () => void, ms: number) => clock.setTimeout(run, ms),
    clearTimeout: (id: unknown) => clock.clearTimeout(id as number),
  };
}
