/**
 * Harm to two workers of Restate, and to its server. `npm run test:engines` takes many runs, and with `-u` writes the table of docs/scaling.md;
 * the whole gate takes a few.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PhasegateError } from '../../src/model/errors/phasegate-error.ts';
import { restateRuns, type RestateRuns } from '../../src/restate.ts';
import { files, repository } from '../cli/cli.ts';
import { startBalancer } from '../restate/balancer.ts';
import { freePorts, serverMissing, startRestate, type RestateServer } from '../restate/server.ts';
import { tallyOf } from './campaign.ts';
import { essayOn } from './restate-worker.ts';

const wanted = process.env['PHASEGATE_ENGINES'];
const RUNS = wanted === undefined ? 6 : Number(wanted) / 5;
/** Times that harm is done. */
const TIMES = wanted === undefined ? 1 : 4;
const WORKERS = 2;
/** Callers that answer each item at once. */
const CALLERS = 3;
const WORKER = fileURLToPath(new URL('restate-worker.ts', import.meta.url));

/** The processes. */
interface Site {
  readonly server: RestateServer;
  /** Kills one worker. Another takes its place. */
  readonly kill: () => Promise<void>;
}

interface Case {
  readonly name: string;
  /** True if it belongs to the whole gate. */
  readonly isQuick?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly harm: (site: Site) => Promise<void>;
}

const both = async ({ kill, server }: Site) => {
  await kill();
  await server.restart();
};

const CASES: readonly Case[] = [
  { name: 'a worker is killed', isQuick: true, harm: ({ kill }) => kill() },
  { name: 'the server is killed', harm: ({ server }) => server.restart() },
  { name: 'a worker is killed, and then the server', harm: both },
  {
    name: 'both are killed, and each handler is replayed at each step',
    env: { RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: '0s' },
    isQuick: true,
    harm: both,
  },
];

const missing = serverMissing();
const rows: (readonly string[])[] = [];

describe.skipIf(missing)('two workers of Restate lose no record, and begin no recorded task again, although', () => {
  for (const { name, isQuick = false, env, harm } of CASES)
    it.runIf(isQuick || wanted !== undefined)(
      name,
      async () => {
        const tally = await campaign(env, harm);
        expect(tally).toEqual({ records: 0, committedAgain: 0, answers: 0 });
        rows.push([name, String(RUNS), String(WORKERS), ...Object.values(tally).map(String)]);
      },
      900_000,
    );

  it('has its table in docs/scaling.md', async () => {
    const page = await readFile(join(repository, 'docs/scaling.md'), 'utf8');
    const [, before = '', table = '', after = ''] = TABLE.exec(page) ?? [];
    const names = CASES.map(({ name }) => name);
    if (wanted === undefined) {
      const found = table.split('\n').flatMap((line) => /^\| (.*?) *\|/u.exec(line)?.[1] ?? []);
      expect(found.slice(2)).toEqual(names);
      return;
    }
    expect(rows.map(([name]) => name)).toEqual(names);
    const head =
      '| although | runs | workers | records lost or doubled | recorded tasks again | answers lost or doubled |';
    const lines = [
      head,
      '| --- | ---: | ---: | ---: | ---: | ---: |',
      ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    ];
    const made = await format(lines.join('\n'), { parser: 'markdown', printWidth: 120 });
    await expect(page.replace(TABLE, () => before + made + after)).toMatchFileSnapshot('../../docs/scaling.md');
  });
});

// --- internal ---

const TABLE = /(<!-- made for Restate by `npm run test:engines -- -u` -->\n\n)([\s\S]*?)(\n<!-- end -->)/u;

async function campaign(env: Case['env'], harm: Case['harm']) {
  const cwd = await files({});
  const ran = join(cwd, 'ran');
  writeFileSync(ran, '');
  const server = await startRestate(env);
  onTestFinished(() => server.remove());
  const places = [await hire(ran), await hire(ran)];
  onTestFinished(async () => {
    for (const { child } of places) await end(child);
  });
  const balancer = await startBalancer(() => places.map(({ port }) => port));
  onTestFinished(() => balancer.stop());
  await server.register(balancer.uri);
  const runs = restateRuns({ ingress: server.ingress });
  const ids = Array.from({ length: RUNS }, (_, at) => `run-${at}`);
  const recorded = new Map<string, number>();
  const site: Site = {
    server,
    async kill() {
      const [first] = places;
      if (!first) return;
      await end(first.child);
      places.shift();
      // Work of the other one may still be recorded later: it is no part of this.
      const before = counted(ran);
      for (const task of await recordedTasks(runs, ids))
        if (!recorded.has(task)) recorded.set(task, before.get(task) ?? 0);
      places.push(await hire(ran));
    },
  };
  await Promise.all(ids.map((runId) => runs.start(essayOn(ran), { runId })));

  let accepted = 0;
  let done = 0;
  const open = new Set(ids);
  while (open.size > 0) {
    for (const runId of open) {
      const { status, inbox } = await runs.get(runId);
      if (status !== 'running') open.delete(runId);
      for (const { id } of inbox) {
        const answers = await Promise.all(Array.from({ length: CALLERS }, () => answered(runs, runId, id)));
        accepted += answers.reduce((sum, one) => sum + one, 0);
        if (done >= TIMES || accepted < ((done + 1) * RUNS) / (TIMES + 1)) continue;
        done += 1;
        await harm(site);
      }
    }
  }
  expect(done).toBe(TIMES);
  const now = counted(ran);
  let again = [...recorded].filter(([task, count]) => now.get(task) !== count).length;
  let records = 0;
  let lost = Math.abs(accepted - RUNS);
  for (const runId of ids) {
    const all = await runs.records(runId);
    expect(all.at(-1)?.event).toMatchObject({ type: 'run.ended', status: 'completed' });
    const tally = tallyOf(all);
    records += tally.records;
    again += tally.committedAgain;
    lost += tally.answers;
  }
  expect(now.size).toBe(2 * RUNS);
  return { records, committedAgain: again, answers: lost };
}

async function hire(ran: string): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const [port = 0] = await freePorts(1);
  const args = ['--import', 'jiti/register', WORKER, String(port), ran];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => text.toString().includes('listening') && resolve());
    child.once('exit', (code) => reject(new Error(`The worker has ended with ${code}.`)));
  });
  return { child, port };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await over;
}

/** The number of starts of each task. */
function counted(ran: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of readFileSync(ran, 'utf8').split('\n').filter(Boolean))
    counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

async function recordedTasks(runs: RestateRuns, ids: readonly string[]): Promise<readonly string[]> {
  const all = await Promise.all(ids.map((runId) => runs.records(runId)));
  return all.flat().flatMap(({ runId, event }) => (event.type === 'task.completed' ? `${event.task} ${runId}` : []));
}

/** Approves an item. @returns 1 if this answer was the first. */
async function answered(runs: RestateRuns, runId: string, item: string): Promise<number> {
  try {
    await runs.answer(runId, item, { type: 'decide', decision: 'APPROVE' });
    return 1;
  } catch (error) {
    if (PhasegateError.is(error) && error.code === 'ANSWERED') return 0;
    throw error;
  }
}
