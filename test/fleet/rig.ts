/**
 * Fleets of scripted agents, which are real processes, in real repositories.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';
import { commandAgent } from '../../src/agents/command/command-agent.ts';
import type { FleetOptions } from '../../src/fleet/fleet-options.ts';
import type { WorkPlanInput } from '../../src/fleet/work-plan.ts';
import { makeLab, type Lab } from '../workspaces/rig.ts';

/** One call of a scripted agent: the files it writes or removes, and its end. */
export interface Act {
  /** Id of a subtask whose agent has to write its files first. */
  readonly after?: string;
  readonly files?: Readonly<Record<string, string | null>>;
  /** Its answer, in which `<nonce>` becomes the nonce of its prompt. */
  readonly say?: string;
  readonly fail?: boolean;
  /** True if it works for ten minutes. */
  readonly wait?: boolean;
}

/** One call as the agent saw it. */
export interface Call {
  readonly prompt: string;
  readonly cwd: string;
  /** Content of `seen.txt` in its folder; `null` if there is none. */
  readonly seen: string | null;
  readonly marked: string;
}

/** A repository with scripted agents for it. */
export interface FleetLab extends Lab {
  /** The folder with scripts and notes of the agents. */
  readonly scripts: string;
  readonly options: Pick<FleetOptions, 'workspace' | 'agent' | 'retry'>;
  /** The calls of a subtask's agent so far. */
  calls(subtask: string): Promise<readonly Call[]>;
  /** The files of a commit, by path. */
  filesAt(commit: string): Promise<Readonly<Record<string, string>>>;
}

/** Makes a repository, and scripts by subtask. */
export async function makeFleet(folder: string, scripts: Readonly<Record<string, readonly Act[]>>): Promise<FleetLab> {
  const lab = await makeLab(folder);
  const place = join(lab.user, '..', 'scripts');
  await mkdir(place);
  for (const [name, acts] of Object.entries(scripts))
    await writeFile(join(place, `${name}.json`), JSON.stringify(acts));
  const program = join(place, 'agent.mjs');
  await writeFile(program, CODE);
  const line = [process.execPath, program, place] as const;
  return {
    ...lab,
    scripts: place,
    options: {
      workspace: lab.workspaces(),
      agent: commandAgent(line, { name: 'scripted', readOnly: line }),
      retry: { attempts: 1 },
    },
    async calls(subtask) {
      const path = join(place, `${subtask}.calls.jsonl`);
      if (!existsSync(path)) return [];
      // An agent that was stopped may have written a part of its last line.
      const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
      return lines.map((one) => JSON.parse(one) as Call);
    },
    async filesAt(commit) {
      const files: Record<string, string> = {};
      for (const path of (await lab.git('ls-tree', '-r', '--name-only', commit)).split('\n')) {
        files[path] = await lab.git('show', `${commit}:${path}`);
      }
      return files;
    },
  };
}

/** The example of the source of phased execution. */
export const BLOG: WorkPlanInput = {
  goal: 'Add a blog.',
  plan_markdown: '# Blog\n\nFirst the models, then all that uses them.',
  subtasks: [
    { id: '1', title: 'Create User and Post models', description: 'Write models.', files_touched: ['models/'] },
    {
      id: '2a',
      title: 'Create REST API endpoints',
      description: 'Write the API.',
      depends_on: ['1'],
      files_touched: ['api/'],
    },
    {
      id: '2b',
      title: 'Create CLI commands',
      description: 'Write the CLI.',
      depends_on: ['1'],
      files_touched: ['cli/'],
    },
    {
      id: '2c',
      title: 'Add model unit tests',
      description: 'Test the models.',
      depends_on: ['1'],
      files_touched: ['test/unit/'],
    },
    {
      id: '3',
      title: 'Add integration tests',
      description: 'Test all.',
      depends_on: ['2a', '2b'],
      files_touched: ['test/all/'],
    },
  ],
};

/** Scripts for {@link BLOG}, in which every agent writes one file. */
export const BLOG_SCRIPTS: Readonly<Record<string, readonly Act[]>> = {
  1: [{ files: { 'models/user.txt': 'user\n', 'seen.txt': '1\n' } }],
  '2a': [{ files: { 'api/routes.txt': 'routes\n' } }],
  '2b': [{ files: { 'cli/main.txt': 'main\n' } }],
  '2c': [{ files: { 'test/unit/user.txt': 'unit\n' } }],
  3: [{ files: { 'test/all/blog.txt': 'all\n' } }],
};

// --- internal ---

const AGENT = fileURLToPath(new URL('agent.ts', import.meta.url));
/** The program without its types, as no loader has to start first then. */
const { code: CODE } = await transformWithOxc(await readFile(AGENT, 'utf8'), AGENT);
