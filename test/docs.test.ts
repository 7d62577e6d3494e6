/**
 * Every program and every command of the pages for users runs, and prints what the page shows.
 *
 * In a page, a `text` block after a program or a single command shows its output. A line of three dots matches any
 * lines. Times and ids of runs match any others. Programs see the built package as a dependency.
 *
 * @module
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as phasegate from '../src/index.ts';
import * as acp from '../src/acp.ts';
import * as agents from '../src/agents.ts';
import * as dashboard from '../src/dashboard.ts';
import * as inboxEntry from '../src/inbox.ts';
import * as inspect from '../src/inspect.ts';
import * as node from '../src/node.ts';
import * as openai from '../src/openai.ts';
import * as otel from '../src/otel.ts';
import * as store from '../src/store.ts';
import * as testing from '../src/testing.ts';
import * as visualizations from '../src/visualizations.ts';
import * as machines from '../src/machines.ts';
import * as quality from '../src/quality.ts';
import * as records from '../src/records.ts';
import * as restate from '../src/restate.ts';
import * as postgres from '../src/postgres.ts';
import * as sqlite from '../src/sqlite.ts';
import { gateDefaults } from '../src/model/plan/policy.ts';
import { brokenLinks } from './links.ts';
import { installPacked, type Project } from './packed.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** A fenced block of a page. */
interface Block {
  readonly page: string;
  /** The line of its fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** A program or a script of a page, and its shown output. */
interface Shown {
  readonly name: string;
  readonly text: string;
  readonly prints: string | undefined;
}

/** The output of a program, and its exit code. */
interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A program that imports the given files one by one, and prints the output of each as JSON. */
const RUNNER = `
const [...files] = process.argv.slice(2);
const all = [];
const write = process.stdout.write.bind(process.stdout);
const next = () => {
  const last = all.at(-1)?.[1];
  if (last) last.exitCode = Number(process.exitCode ?? 0);
  process.exitCode = 0;
  const file = files.shift();
  if (file === undefined) {
    process.off('beforeExit', next);
    write(JSON.stringify(all));
    return;
  }
  const one = { stdout: '', stderr: '', exitCode: 0 };
  all.push([file, one]);
  for (const name of ['stdout', 'stderr']) process[name].write = (text) => ((one[name] += text), true);
  import(new URL(file, import.meta.url));
  // Some versions of Node load modules without a turn of the event loop, and say no more that it is empty.
  setImmediate(() => {});
};
process.on('beforeExit', next);
next();
`;

const pages = [
  'README.md',
  'docs/guide.md',
  'docs/checks.md',
  'docs/dashboard.md',
  'docs/inspector.md',
  'docs/models.md',
  'docs/pictures.md',
  'docs/revisions.md',
  'docs/testing.md',
  'docs/opentelemetry.md',
  'llms.txt',
];
const blocks = (await Promise.all(pages.map(async (page) => blocksOf(page, await read(page))))).flat();
const programs = shown('ts').map((one, index) => ({ ...one, file: `program-${index + 1}.js` }));
const scripts = shown('sh');

describe('programs', () => {
  let project = '';

  const printed = new Map<string, Printed>();

  beforeAll(async () => {
    project = await createProject(programs);
    await compile(project);
    await Promise.all(pages.map((page) => runPage(project, page, printed)));
  });
  afterAll(() => rm(project, { recursive: true, force: true }));

  it('exist', () => {
    expect(programs.length).toBeGreaterThan(10);
    expect(programs.filter(({ prints }) => prints === undefined).map(({ name }) => name)).toEqual([]);
  });

  it.each(programs)('$name prints what is shown', ({ file, prints }) => {
    expect(printed.get(file)).toEqual({ stdout: prints, stderr: '', exitCode: 0 });
  });

  it('start with one that fits on a screen', () => {
    expect(programs[0]?.text.split('\n').length).toBeLessThanOrEqual(25);
  });
});

describe('commands', () => {
  // Commands run both in a clone and next to the installed package. Each page has a folder of its own.
  let folder = '';
  let installed: Project;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phasegate-runs-'));
    installed = await installPacked(['@statelyai/inspect']);
  }, 60_000);
  afterAll(() => Promise.all([rm(folder, { recursive: true, force: true }), installed.remove()]));

