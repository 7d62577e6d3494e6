/**
 * Kills the process of a fleet at random instants, resumes it until it ends, and examines what is left.
 *
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readRun } from '../../../src/index.ts';
import type { RunRecord } from '../../../src/records.ts';
import { sqliteStore } from '../../../src/sqlite.ts';
import { git, makeDirty, makeLab, pictureOf } from '../../workspaces/lab.ts';
import { bundle, makeFolder } from '../kill/bundle.ts';
import { linesOf } from '../kill/pipeline.ts';
import { randomFrom } from '../kill/random.ts';
import { AGENT, begunIn, type Begun, type Ground } from './fleet.ts';
import { problemsOfFolders, problemsOfRecords, problemsOfWork } from './problems.ts';

/** The options of a sweep. */
export interface FleetSweepOptions {
  /** The number of runs that are killed at random instants, up to three times each. */
  readonly random: number;
  /** @default 1 */
  readonly seed?: number | undefined;
  /** The number of simultaneous runs. @default 2 */
  readonly width?: number | undefined;
  readonly onRun?: ((done: number, of: number) => void) | undefined;
}

/** The outcome of a sweep. */
export interface FleetSweepReport {
  readonly runs: number;
  readonly kills: number;
  /** Agents that were at work when their process was killed. */
  readonly orphans: number;
  /** Agents that have begun. */
  readonly begun: number;
  /** Commits that were kept when a process was killed. */
  readonly kept: number;
  /** Folders whose content only a rescue kept. */
  readonly rescued: number;
  readonly problems: readonly string[];
}

/** A run to its end, with all of its processes. */
export interface Played {
  readonly ground: Ground;
  readonly before: Readonly<Record<string, string>>;
  readonly records: readonly RunRecord[];
  readonly deaths: readonly Death[];
  readonly begun: readonly Begun[];
  /** The line that the last process prints about its result; empty if the run had ended before. */
  readonly said: string;
  readonly tookMs: number;
}

/** The state that a killed process left behind. */
export interface Death {
  readonly records: readonly RunRecord[];
  /** The number of the last acknowledged record. */
  readonly acknowledged: number;
  /** The number of agents that had begun. */
  readonly begun: number;
  /** Agents that were alive. */
  readonly orphans: readonly Begun[];
  /** Refs of the commits of attempts. */
  readonly kept: readonly string[];
}

