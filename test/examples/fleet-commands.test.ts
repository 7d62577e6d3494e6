/** The commands for fleets in the README and in docs/fleet.md, as a user of a clone gives them. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Returns the first block of a page with a word in it. */
async function blockOf(page: string, language: string, word: string): Promise<string> {
  const text = await readFile(join(repository, page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gmu)];
  const [, , found] = blocks.find(([, of, block]) => of === language && block?.includes(word)) ?? [];
  if (found === undefined) throw new Error(`${page} has no ${language} block with "${word}".`);
  return found;
}

/** Makes a folder like a clone of phasegate that is built, in a new folder. */
async function makeClone(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'phasegate-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
  const clone = join(home, 'phasegate');
  await cp(join(repository, 'examples/fleet'), join(clone, 'examples/fleet'), { recursive: true });
  await symlink(join(repository, 'dist'), join(clone, 'dist'), 'junction');
  return clone;
}

/** Gives commands to a shell in a clone. In it, `npx phasegate` would build the package again, which other tests use. */
async function typed(clone: string, commands: string): Promise<string> {
  const built = `node '${join(repository, 'dist/cli/main.js')}'`;
  const name = { GIT_AUTHOR_NAME: 'Ada', GIT_COMMITTER_NAME: 'Ada' };
  const email = { GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_COMMITTER_EMAIL: 'ada@example.org' };
  const env = {
    ...process.env,
    ...name,
    ...email,
    XDG_STATE_HOME: join(clone, '../state'),
    PHASEGATE_STORE: undefined,
  };
  const line = commands.replaceAll(/\bnpx phasegate\b/gu, built);
  const { stdout } = await run('sh', ['-ec', line], { cwd: clone, env });
  return stdout;
}

const FILES = [
  'api/posts.mjs  +2 -0',
  'cli/posts.mjs  +1 -0',
  'models/blog.mjs  +2 -0',
  'test/blog.test.mjs  +2 -0',
  'test/models.test.mjs  +3 -0',
];

it('the fleet of the README is carried out in a clone, and changes none of its files', async () => {
  const clone = await makeClone();
  await typed(clone, 'git init -q && printf "dist\\n.phasegate\\n" > .gitignore && git add -A && git commit -qm Begin');
  const said = await typed(clone, await blockOf('README.md', 'bash', 'phasegate fleet'));
  expect(said).toMatch(/✓ completed in .*: 4 of 4 phases approved, 4 attempts/u);
  expect(said.trimEnd().split('\n').slice(-FILES.length)).toEqual(FILES);
  expect(await typed(clone, 'git status --short; git log --format=%s')).toBe('Begin\n');
});

it('the first run of docs/fleet.md sends a level back, and applies its work', async () => {
  const clone = await makeClone();
  const said = await typed(clone, await blockOf('docs/fleet.md', 'sh', 'CLONE='));
  expect(said).toMatch(/phase-2: retry 1\/1: Make `test ! -d cli \|\| grep[^`]*` pass \(exit code 1\)\./u);
  expect(said).toMatch(/✓ completed in .*: 4 of 4 phases approved, 5 attempts, 1 correction/u);
  expect(said).toContain('Your branch now has the work of run ');
  const files = FILES.map((line) => (line.startsWith('cli/') ? 'cli/posts.mjs  +2 -0' : line)).join('\n');
  expect(said).toContain(`\n${files}\n`);
  expect(await typed(clone, 'ls blog')).toBe('api\ncli\nmodels\ntest\n');
});
