/** `phasegate init --agent` with fake programs of agents, in real repositories. */
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { git, put, shell } from '../workspaces/rig.ts';
import { phasegate } from './cli.ts';

/** A program like Claude Code: it writes the page, or approves a review. */
const CLAUDE = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require('fs');
const prompt = readFileSync(0, 'utf8');
const nonce = /"nonce": "([0-9a-f-]{36})"/u.exec(prompt)?.[1];
if (!nonce) writeFileSync('CONTRIBUTING.md', 'Run the tests.');
const verdict = { nonce, verdict: 'approved', critique: 'Fine.', conf: 1, issues: [] };
const text = nonce ? JSON.stringify(verdict) : 'Done.';
console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: text, session_id: 's', total_cost_usd: 0.01, usage: { input_tokens: 1, output_tokens: 1 } }));
`;

/** A program that knows no protocol: it writes the words after \`--say\` as the page, or approves a review. */
const PLAIN = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require('fs');
const nonce = /"nonce": "([0-9a-f-]{36})"/u.exec(readFileSync(0, 'utf8'))?.[1];
if (!nonce) writeFileSync('CONTRIBUTING.md', process.argv[3]);
console.log(nonce ? JSON.stringify({ nonce, verdict: 'approved', critique: 'Fine.', conf: 1, issues: [] }) : 'Done.');
`;

