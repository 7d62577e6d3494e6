/** Pipelines in YAML whose agents work in folders of their own, run and applied by the command line. */
import { chmod, mkdtemp, readFile, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { git, pictureOf, put } from './workspaces/rig.ts';
import { phasegate } from './cli/cli.ts';

/**
 * A scripted agent, by the name of its task: `act` has a list for each name, with one entry for each call. It answers a review with the
 * nonce of its prompt.
 */
const AGENT = `#!/usr/bin/env node
import { execSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
const home = dirname(new URL(import.meta.url).pathname);
const task = process.env.PHASEGATE_TASK;
const prompt = readFileSync(0, 'utf8');
const log = join(home, task + '.jsonl');
const number = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\\n').length : 0;
const files = ['api.txt', 'ui.txt', 'a.txt', 'both.txt', '.env.local', 'made.txt'];
const seen = Object.fromEntries(files.filter((one) => existsSync(one)).map((one) => [one, readFileSync(one, 'utf8')]));
appendFileSync(log, JSON.stringify({ prompt, seen, cwd: process.cwd() }) + '\\n');
const acts = JSON.parse(readFileSync(join(home, 'acts.json'), 'utf8'))[task];
const { write = {}, shell, verdict, say = 'Done.' } = acts[Math.min(number, acts.length - 1)];
for (const [name, text] of Object.entries(write)) { mkdirSync(dirname(name), { recursive: true }); writeFileSync(name, text); }
if (shell) execSync(shell, { stdio: 'ignore' });
const nonce = /"nonce": "([0-9a-f-]{36})"/u.exec(prompt)?.[1];
console.log(verdict ? JSON.stringify({ nonce, ...verdict }) : say);
`;

interface Act {
  readonly write?: Readonly<Record<string, string>>;
  /** A line of the shell, after the files are written. */
  readonly shell?: string;
  readonly verdict?: object;
  readonly say?: string;
}

/** One call as the agent saw it. */
interface Call {
  readonly prompt: string;
  readonly seen: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * Makes a repository with a pipeline, whose `<agent>` is the scripted one.
 *
 * @param depth Number of commits that the repository has of its history, which has three. @default a history of one commit
 */
async function lab(source: string, acts: Readonly<Record<string, readonly Act[]>>, depth?: number) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'phasegate-yaml-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [user, agent] = [join(home, 'user'), join(home, 'agents', 'agent.mjs')];
  await put(home, 'agents/acts.json', JSON.stringify(acts));
  await put(home, 'agents/agent.mjs', AGENT);
  await chmod(agent, 0o755);
  await put(user, 'a.txt', 'a\n');
  await put(user, '.gitignore', '.phasegate/\n.env.local\n');
  await put(user, '.env.local', 'SECRET=1\n');
  await put(user, 'p.yaml', source.replaceAll('<agent>', `[${process.execPath}, ${agent}]`));
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
    calls: async (task: string): Promise<readonly Call[]> => {
      const lines = (await readFile(join(home, 'agents', `${task}.jsonl`), 'utf8')).trim().split('\n');
      return lines.map((line) => JSON.parse(line) as Call);
    },
  };
}

/** All but the store. */
function ownOf(picture: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(picture).filter(([name]) => !name.startsWith('.phasegate/')));
}

const PIPELINE = `
name: health
workspace: { include: [.env.local], setup: "echo made > ../setup.txt && test -f a.txt" }
phases:
  - name: plan
    tasks: [{ name: outline, command: [echo, the outline] }]
  - name: build
    after: [plan]
    tasks:
      - { name: api, agent: <agent>, prompt: Add the API. }
      - { name: ui, agent: <agent>, prompt: Add the UI. }
      - { name: list, command: [ls], output: lines, after: [api, ui] }
    review:
      checks:
        - { name: tested, command: [grep, -q, tested, api.txt], requiredChange: Test the API. }
        - { use: nonEmptyDiff }
      by: { name: judge, agent: <agent>, prompt: Both fit together. }
  - name: docs
    after: [build]
    tasks: [{ name: page, agent: <agent>, prompt: Write the page. }]
`;

