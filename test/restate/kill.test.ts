import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../../src/inbox.ts';
import { readRun } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { restateRuns } from '../../src/restate.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { plain, recordsOnSqlite, untilOver } from './compare.ts';
import { labPipeline } from './lab.ts';
import { freePorts, serverMissing, startRestate, type RestateServer } from './server.ts';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));
const RUNS = ['run-1', 'run-2', 'run-3', 'run-4'];
/** The predecessor of each phase that has one. */
const BEFORE: Readonly<Record<string, string>> = { b: 'a', c: 'b' };
const APPROVE: Reply = { type: 'decide', decision: 'APPROVE' };

const missing = serverMissing();
if (missing !== undefined) console.warn(`Skipped: ${missing}`);

describe.skipIf(missing !== undefined)('runs on Restate whose worker and server are killed', () => {
  let folder: string;
  let starts: string;
  let server: RestateServer;
  let worker: ChildProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'restate-kill-'));
    starts = join(folder, 'starts.txt');
    writeFileSync(starts, '');
  });

  afterEach(async () => {
    await kill(worker);
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  function startsNow(): readonly string[] {
    return readFileSync(starts, 'utf8').split('\n').filter(Boolean);
  }

  it.each([
    ['in normal mode', {}, 'a/two 0.0'],
    // Phase `b` begins a second time then, with the same numbers.
    ['with every handler replayed', { RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: '0s' }, 'b/two 0.0 on a two 1.2'],
  ])('complete %s with the records of SQLite, and repeat no recorded task', async (_, env, reached) => {
    const file = join(folder, 'runs.sqlite');
    const [port = 0] = await freePorts(1);
    server = await startRestate(env);
    worker = await startChild(port, starts, file);
    await server.register(`http://127.0.0.1:${port}`);
    const runs = restateRuns({ ingress: server.ingress });
    const pipeline = labPipeline(join(folder, 'unused.txt'));
    await Promise.all(RUNS.map((runId) => runs.start(pipeline, { runId })));

    const isMidway = async () =>
      startsNow().some((one) => one.endsWith(reached)) && isAtSecond(startsNow(), await recordedIn(file));
    await expect.poll(isMidway, { interval: 10 }).toBe(true);
    await kill(worker);
    const recorded = await recordedIn(file);
    const before = startsNow();
    worker = await startChild(port, starts, file);
    await expect.poll(() => startsNow().length, { interval: 10 }).toBeGreaterThan(before.length + 9);
    await server.restart();

    await Promise.all(RUNS.map((runId) => untilOver(runs, runId, () => APPROVE)));
    expect(isAtSecond(before, recorded)).toBe(true);
    for (const one of recorded) expect([one, count(startsNow(), one)]).toEqual([one, count(before, one)]);
    const store = sqliteStore(file);
    for (const runId of RUNS) {
      const records = await runs.records(runId);
      expect(plain(records)).toEqual(plain(await recordsOnSqlite(pipeline, runId, () => APPROVE)));
      await expect.poll(() => store.read(runId)).toEqual(records);
      expect(new Set(startsNow().filter((one) => one.startsWith(`${runId} `)))).toEqual(new Set(linesOf(records)));
    }
    await store.close();
  });
});

// --- internal ---

/** True if an attempt is at its second task, and the first one is recorded. */
function isAtSecond(starts: readonly string[], recorded: readonly string[]): boolean {
  return starts.some(
    (one) => !recorded.includes(one) && recorded.includes(one.replace('/two ', '/one ')) && one.includes('/two '),
  );
}

function count(all: readonly string[], one: string): number {
  return all.filter((other) => other === one).length;
}

/** The tasks that have completed according to the store. */
async function recordedIn(file: string): Promise<readonly string[]> {
  const store = sqliteStore(file, { readOnly: true });
  const records: RunRecord[] = [];
  for (const runId of RUNS) records.push(...(await readRun(store, runId)));
  await store.close();
  return linesOf(records);
}

/** The tasks that have completed, as lines of starts. */
function linesOf(records: readonly RunRecord[]): readonly string[] {
  /** The last output of each phase of each run. */
  const outputs = new Map<string, unknown>();
  return records.flatMap(({ runId, event }) => {
    if (event.type !== 'task.completed') return [];
    const { phase, task, generation, attempt, output } = event;
    outputs.set(`${runId} ${phase}`, output);
    const before = BEFORE[phase];
    const on = before === undefined ? '' : ` on ${String(outputs.get(`${runId} ${before}`))}`;
    return [`${runId} ${phase}/${task} ${generation}.${attempt}${on}`];
  });
}

async function startChild(port: number, starts: string, store: string): Promise<ChildProcess> {
  const args = ['--import', 'jiti/register', WORKER, String(port), starts, store];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => text.toString().includes('listening') && resolve());
    child.once('exit', (code) => reject(new Error(`The worker has ended with ${code}.`)));
  });
  return child;
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await over;
}