/** Makes a repository, and a folder that is \`PATH\` with the fake programs of these names. Commands run in a folder of the repository. */
async function lab(programs: readonly string[], files: Readonly<Record<string, string>>, folder = '.') {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'phasegate-init-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const user = join(home, 'user');
  for (const [name, text] of Object.entries({ 'a.txt': 'a', '.gitignore': '.phasegate/\n', ...files }))
    await put(user, name, text);
  await git(user, 'init', '-q');
  for (const name of programs) {
    await put(home, `bin/${name}`, CLAUDE);
    await chmod(join(home, 'bin', name), 0o755);
  }
  const path = [join(home, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
  vi.stubEnv('PATH', path);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
  const options = { cwd: join(user, folder), env: { PATH: path } };
  return { user, run: (...args: readonly string[]) => phasegate(args, options) };
}

const TESTS = {
  'package.json': JSON.stringify({ name: 'x', scripts: { test: 'test -f CONTRIBUTING.md' } }),
};

it.each([
  { language: 'yaml', programs: ['gemini', 'claude'], files: TESTS, has: ['agent: "claude"', '[npm, test]'] },
  { language: 'ts', programs: ['claude'], files: {}, has: ['jsonlAgent("claude")', "name: 'page'"] },
  { language: 'yaml', programs: [], files: {}, has: ['No agent is installed', 'use: nonEmptyDiff'] },
  { language: 'ts', programs: [], files: TESTS, has: ['No agent is installed', "['npm', 'test']"] },
])('phasegate init $language --agent with $programs writes what runs', async ({ language, programs, files, has }) => {
  const { user, run } = await lab(programs, files);
  const file = `pipeline.${language}`;
  const { code, stdout, stderr } = await run('init', language, '--agent');
  expect([code, stderr]).toEqual([0, '']);
  const text = await readFile(join(user, file), 'utf8');
  for (const part of has) expect(text).toContain(part);
  const steps = [...stdout.matchAll(/npx phasegate (.*?) +#/gu)].map(([, step = '']) => step);
  expect(steps).toEqual([`check ${file}`, `run ${file}`, 'diff latest', 'apply latest']);
  await git(user, 'add', '--all');
  await git(user, 'commit', '-q', '--message', 'Begin');
  for (const step of steps) {
    const ended = await run(...step.split(' '));
    expect([step, ended.code, ended.stderr]).toEqual([step, 0, '']);
  }
  expect(await readFile(join(user, 'CONTRIBUTING.md'), 'utf8')).toMatch(
    programs.length > 0 ? /^Run the tests\./u : /^Name an agent/u,
  );
  const titles = await git(user, 'log', '--format=%s');
  expect(titles).not.toContain('left out');
  expect(titles.includes('change this rep…')).toBe(language === 'yaml');
  const again = await run('init', language, '--agent');
  expect([again.code, await readFile(join(user, file), 'utf8')]).toEqual([2, text]);
});

/** npm without the network. */
const QUIET = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_offline: 'true' };

it.each(['yaml', 'ts'])('phasegate init %s --agent takes a program with {prompt} in its line', async (language) => {
  const { run } = await lab([], TESTS);
  expect(await run('init', language, '--agent', 'command:echo {prompt}')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('check', `pipeline.${language}`)).toMatchObject({ code: 0 });
});

it.each(['yaml', 'ts'])('phasegate init %s --agent takes a program in a folder with a space', async (language) => {
  const { user, run } = await lab([], TESTS);
  const agent = join(dirname(user), 'my agents/agent');
  await put(dirname(user), 'my agents/agent', PLAIN);
  await chmod(agent, 0o755);
  const line = `command:"${agent}" --say 'Run the tests.'`;
  expect(await run('init', language, '--agent', line)).toMatchObject({ code: 0, stderr: '' });
  await git(user, 'add', '--all');
  await git(user, 'commit', '-q', '--message', 'Begin');
  for (const step of [
    ['run', `pipeline.${language}`],
    ['apply', 'latest'],
  ])
    expect(await run(...step)).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(join(user, 'CONTRIBUTING.md'), 'utf8')).toBe('Run the tests.');
});

it.each(['yaml', 'ts'])(
  'the steps of init %s --agent in a new folder commit neither packages nor secrets',
  async (language) => {
    const { user, run } = await lab(['claude'], {
      'dep/package.json': '{ "name": "dep", "version": "1.0.0" }',
      'dep/node_modules/deep/index.js': '',
      '.env.local': 'KEY=secret',
      '.gitignore': '*.log',
    });
    await rm(join(user, '.git'), { recursive: true });
    await shell(user, 'npm init -y && npm pack ./dep && npm install ./dep-1.0.0.tgz', QUIET);
    const { stdout } = await run('init', language, '--agent');
    const steps = [...stdout.matchAll(/^ {2}(\S.*?)(?: +#.*)?$/gmu)].map(([, step = '']) => step);
    expect(steps.map((step) => step.split(' ', 2).join(' '))).toEqual([
      'node --eval',
      'git init',
      'git commit',
      ...Array.from({ length: 4 }, () => 'npx phasegate'),
    ]);
    for (const [key, value] of Object.entries(QUIET)) vi.stubEnv(key, value);
    for (const step of steps) {
      const words = step.split(' ');
      if (words[0] !== 'npx') await shell(user, step);
      else expect(await run(...words.slice(2))).toMatchObject({ code: 0, stderr: '' });
    }
    const tracked = [
      '.gitignore',
      'CONTRIBUTING.md',
      'a.txt',
      'dep-1.0.0.tgz',
      'dep/package.json',
      'package-lock.json',
      'package.json',
      `pipeline.${language}`,
    ];
    expect((await git(user, 'ls-tree', '-r', '--name-only', 'HEAD')).split('\n')).toEqual(tracked);
    expect(await git(user, 'status', '--short')).toBe('');
    expect(await readFile(join(user, '.gitignore'), 'utf8')).toBe('*.log\nnode_modules/\n.env*\n');
  },
);

it.each([
  { ignored: 'node_modules\n.env\n.env.*\n!.env.example\n', step: undefined },
  { ignored: 'node_modules/\r\n.env*', step: undefined },
  { ignored: 'node_modules/\n.env\n', step: String.raw`'.env*\n'` },
  { ignored: '/node_modules\n# .env*\n', step: String.raw`'node_modules/\n.env*\n'` },
  { ignored: 'dist\n.env*', step: String.raw`'\nnode_modules/\n'` },
])('init --agent leaves out what $ignored ignores already', async ({ ignored, step }) => {
  const { user, run } = await lab(['claude'], { '.gitignore': ignored });
  await rm(join(user, '.git'), { recursive: true });
  const { stdout } = await run('init', 'yaml', '--agent');
  if (step === undefined) expect(stdout).not.toContain('.gitignore');
  else expect(stdout).toContain(`fs.appendFileSync('.gitignore', ${step})"`);
});

it.each(['yaml', 'ts'])('init %s --agent in a folder of a repository makes no second one', async (language) => {
  const inner = { ...TESTS, 'package-lock.json': '{ "lockfileVersion": 3 }' };
  const entries = Object.entries(inner).map(([name, text]) => [`inner/${name}`, text] as const);
  const { user, run } = await lab(['claude'], Object.fromEntries(entries), 'inner');
  await git(user, 'add', '--all');
  await git(user, 'commit', '-q', '--message', 'Begin');
  expect((await run('init', language, '--agent')).stdout).not.toContain('git init');
  for (const step of [
    ['run', `pipeline.${language}`],
    ['apply', 'latest'],
  ])
    expect(await run(...step)).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(join(user, 'CONTRIBUTING.md'), 'utf8')).toBe('Run the tests.');
});

it('phasegate init --agent takes any agent, and refuses unknown ones before it writes', async () => {
  const { user, run } = await lab([], {});
  await rm(join(user, '.git'), { recursive: true });
  expect((await run('init', 'ts', '--agent', 'claud')).stderr).toContain('Cannot use agent "claud" as there is none');
  expect((await run('init', 'ts', '--agent', 'command:"a b')).stderr).toContain('as a quote needs its end: "a b\n');
  expect((await run('init', 'ts', '--agent', 'acp:opencode acp')).stdout).toContain('git init && git add');
  expect(await readFile(join(user, 'pipeline.ts'), 'utf8')).toContain(
    'acpAgent({ command: "opencode", args: ["acp"] })',
  );
  await run('init', 'yaml', '--agent', 'command:node "a.mjs"');
  for (const file of ['pipeline.ts', 'pipeline.yaml']) {
    const checked = await run('check', file);
    expect([file, checked.code, checked.stderr]).toEqual([file, 0, '']);
  }
});