it('a pipeline in YAML has agents work in clones, sends them back, and hands over a branch that apply takes', async () => {
  //  plan ──▶ build: api ∥ ui ──▶ docs ──▶ hand-over
  //             ▲─┘ "Test the API."
  const { user, run, calls } = await lab(PIPELINE, {
    api: [{ write: { 'api.txt': 'api' }, say: 'The API is there.' }, { write: { 'api.txt': 'api, tested' } }],
    ui: [{ write: { 'ui.txt': 'ui' } }],
    judge: [{ verdict: { verdict: 'approved', critique: 'Fine.', conf: 1, issues: [] } }],
    page: [{ write: { 'docs/page.txt': 'page' } }],
  });
  const before = await pictureOf(user);
  const checked = await run('check', 'p.yaml');
  expect([checked.code, checked.stderr]).toEqual([0, '']);
  const ended = await run('run', 'p.yaml', '--run-id', 'r1');
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  expect(ownOf(await pictureOf(user))).toEqual(ownOf(before));
  const [first, second] = await calls('api');
  expect(first?.prompt).toContain('the outline');
  expect(first?.seen).toEqual({ 'a.txt': 'a\n', '.env.local': 'SECRET=1\n' });
  expect(first?.cwd.startsWith(user)).toBe(false);
  expect(second?.prompt).toContain('Test the API.');
  expect((await calls('page')).map(({ seen }) => seen)).toEqual([
    { 'a.txt': 'a\n', 'api.txt': 'api, tested', 'ui.txt': 'ui', '.env.local': 'SECRET=1\n' },
  ]);
  expect(ended.stdout).toContain('build: retry 1/2: Test the API.');
  const { stdout } = await run('events', 'r1', '--json');
  const listed = stdout.split('\n').filter((line) => line.includes('"task.completed"') && line.includes('"list"'));
  expect(JSON.parse(listed.at(-1) ?? '')).toMatchObject({
    event: { output: ['a.txt', 'api.txt', 'p.yaml', 'ui.txt'] },
  });
  expect((await calls('judge')).at(-1)?.prompt).toContain('+api, tested');
  const applied = await run('apply', 'r1');
  expect([applied.code, applied.stderr]).toEqual([0, '']);
  expect(await readFile(join(user, 'api.txt'), 'utf8')).toBe('api, tested');
  expect(await readFile(join(user, 'docs/page.txt'), 'utf8')).toBe('page');
  expect(await git(user, 'status', '--short')).toBe('');
});

it('phases whose changes do not fit together are sent back until they do', async () => {
  //  api ─┐
  //       ├─▶ hand-over
  //  ui ──┘ ◀ "The changes conflict"
  const source = `
name: both
workspace: worktree
phases:
  - { name: api, tasks: [{ name: api, agent: <agent>, prompt: Add the API. }] }
  - { name: ui, tasks: [{ name: ui, agent: <agent>, prompt: Add the UI. }] }
`;
  const { user, run, calls } = await lab(source, {
    api: [{ write: { 'both.txt': 'api' } }],
    ui: [{ write: { 'both.txt': 'ui' } }, { write: { 'ui.txt': 'ui' } }],
  });
  await put(user, 'mine.txt', 'mine');
  const ended = await run('run', 'p.yaml', '--run-id', 'r1');
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  // Two phases start the run, and one of them tells people about their work, once.
  const { stdout } = await run('events', 'r1', '--json');
  const warned = stdout.split('\n').filter((line) => line.includes('"phase.warned"'));
  expect(warned.map((line) => JSON.parse(line) as object)).toMatchObject([
    { event: { phase: 'api', code: 'WORKSPACE_NOTE', message: expect.stringContaining('uncommitted work') as string } },
  ]);
  const [, second] = await calls('ui');
  expect(second?.prompt).toContain('The changes conflict with those of other phases in both.txt.');
  expect(await calls('api')).toHaveLength(1);
  await run('apply', 'r1');
  expect(await readFile(join(user, 'both.txt'), 'utf8')).toBe('api');
  expect(await readFile(join(user, 'ui.txt'), 'utf8')).toBe('ui');
});

/** A line by which an agent commits its work itself. */
const COMMIT = 'git add -A && git -c user.name=A -c user.email=a@example.org commit -qm Mine';

