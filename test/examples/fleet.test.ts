/** A plan that scripted agents carry out in a new repository, as a user runs it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transformWithOxc } from 'vite';
import { expect, it, onTestFinished } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const OUTPUT = `phase-2 is sent back: Print one line of usage on \`--help\`.
Phase 1: ✓ Create User and Post models
Phase 2: ✓ 3/3 subtasks complete, 2 attempts
  ├── ✓ Create REST API endpoints
  ├── ✓ Create CLI commands, 2 attempts
  └── ✓ Add model unit tests
Phase 3: ✓ Add integration tests

completed

On branch phasegate/blog:
  Begin
  phasegate(phase-1): Create User and Post models
  phasegate(phase-2): Create REST API endpoints
  phasegate(phase-2): Create CLI commands
  phasegate(phase-2): Add model unit tests
  phasegate(phase-3): Add integration tests

Its files:
  README.md
  api/posts.mjs
  cli/posts.mjs
  models/blog.mjs
  test/blog.test.mjs
  test/models.test.mjs
`;

/** Runs the example in an empty temporary folder. */
async function played(...args: readonly string[]) {
  const temporary = await mkdtemp(join(tmpdir(), 'phasegate-example-'));
  onTestFinished(() => rm(temporary, { recursive: true, force: true }));
  // Node 26 warns of a function that jiti uses.
  const program = ['--disable-warning=DEP0205', '--import', 'jiti/register', 'examples/fleet/fleet.ts', ...args];
  const env = { ...process.env, TMPDIR: temporary, XDG_STATE_HOME: join(temporary, 'state') };
  const run = promisify(execFile)(process.execPath, program, { cwd: repository, env });
  const { stdout, stderr } = await run.catch((error: { readonly stdout: string; readonly stderr: string }) => error);
  const left = await readdir(temporary, { recursive: true, withFileTypes: true });
  // The folder for notes of processes stays, and is empty.
  expect(left.filter((one) => !one.isDirectory() && !/[/](?:jiti|node-)/u.test(one.parentPath))).toEqual([]);
  return { stdout, stderr };
}

/** Makes a program that is an agent of the protocol, and does the same work. No loader has to start before it. */
async function acpAgent(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'phasegate-agent-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const source = fileURLToPath(new URL('acp-agent.ts', import.meta.url));
  const { code } = await transformWithOxc(await readFile(source, 'utf8'), source);
  await writeFile(join(folder, 'agent.mjs'), code);
  return `acp:${process.execPath} ${join(folder, 'agent.mjs')} ${join(repository, 'examples/fleet/agent.mjs')}`;
}

it('examples/fleet sends one subtask back, hands a branch over, and leaves nothing', async () => {
  //  1 ──▶ 2a, 2b, 2c ──▶ 3
  //             ▲─┘ "Print one line of usage"
  expect(await played()).toEqual({ stdout: OUTPUT, stderr: '' });
});

it('examples/fleet does the same with an agent of the Agent Client Protocol', async () => {
  expect(await played('--agent', await acpAgent())).toEqual({ stdout: OUTPUT, stderr: '' });
});

it('examples/fleet names the agents that it knows, and leaves nothing', async () => {
  const { stderr } = await played('--agent', 'claud');
  expect(stderr).toContain('There is no agent "claud". Name claude, codex or gemini');
});
