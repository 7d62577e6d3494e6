/**
 * Benchmark of a subtask beside its agent, in a repository of 20 000 files in the working folder.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startRun } from 'phasegate';
import { commandAgent } from 'phasegate/agents';
import { compilePlan, gitWorkspace, type Isolation } from 'phasegate/fleet';

/** Prints the table as Markdown. */
export async function benchFleet(): Promise<void> {
  mkdirSync('out', { recursive: true });
  const folder = resolve(mkdtempSync(join('out', 'bench-')));
  try {
    const user = makeRepository(join(folder, 'user'));
    const rows = new Map<string, Steps>();
    // In turns, as a machine is slower at times. The least of all rounds counts.
    for (let round = 0; round < ROUNDS; round++) {
      const note = async (name: string, measure: () => Promise<Times>, share = 1) => {
        const before = cpuMs();
        const { all, ...steps } = await measure();
        // Folders are deleted in the background, which takes processor time as well.
        await setTimeout(SETTLE_MS);
        rows.set(name, least(rows.get(name), { ...steps, all: all / share, cpu: (cpuMs() - before) / share }));
      };
      await note('plain git', () => plainGit(user, join(folder, 'plain')));
      for (const isolation of ['clone', 'worktree'] as const) {
        const root = join(folder, isolation);
        await note(`workspace, ${isolation}`, () => oneWorkspace(user, root, isolation, round));
        await note(`fleet of 1, ${isolation}`, () => fleetOf(1, user, root, isolation));
      }
      await note('fleet of 4, clone, each', () => fleetOf(4, user, join(folder, 'clone'), 'clone'), 4);
      await note('fleet of 3 levels, clone, each', () => fleetOf(1, user, join(folder, 'clone'), 'clone', 3), 3);
    }
    console.log(
      `\n| a subtask in ${FOLDERS * FILES} files, ms | new folder | commit | end | all | ratio | processor | ratio |`,
    );
    console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
    const floor = rows.get('plain git');
    for (const [name, { open, keep, close, all, cpu }] of rows) {
      const ratios = floor ? [(all / floor.all).toFixed(1), (cpu / floor.cpu).toFixed(1)] : [];
      const steps = [open, keep, close, all].map((ms) => ms?.toFixed(0) ?? '');
      console.log(`| ${[name, ...steps, ratios[0], cpu.toFixed(0), ratios[1]].join(' | ')} |`);
    }
  } finally {
    rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

// --- internal ---

const ROUNDS = 3;
const FOLDERS = 200;
const FILES = 100;
/** Milliseconds that an agent works. Git reads files again that are as young as their index. */
const AGENT_MS = 1500;
/** Milliseconds for processes in the background. */
const SETTLE_MS = 1500;

/** Milliseconds of the steps of a subtask. */
interface Times {
  readonly open?: number;
  readonly keep?: number;
  readonly close?: number;
  readonly all: number;
}

/** Milliseconds, and those of processors. */
interface Steps extends Times {
  readonly cpu: number;
}

/** Makes a repository whose objects are packed. */
function makeRepository(user: string): string {
  mkdirSync(user);
  for (let part = 0; part < FOLDERS; part++) {
    mkdirSync(join(user, `part-${part}`));
    for (let file = 0; file < FILES; file++) {
      const lines = Array.from({ length: 25 }, (_, line) => `export const value${line} = ${part * FILES + file};`);
      writeFileSync(join(user, `part-${part}`, `file-${file}.ts`), `${lines.join('\n')}\n`);
    }
  }
  git(user, 'init', '--quiet', '--initial-branch', 'main');
  git(user, 'add', '--all');
  git(user, 'commit', '--quiet', '--message', 'Begin');
  git(user, 'repack', '-a', '-d', '-q');
  return user;
}

/** The least that a subtask could take: a clone that shares nothing, and a commit of all files. */
async function plainGit(user: string, work: string): Promise<Times> {
  const begun = performance.now();
  execFileSync('git', ['clone', '--quiet', '--local', '--no-hardlinks', '--no-tags', user, work]);
  const open = performance.now() - begun;
  await setTimeout(AGENT_MS);
  edit(work);
  const done = performance.now();
  git(work, 'add', '--all');
  const tree = git(work, 'write-tree');
  git(work, 'commit-tree', tree, '-p', 'HEAD', '-m', 'Work');
  const keep = performance.now() - done;
  rmSync(work, { recursive: true });
  return { open, keep, all: open + keep };
}

async function oneWorkspace(user: string, root: string, isolation: Isolation, round: number): Promise<Times> {
  const { signal } = new AbortController();
  const workspaces = gitWorkspace({ repository: user, root, isolation });
  const { base } = await workspaces.start({ run: 'workspace', signal });
  const key = `${isolation}-${round}`;
  const place = { run: 'workspace', phase: 'phase', generation: 0, attempt: round, task: isolation, key };
  const begun = performance.now();
  await workspaces.kept(place, signal);
  const workspace = await workspaces.open(place, { base, signal });
  const open = performance.now() - begun;
  await setTimeout(AGENT_MS);
  edit(workspace.path);
  const done = performance.now();
  await workspace.keep({ title: 'Work', signal });
  const kept = performance.now();
  const { removed } = await workspace.close();
  if (!removed) throw new Error('The folder is left');
  const end = performance.now();
  return { open, keep: kept - done, close: end - kept, all: open + end - done };
}

/** Runs a fleet of subtasks on each of some levels. The time of one agent for each level does not count, as they work at the same time. */
async function fleetOf(count: number, user: string, root: string, isolation: Isolation, levels = 1): Promise<Times> {
  const line = `sleep ${AGENT_MS / 1000}; echo "$PHASEGATE_TASK" > "part-3/$PHASEGATE_TASK.ts"`;
  const subtasks = Array.from({ length: count * levels }, (_, index) => {
    const id = String(index);
    const depends_on = index < count ? [] : [String(index - count)];
    return { id, title: id, description: '', depends_on, files_touched: [`part-3/${id}.ts`] };
  });
  const pipeline = compilePlan(
    { goal: 'Work.', subtasks },
    { workspace: gitWorkspace({ repository: user, root, isolation }), agent: commandAgent(['sh', '-c', line]) },
  );
  const begun = performance.now();
  const { status } = await startRun(pipeline).result;
  if (status !== 'completed') throw new Error(`The run ended ${status}`);
  return { all: performance.now() - begun - AGENT_MS * levels };
}

/** Processor time of this process and of all that it has started and that have ended. Linux only. */
function cpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  // A tick of Linux is 10 ms.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

function edit(work: string): void {
  writeFileSync(join(work, 'part-3', 'file-7.ts'), 'changed\n');
  writeFileSync(join(work, 'part-3', 'new.ts'), 'new\n');
}

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' }).trimEnd();
}

/** Returns the lesser of both, step by step. */
function least(before: Steps | undefined, now: Steps): Steps {
  if (!before) return now;
  const lesser = (key: keyof Steps) => {
    const [a, b] = [before[key], now[key]];
    return a !== undefined && b !== undefined ? { [key]: Math.min(a, b) } : {};
  };
  const [all, cpu] = [Math.min(before.all, now.all), Math.min(before.cpu, now.cpu)];
  return { ...lesser('open'), ...lesser('keep'), ...lesser('close'), all, cpu };
}
