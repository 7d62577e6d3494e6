/**
 * Repositories with a pipeline in YAML whose agents are scripted.
 *
 * @module
 */
import { chmod, mkdtemp, readFile, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { phasegate } from '../cli/cli.ts';
import { git, put } from './rig.ts';

/**
 * A scripted agent, by its argument or the name of its task: `act` has a list for each name, with one entry for each call. It answers a review with the
 * nonce of its prompt.
 */
const AGENT = `#!/usr/bin/env node
import { execSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
const home = dirname(new URL(import.meta.url).pathname);
const task = process.argv[2] ?? process.env.PHASEGATE_TASK;
const prompt = readFileSync(0, 'utf8');
const log = join(home, task + '.jsonl');
const number = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\\n').length : 0;
const files = ['api.txt', 'ui.txt', 'a.txt', 'both.txt', '.env.local', 'made.txt'];
const seen = Object.fromEntries(files.filter((one) => existsSync(one)).map((one) => [one, readFileSync(one, 'utf8')]));
appendFileSync(log, JSON.stringify({ prompt, seen, cwd: process.cwd() }) + '\\n');
const acts = JSON.parse(readFileSync(join(home, 'acts.json'), 'utf8'))[task];
const { write = {}, shell, verdict, say = 'Done.', waitFor } = acts[Math.min(number, acts.length - 1)];
for (const [name, text] of Object.entries(write)) { mkdirSync(dirname(name), { recursive: true }); writeFileSync(name, text); }
if (shell) execSync(shell, { stdio: 'ignore' });
while (waitFor && !existsSync(join(home, waitFor))) await new Promise((go) => setTimeout(go, 20));
const nonce = /"nonce": "([0-9a-f-]{36})"/u.exec(prompt)?.[1];
console.log(verdict ? JSON.stringify({ nonce, ...verdict }) : say);
`;

/** Acts of one call. */
export interface Act {
  readonly write?: Readonly<Record<string, string>>;
  /** A line of the shell, after the files are written. */
  readonly shell?: string;
  readonly verdict?: object;
  readonly say?: string;
  /** A file of the agents, until which it does not end. */
  readonly waitFor?: string;
}

/** One call as the agent saw it. */
export interface Call {
  readonly prompt: string;
  readonly seen: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * Makes a repository with a pipeline. Its `<agent>` is the scripted one, and so is `<agent name>` for a command, which acts by that name.
 *
 * @param depth Number of commits that the repository has of its history, which has three. @default a history of one commit
 */
export async function yamlLab(source: string, acts: Readonly<Record<string, readonly Act[]>>, depth?: number) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'phasegate-yaml-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [user, agent] = [join(home, 'user'), join(home, 'agents', 'agent.mjs')];
  await put(home, 'agents/acts.json', JSON.stringify(acts));
  await put(home, 'agents/agent.mjs', AGENT);
  await chmod(agent, 0o755);
  await put(user, 'a.txt', 'a\n');
  await put(user, '.gitignore', '.phasegate/\n.env.local\n');
  await put(user, '.env.local', 'SECRET=1\n');
  const withAgents = source
    .replaceAll('<agent>', `[${process.execPath}, ${agent}]`)
    .replaceAll(/<agent (\w+)>/gu, `[${process.execPath}, ${agent}, $1]`);
  await put(user, 'p.yaml', withAgents);
  await git(user, 'init', '-q', '-b', 'main');
  await git(user, 'add', '-A');
  await git(user, 'commit', '-q', '-m', 'Begin');
  if (depth !== undefined) {
    for (const name of ['Second', 'Third']) await git(user, 'commit', '-q', '--allow-empty', '-m', name);
    await rename(user, join(home, 'origin'));
    await git(home, 'clone', '-q', '--depth', String(depth), `file://${join(home, 'origin')}`, user);
  }
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const options = { cwd: user };
  return {
    user,
    run: (...args: readonly string[]) => phasegate(args, options),
    /** Creates a file of the agents. */
    release: (name: string) => put(home, `agents/${name}`, ''),
    calls: async (task: string): Promise<readonly Call[]> => {
      const lines = (await readFile(join(home, 'agents', `${task}.jsonl`), 'utf8')).trim().split('\n');
      return lines.map((line) => JSON.parse(line) as Call);
    },
  };
}