/** Runs the sweep: kills, resumes and examines. */
export async function sweepFleet({ random, seed = 1, width = 2, onRun }: FleetSweepOptions): Promise<FleetSweepReport> {
  const folder = makeFolder();
  try {
    // First, as it empties the folder.
    const program = await bundle(folder, new URL('child.ts', import.meta.url));
    const lab = await makeLab(folder);
    await makeDirty(lab);
    const scene: Scene = { folder, template: lab.user, program };
    const plain = await play(scene, 'plain', 'clone', []);
    const chance = randomFrom(seed);
    const plots = Array.from({ length: random }, () =>
      Array.from({ length: 1 + Math.floor(chance() * 3) }, () => instantBy(chance, plain.tookMs)),
    );
    const tally = { runs: 0, kills: 0, orphans: 0, begun: 0, kept: 0, rescued: 0 };
    const problems: string[] = [...(await examine(plain, plain)).problems];
    const left = plots.entries();
    await Promise.all(
      Array.from({ length: width }, async () => {
        for (const [index, plot] of left) {
          const played = await play(scene, `run-${index}`, index % 3 === 2 ? 'worktree' : 'clone', plot);
          const found = await examine(played, plain);
          tally.runs += 1;
          tally.kills += played.deaths.length;
          tally.orphans += played.deaths.reduce((sum, { orphans }) => sum + orphans.length, 0);
          tally.begun += played.begun.length;
          tally.kept += played.deaths.reduce((sum, { kept }) => sum + kept.length, 0);
          tally.rescued += found.rescued;
          problems.push(...found.problems.map((problem) => `run ${index} of seed ${seed}: ${problem}`));
          onRun?.(tally.runs, random);
        }
      }),
    );
    return { ...tally, problems };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// --- internal ---

interface Scene {
  readonly folder: string;
  /** A user's repository, of which each run gets a copy. */
  readonly template: string;
  readonly program: string;
}

/** The instant at which a process is killed: milliseconds after it has begun, with that many agents and kept commits. */
interface Instant {
  readonly agents: number;
  readonly kept: number;
  readonly afterMs: number;
}

/** Chooses an instant: at any time, with agents at work, or with a commit whose subtask is not over. The latter two are short. */
function instantBy(chance: () => number, tookMs: number): Instant {
  const kind = Math.floor(chance() * 3);
  const count = 1 + Math.floor(chance() * 4);
  const afterMs = chance() * (kind === 0 ? tookMs * 1.1 : kind === 1 ? 100 : 30);
  return { agents: kind === 1 ? count : 0, kept: kind === 2 ? count : 0, afterMs };
}

/** A time beyond the lease of a killed process, in milliseconds. */
const LEASE_MS = 120_000;

/** Runs the fleet to its end. @param plot Instants at which processes are killed, one after the other. */
async function play(
  { folder, template, program }: Scene,
  name: string,
  isolation: Ground['isolation'],
  plot: readonly Instant[],
): Promise<Played> {
  const home = join(folder, name);
  const [user, root, log] = [join(home, 'user'), join(home, 'root'), join(home, 'log')];
  const [file, acknowledged] = [join(home, 'runs.sqlite'), join(home, 'acknowledged')];
  mkdirSync(home);
  cpSync(template, user, { recursive: true, preserveTimestamps: true });
  for (const one of [log, acknowledged]) writeFileSync(one, '');
  const ground: Ground = { user, root, log, isolation };
  const before = await pictureOf(user);
  const deaths: Death[] = [];
  const begunAt = performance.now();
  let said: string;
  for (let nth = 0; ; nth++) {
    const args = [program, file, acknowledged, String(nth * LEASE_MS), AGENT, JSON.stringify(ground)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const output = outputOf(child);
    const instant = plot[nth];
    if (instant) {
      await Promise.race([output.begun, ended]);
      const [agents, kept] = [begunIn(log).length + instant.agents, keptIn(user) + instant.kept];
      while (child.exitCode === null && (begunIn(log).length < agents || keptIn(user) < kept)) await setTimeout(3);
      await Promise.race([setTimeout(instant.afterMs), ended]);
      child.kill('SIGKILL');
    }
    const [code] = (await ended) as [number | null];
    said = output.text().replace('begun\n', '');
    if (child.signalCode !== 'SIGKILL') {
      if (code !== 0) throw new Error(`The process of ${name} ended with ${code ?? child.signalCode}`);
      break;
    }
    deaths.push(await deathIn(ground, file, acknowledged));
  }
  const tookMs = performance.now() - begunAt;
  return { ground, before, records: await recordsIn(file), deaths, begun: begunIn(log), said, tookMs };
}

function outputOf(child: ChildProcess): { readonly begun: Promise<unknown>; readonly text: () => string } {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
  return { begun: child.stdout ? once(child.stdout, 'data') : Promise.resolve(), text: () => said };
}

async function deathIn({ user, log }: Ground, file: string, acknowledged: string): Promise<Death> {
  // Read first: git may still write the ref of a commit whose process is dead.
  const refs = await git(user, 'for-each-ref', '--format=%(refname)', 'refs/phasegate/r/attempts');
  const begun = begunIn(log);
  const alive = await Promise.all(begun.map(isAlive));
  return {
    records: await recordsIn(file),
    acknowledged: Number(linesOf(acknowledged).at(-1) ?? 0),
    begun: begun.length,
    orphans: begun.filter((_, index) => alive[index]),
    kept: refs.split('\n').filter((ref) => ref !== ''),
  };
}

/** Returns the number of commits of attempts. Git writes each ref as a file. */
function keptIn(user: string): number {
  const refs = join(user, '.git/refs/phasegate/r/attempts');
  if (!existsSync(refs)) return 0;
  const entries = readdirSync(refs, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.lock')).length;
}

async function recordsIn(file: string): Promise<readonly RunRecord[]> {
  const store = sqliteStore(file);
  try {
    return (await store.run('r')) ? await readRun(store, 'r') : [];
  } finally {
    await store.close();
  }
}

async function isAlive({ pid, folder }: Begun): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environment.includes(`PHASEGATE_WORKSPACE=${folder}\0`);
}

async function examine(
  played: Played,
  plain: Played,
): Promise<{ readonly rescued: number; readonly problems: readonly string[] }> {
  const work = await problemsOfWork(played);
  const folders = await problemsOfFolders(played);
  return { rescued: folders.rescued, problems: [...problemsOfRecords(played, plain), ...work, ...folders.problems] };
}