it.each([1, 2])(
  'a shallow clone of depth %i has gates, which send work back to an earlier phase, and apply',
  async (depth) => {
    //  api ──▶ ui ──▶ hand-over
    //   ▲──────┘ "Test the API."
    const source = `
name: shallow
workspace: clone
phases:
  - name: api
    tasks: [{ name: api, agent: <agent>, prompt: Add the API. }]
    review: { checks: [{ shell: true, command: "test -f api.txt && git diff --quiet HEAD" }] }
  - name: ui
    after: [api]
    tasks: [{ name: ui, agent: <agent>, prompt: Add the UI. }]
    review:
      rewindTo: [api]
      checks: [{ command: [test, -f, ui.txt] }]
      by: { name: judge, shell: true, command: "grep -q tested api.txt && echo APPROVE || echo RETRY_PREDECESSOR api: Test the API." }
`;
    const acts = {
      api: [
        { write: { 'api.txt': 'api' }, shell: COMMIT },
        { write: { 'api.txt': 'api, tested' }, shell: COMMIT },
      ],
      ui: [{ write: { 'ui.txt': 'ui' } }],
    };
    const { user, run, calls } = await lab(source, acts, depth);
    const ended = await run('run', 'p.yaml', '--run-id', 'r1');
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(ended.stdout).toContain('earlier history is missing. The user can fetch it: git fetch --unshallow.');
    expect((await calls('api'))[1]?.prompt).toContain('Test the API.');
    expect((await calls('ui')).at(-1)?.seen).toMatchObject({ 'api.txt': 'api, tested' });
    const shown = await run('diff', 'r1');
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('+api, tested')]);
    const applied = await run('apply', 'r1');
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    expect(await git(user, 'show', 'HEAD:api.txt', 'HEAD:ui.txt')).toBe('api, testedui');
    expect(await git(user, 'rev-parse', '--is-shallow-repository')).toBe('true');
    expect(await git(user, 'status', '--short')).toBe('');
  },
);

it('a fleet in a shallow clone has checks', async () => {
  const { user, run } = await lab(
    '<agent>',
    { a: [{ write: { 'api.txt': 'a' } }], b: [{ write: { 'ui.txt': 'b' } }] },
    1,
  );
  const agent = `command:${process.execPath} ${join(user, '..', 'agents', 'agent.mjs')}`;
  const subtasks = [
    { id: 'a', title: 'Add the API', description: '' },
    { id: 'b', title: 'Add the UI', description: '', depends_on: ['a'] },
  ];
  await put(user, '../plan.json', JSON.stringify({ goal: 'Add both.', subtasks }));
  const flags = ['--plan', '../plan.json', '--agent', agent, '--yes', '--check', 'test -f api.txt', '--run-id', 'r1'];
  const ended = await run('fleet', ...flags);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  const applied = await run('apply', 'r1');
  expect([applied.code, applied.stderr]).toEqual([0, '']);
  expect(await git(user, 'show', 'HEAD:api.txt', 'HEAD:ui.txt')).toBe('ab');
});

it('work that is left out for a second conflict is for a person, whatever the quorum of the reviewers', async () => {
  const source = `
name: many
workspace: clone
phases:
  - name: build
    tasks:
      - { name: a, agent: <agent>, prompt: Add a. }
      - { name: b, agent: <agent>, prompt: Add b. }
      - { name: c, agent: <agent>, prompt: Add c. }
    review:
      quorum: 1
      by:
        - { name: one, command: [echo, APPROVE] }
        - { name: two, command: [echo, APPROVE] }
`;
  const always = (name: string) => [{ write: { 'all.txt': name } }, { write: { 'all.txt': `${name} again` } }];
  const { run } = await lab(source, { a: always('a'), b: always('b'), c: always('c') });
  const ended = await run('run', 'p.yaml', '--run-id', 'r1');
  expect([ended.code, ended.stdout + ended.stderr]).toEqual([3, expect.stringContaining('do not fit together')]);
});

it('work that does not fit workspaces is refused, at its place', async () => {
  const { run } = await lab(
    `name: p
workspace: { include: [../secret], isolation: clone }
phases:
  - name: a
    mode: sequential
    tasks:
      - { name: s, agent: claude, prompt: x }
      - { name: t, agent: claude, prompt: x }
    review: { checks: [{ command: [x], baseline: true }], by: { agent: [x], prompt: It is good. } }
  - name: b
    tasks:
      - { name: t, agent: claude, prompt: x }
      - { name: u, command: [x], after: [t] }
      - { name: v, agent: claude, prompt: x, after: [u, w] }
`,
    {},
  );
  const { code, stderr } = await run('check', 'p.yaml');
  expect(code).toBe(2);
  expect([...stderr.matchAll(/p\.yaml:(\d+:\d+: .*)\n/gu)].map(([, text]) => text)).toMatchInlineSnapshot(`
    [
      "2:12: "workspace": Cannot make workspaces as \`include\` is invalid: "../secret". See the options of gitWorkspace.",
      "8:9: "after": agents of one phase start from the same commit, so "t" needs a phase of its own",
      "9:50: "baseline": a check in a workspace runs after the tasks only",
      "14:53: "after": agents of one phase start from the same commit, so "v" needs a phase of its own",
      "14:57: phase "b", task "v": it comes after "w", which is not a task of this phase. Name a task of the same phase; outputs of earlier phases are in \`inputs\`.",
    ]
  `);
});
