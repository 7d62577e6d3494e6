/** Pipelines in YAML whose agents work in folders of their own, run and applied by the command line. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, pictureOf, put } from './workspaces/rig.ts';
import { yamlLab } from './workspaces/yaml-lab.ts';

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
  const { user, run, calls } = await yamlLab(PIPELINE, {
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
  expect((await run('rm', 'r1')).stdout).toContain(
    '\nits work stays in the repository, as phasegate/r1 and refs/phasegate/r1/…: ',
  );
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
  const { user, run, calls } = await yamlLab(source, {
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
    const { user, run, calls } = await yamlLab(source, acts, depth);
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
  const { user, run } = await yamlLab(
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
  const { run } = await yamlLab(source, { a: always('a'), b: always('b'), c: always('c') });
  const ended = await run('run', 'p.yaml', '--run-id', 'r1');
  expect([ended.code, ended.stdout + ended.stderr]).toEqual([3, expect.stringContaining('do not fit together')]);
});

it('work that does not fit workspaces is refused, at its place', async () => {
  const { run } = await yamlLab(
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