  const commands = scripts.flatMap(({ name, text, prints }) => {
    const lines = text.split('\n').flatMap((line) => line.replace(/\s+#.*$/u, '').trim() || []);
    // Pages other than the README assume an installed package.
    const places = name.startsWith('README.md') ? (['installed', 'clone'] as const) : (['installed'] as const);
    return places.flatMap((place) =>
      lines.map((line) => ({
        name: `${name}, ${line} (${place})`,
        page: name.split(':')[0] ?? '',
        place,
        line,
        prints: lines.length === 1 ? prints : undefined,
      })),
    );
  });

  it('exist', () => {
    expect(commands.length).toBeGreaterThan(5);
  });

  it.each(commands)('$name', async ({ page, place, line, prints }) => {
    const cwd = join(place === 'installed' ? installed.folder : folder, page.replaceAll(/\W/gu, '-'));
    await mkdir(cwd, { recursive: true });
    // In a clone, `npx phasegate` would rebuild the package in its folder, which other tests use.
    const built = `node '${join(repository, 'dist/cli/main.js')}'`;
    const command = place === 'installed' ? line : line.replaceAll(/\bnpx phasegate\b/gu, built);
    const env = { ...plainEnv(), PHASEGATE_STORE: undefined };
    if (/ ui$| --ui$/u.test(command)) {
      await expectDashboard(command, env, cwd);
      return;
    }
    const { stdout } = await run('sh', ['-c', command], { cwd, env });
    if (prints === undefined) expect(stdout).not.toBe('');
    else expect(timeless(stdout)).toMatch(patternOf(timeless(prints)));
  });
});

describe('tables', () => {
  it('of options in guide.md list every option of a gate, with its default', async () => {
    const rows = [...(await read('docs/guide.md')).matchAll(/^\| `(\w+)` +\| (.+?) +\|/gmu)];
    const told = Object.fromEntries(rows.map(([, option = '', value = '']) => [option, value.replaceAll('`', '')]));
    const { reviewBackoff: _, inbox: __, approval: ___, ...plain } = gateDefaults;
    // The plan has these only if they are set.
    const { reviewBackoff, inbox, approval, onReviewUnavailable, ...others } = told;
    expect(others).toEqual(Object.fromEntries(Object.entries(plain).map(([key, value]) => [key, String(value)])));
    expect(reviewBackoff).toMatch(/^1 s, 2 s, 4 s/u);
    expect(inbox).toBe('{}');
    expect(approval).toBe("{ minConfidence: 0, maxSeverity: 'medium' }");
    expect(onReviewUnavailable).toBe('fail');
  });

  it('of exports in llms.txt name every exported value, and no other', async () => {
    const entries = [
      phasegate,
      acp,
      agents,
      dashboard,
      inboxEntry,
      inspect,
      machines,
      node,
      openai,
      otel,
      postgres,
      quality,
      records,
      restate,
      sqlite,
      store,
      testing,
    ];
    const values = [...entries, visualizations].flatMap((entry) => Object.keys(entry));
    const told = (await read('llms.txt')).match(/^- `(\w+)/gmu)?.map((match) => match.slice(3)) ?? [];
    expect(told.toSorted()).toEqual(values.toSorted());
  });
});

describe('links', () => {
  it('lead to files and headings that exist', async () => {
    const pagesOfDocs = (await readdir(join(repository, 'docs'))).filter((file) => file.endsWith('.md'));
    const docs = pagesOfDocs.map((file) => `docs/${file}`);
    const top = (await readdir(repository)).filter((file) => file.endsWith('.md') || file === 'llms.txt');
    const examples = (await readdir(join(repository, 'examples'))).map((name) => `examples/${name}/README.md`);
    const all = [...top, ...docs, ...examples.filter((file) => existsSync(join(repository, file)))];
    expect((await Promise.all(all.map((page) => brokenLinks(repository, page)))).flat()).toEqual([]);
  });
});

// --- internal ---

function read(page: string): Promise<string> {
  return readFile(join(repository, page), 'utf8');
}

function blocksOf(page: string, content: string): readonly Block[] {
  return [...content.matchAll(/^```(\w+)\n([^]*?)^```$/gmu)].map((match) => ({
    page,
    line: content.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    text: match[2] ?? '',
  }));
}

/** Returns the blocks in a language, each with the `text` block that follows it, if any. */
function shown(language: string): readonly Shown[] {
  return blocks.flatMap((block, index) => {
    if (block.language !== language) return [];
    const next = blocks[index + 1];
    const prints = next?.language === 'text' && next.page === block.page ? next.text : undefined;
    return [{ name: `${block.page}:${block.line}`, text: block.text, prints }];
  });
}

/** Creates a project that depends on the built package, with each program as a file. */
async function createProject(files: readonly { readonly file: string; readonly text: string }[]): Promise<string> {
  await access(join(repository, 'dist/index.js')); // missing? run "npm run build"
  const project = await mkdtemp(join(tmpdir(), 'phasegate-docs-'));
  const modules = join(project, 'node_modules');
  for (const name of [
    'express',
    'fast-check',
    'hono',
    'rxjs',
    'ws',
    'xstate',
    'zod',
    '@hono/node-server',
    '@statelyai/inspect',
    '@opentelemetry/api',
    '@opentelemetry/sdk-trace-base',
    '@types/express',
    '@types/node',
  ]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(repository, 'node_modules', name), join(modules, name), 'junction');
  }
  await symlink(repository, join(modules, 'phasegate'), 'junction');
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    noEmitOnError: true,
    skipLibCheck: true,
    // Node runs a program by removing its types.
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await Promise.all(files.map(({ file, text }) => writeFile(join(project, file.replace(/\.js$/u, '.ts')), text)));
  return project;
}

/** Runs the programs of a page in one process. Each starts when the one before has nothing left to do. */
async function runPage(project: string, page: string, printed: Map<string, Printed>): Promise<void> {
  const those = programs.filter(({ name }) => name.startsWith(`${page}:`)).map(({ file }) => file);
  if (those.length === 0) return;
  const runner = `${page.replaceAll(/\W/gu, '-')}.mjs`;
  await writeFile(join(project, runner), RUNNER);
  const { stdout } = await run(process.execPath, [runner, ...those], { cwd: project });
  for (const [file, one] of JSON.parse(stdout) as [string, Printed][]) printed.set(file, one);
}

/** Checks the types of every program, and compiles it. */
async function compile(project: string): Promise<void> {
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  try {
    await run(process.execPath, [compiler, '--project', project], { cwd: project });
  } catch (error) {
    throw new Error(
      `A program of the documentation has wrong types:\n${String(Reflect.get(Object(error), 'stdout'))}`,
      {
        cause: error,
      },
    );
  }
}

function plainEnv(): NodeJS.ProcessEnv {
  return { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, CI: undefined, OPENAI_API_KEY: undefined };
}

/** Starts a command that serves a dashboard, opens it as a browser does, and ends it by Ctrl-C. */
async function expectDashboard(command: string, env: NodeJS.ProcessEnv, cwd: string): Promise<void> {
  // The command has a process group of its own, as on a terminal, whose Ctrl-C reaches the whole group.
  const child = spawn('sh', ['-c', command], { cwd, env, detached: true });
  let isOn = true;
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      isOn = false;
      resolve(code);
    });
  });
  const stop = (signal: NodeJS.Signals) => isOn && process.kill(-(child.pid ?? 0), signal);
  onTestFinished(() => void stop('SIGKILL'));
  let told = '';
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        told += text;
        const [, found] = /^dashboard: (\S+)\n/mu.exec(told) ?? [];
        if (found !== undefined) resolve(found);
      });
    void ended.then((code) => reject(new Error(`${command} has ended with ${code}:\n${told}`)));
  });
  const welcome = await fetch(url, { redirect: 'manual' });
  const cookie = welcome.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const page = await fetch(new URL('/', url), { headers: { cookie } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root">')]);
  const runs = await fetch(new URL('/api/runs', url), { headers: { cookie } });
  expect([runs.status, await runs.text()]).toEqual([200, expect.stringContaining('"runId"')]);
  stop('SIGINT');
  await ended;
}

/** Replaces text that differs from run to run. */
function timeless(text: string): string {
  return text.replace(/ *\b(?:\d+m )?\d+(?:\.\d)?s\b/gu, ' 0.0s').replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/gu, '<run>');
}

function patternOf(text: string): RegExp {
  const escaped = text.replace(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/^\\\.\\\.\\\.\n/gmu, '(?:.*\\n)*?')}$`, 'u');
}
