/**
 * A folder with a store in which each part of a run occurs, and the content of stores.
 *
 * @module
 */
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { approve, readRun, type RunRecord } from '../../../src/index.ts';
import { answerItem } from '../../../src/inbox.ts';
import { sqliteStore } from '../../../src/sqlite.ts';
import type { RunStore } from '../../../src/store.ts';
import { files, phasegate } from '../../cli/cli.ts';
import { git } from '../../workspaces/lab.ts';

/** A folder that can be made as it was. */
export interface Ground {
  readonly cwd: string;
  /** Runs a command to its end. */
  readonly command: (...args: readonly string[]) => ReturnType<typeof phasegate>;
  /** Makes the folder as it was in the beginning. */
  readonly restore: () => void | Promise<void>;
}

/** The content of a store: runs by their ids. */
export type Content = Readonly<Record<string, StoredRun>>;

/** All of a run. */
interface StoredRun {
  readonly info: unknown;
  readonly records: readonly RunRecord[];
  readonly items: unknown;
  readonly messages: unknown;
  readonly memories: unknown;
  /** True if a worker continues it, at once or as soon as the lease of a dead process is over. */
  readonly isReady: boolean;
}

/**
 * Makes a folder with four families: `r` waits for a person in a run two levels below it, `answered` has the answer, `done` is completed,
 * and a fleet has approved work in a repository of git.
 */
export async function makeGround(): Promise<Ground> {
  const home = await files({
    'user/p.mjs': PIPELINE,
    'user/a.txt': 'a\n',
    'user/.gitignore': '.phasegate/\n',
    'plan.json': '{ "goal": "Change files", "subtasks": [] }',
    'agent.sh': 'echo moved > a.txt',
  });
  const cwd = join(home, 'user');
  const env = { XDG_STATE_HOME: join(home, 'state') };
  const command = (...args: readonly string[]) => phasegate(args, { cwd, env });
  const expectCode = async (code: number, ...args: readonly string[]) => {
    const ended = await command(...args);
    if (ended.code !== code)
      throw new Error(`${args.join(' ')} ended with ${ended.code}: ${ended.stdout}${ended.stderr}`);
  };
  await git(cwd, 'init', '--quiet', '--initial-branch', 'main');
  await git(cwd, 'add', '--all');
  await git(cwd, 'commit', '--quiet', '--message', 'Begin');
  for (const id of ['r', 'answered', 'done']) await expectCode(3, 'run', 'p.mjs', '--run-id', id);
  await expectCode(0, 'fleet', '--plan', '../plan.json', '--agent', `command:sh ${home}/agent.sh`, '--yes');
  const store = sqliteStore(join(cwd, STORE));
  for (const { id, runId } of await store.inbox({ open: true }))
    if (!runId.startsWith('r%')) await answerItem(store, id, { type: 'decide', decision: approve() }, { by: 'ada' });
  await store.close();
  await expectCode(0, 'resume', 'done');
  await expectCode(0, 'export', 'r', '-o', 'r.jsonl');
  const kept = join(home, 'kept');
  cpSync(cwd, kept, { recursive: true, preserveTimestamps: true });
  const restore = () => {
    rmSync(cwd, { recursive: true });
    cpSync(kept, cwd, { recursive: true, preserveTimestamps: true });
  };
  return { cwd, command, restore };
}

/** The store of a folder. */
export const STORE = '.phasegate/runs.db';

/** Reads all of a store. */
export async function contentOf(store: RunStore): Promise<Content> {
  const runs = await store.runs();
  const ready = new Set(
    (
      await store.ready?.(
        runs.map(({ pipeline }) => pipeline),
        1000,
      )
    )?.map(({ runId }) => runId),
  );
  const entries = runs.map(async ({ runId, lease, lapsed, ...info }) => {
    const stored: StoredRun = {
      info,
      records: await readRun(store, runId),
      items: (await store.inbox({ runId })).toSorted((one, other) => one.id.localeCompare(other.id)),
      // A run that has ended needs no messages.
      messages: info.status === 'running' ? (await store.messages(runId)).map((one) => ({ ...one, id: 0 })) : [],
      memories: await store.memories?.({ runId }),
      isReady: ready.has(runId) || lease !== undefined || lapsed !== undefined,
    };
    return [runId, stored] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Reads a file of SQLite as a killed process has left it, and leaves it so. It has no runs if it does not exist. */
export async function contentOfFile(path: string): Promise<Content> {
  const copy = `${path}.copy`;
  const ends = ['', '-wal', '-shm'];
  if (!existsSync(path)) return {};
  for (const end of ends) if (existsSync(path + end)) cpSync(path + end, copy + end);
  const store = sqliteStore(copy);
  try {
    return await contentOf(store);
  } finally {
    await store.close();
    for (const end of ends) rmSync(copy + end, { force: true });
  }
}

/** Names the differences of two contents. @param parts The parts of a run to compare. */
export function differences(
  found: Content,
  wanted: Content,
  parts: readonly (keyof StoredRun)[] = PARTS,
): readonly string[] {
  return [...new Set([...Object.keys(found), ...Object.keys(wanted)])].flatMap((id) => {
    const [one, other] = [found[id], wanted[id]];
    if (!one || !other) return [`run ${id} is ${one ? 'there' : 'missing'}`];
    // A run that only waits may be continued in vain.
    const isLike = (part: keyof StoredRun) =>
      part === 'isReady' ? one.isReady || !other.isReady : isDeepStrictEqual(one[part], other[part]);
    return parts.filter((part) => !isLike(part)).map((part) => `${part} of run ${id}`);
  });
}

// --- internal ---

const PARTS = ['info', 'records', 'items', 'messages', 'memories', 'isReady'] as const;

const PIPELINE = `
import { definePipeline, human, phase, task } from 'phasegate';
const learn = phase('learn', {
  tasks: [task('text', { run: () => 'a text '.repeat(9000) })],
  review: {
    by: ({ attempt }) => (attempt === 0 ? 'RETRY: shorter' : 'APPROVE'),
    strategy: 'reflexion',
    reflect: ({ run }) => 'I learned this in ' + run,
  },
});
const ask = phase('ask', { after: [learn], tasks: [task('text', { run: () => 1 })], review: human({ question: 'Good?' }) });
const inner = definePipeline({ name: 'inner', phases: [learn, ask] });
const middle = definePipeline({ name: 'middle', phases: [phase('m', { tasks: [task('in', { pipeline: () => inner })] })] });
export default definePipeline({ name: 'outer', phases: [phase('o', { tasks: [task('in', { pipeline: () => middle })] })] });
`;
