/**
 * The package as users install it.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUNDLED } from '../scripts/bundled.ts';
import { brokenLinks } from './links.ts';
import { installPacked, pack, pagesOf, type Packed, type Project } from './packed.ts';

const run = promisify(execFile);

describe('the package', () => {
  let packed: Packed;
  let top = '';
  beforeAll(async () => {
    top = await mkdtemp(join(tmpdir(), 'phasegate-pack-'));
    packed = await pack(top);
  }, 60_000);
  afterAll(() => rm(top, { recursive: true, force: true }));

  it('has the necessary files, stays small, and contains no pictures', () => {
    const places = packed.paths.map((path) =>
      path
        .split('/')
        .slice(0, path.startsWith('dist/') ? 2 : 1)
        .join('/'),
    );
    expect([...new Set(places)].toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'completion',
      'dist/acp.js',
      'dist/agents.js',
      'dist/cli',
      'dist/dashboard',
      'dist/dashboard.js',
      'dist/fleet.js',
      'dist/inbox.js',
      'dist/index.js',
      'dist/inspect.js',
      'dist/licenses.md',
      'dist/machines.js',
      'dist/model',
      'dist/node.js',
      'dist/openai.js',
      'dist/otel.js',
      'dist/postgres.js',
      'dist/quality.js',
      'dist/records.js',
      'dist/restate.js',
      'dist/shared',
      'dist/sqlite.js',
      'dist/store.js',
      'dist/testing.js',
      'dist/types',
      'dist/visualizations.js',
      'docs',
      'llms.txt',
      'package.json',
      'schema',
    ]);
    expect(packed.paths).toContain('dist/dashboard/index.html');
    expect(packed.paths.filter((path) => /\.(?:png|jpe?g|gif|webp)$/u.test(path))).toEqual([]);
    // The limit has room above the measured size. Agents, workspaces and fleets are some 80 000 bytes of it,
    // the store in PostgreSQL with its page 20 000, runs on Restate 20 000,
    // the dashboard in applications, its form that starts runs, and its rendering of outputs 40 000,
    // colours of code, the comparison and the search of runs, tags, a graph with rewinds in lanes, forms, and long logs 75 000,
    // claims and notifications of PostgreSQL, and runs of tasks after killed processes 15 000, phases that are checked once, moves that are undone, and plans in files 14 000,
    // words of command lines and advice on files 2000, refusals at items, reserved names and flags that contradict each other 3000, approved work of phases side by side 3000,
    // backups that name damage, files that outputs never replace, prompts in lines of agents, and problems of YAML with their lines 4000. Options that are checked by name are 1000, and bounds of thrown objects 500,
    // zod, of which an import loads one file, 55 000. Bundled declarations save 80 000.
    expect(packed.size).toBeLessThan(1_243_000);
  });

  it('has the licences of bundled dependencies, and no imports of them', async () => {
    const licences = await readFile(join(packed.folder, 'dist/licenses.md'), 'utf8');
    expect([...licences.matchAll(/^## (\S+) - /gmu)].map(([, name]) => name)).toEqual(BUNDLED);
    expect((await importsOfCode()).filter(({ target }) => BUNDLED.includes(target))).toEqual([]);
  });

  it('has files that import each other in one direction', async () => {
    const left = await importsOfCode();
    expect(left.length).toBeGreaterThan(500);
    // Removes the imports of files that import none, until there are no such files.
    for (let before = -1; before !== left.length;) {
      before = left.length;
      const importing = new Set(left.map(({ file }) => file));
      left.splice(0, left.length, ...left.filter(({ target }) => importing.has(target)));
    }
    expect(left).toEqual([]);
  });

  /** Returns the imports of all files of code, by path in the package. Those of packages have the name of the package as target. */
  async function importsOfCode(): Promise<{ readonly file: string; readonly target: string }[]> {
    const code = packed.paths.filter((path) => /^dist\/(?!dashboard\/).*\.js$/u.test(path));
    const found = await Promise.all(
      code.map(async (file) => {
        const text = await readFile(join(packed.folder, file), 'utf8');
        return [...text.matchAll(/^(?:import|export)\b[^"'\n]*["']([^"'\n]+)["'];$/gmu)].map(([, target = '']) => ({
          file,
          target: target.startsWith('.') ? posix.join(posix.dirname(file), target) : target,
        }));
      }),
    );
    return found.flat();
  }

  it('contains and references no source maps, as their sources are not in it', async () => {
    expect(packed.paths.filter((path) => path.endsWith('.map'))).toEqual([]);
    const code = packed.paths.filter((path) => /\.(?:js|mjs|css|d\.ts)$/u.test(path));
    const naming = await Promise.all(
      code.map(async (path) =>
        (await readFile(join(packed.folder, path), 'utf8')).includes('sourceMappingURL') ? [path] : [],
      ),
    );
    expect(naming.flat()).toEqual([]);
  });

  it('has types with the names of their sources, as editors show them', async () => {
    const types = packed.paths.filter((path) => path.startsWith('dist/types/'));
    expect(types.length).toBeGreaterThan(20);
    const renamed = await Promise.all(
      types.map(async (path) => {
        const text = await readFile(join(packed.folder, path), 'utf8');
        return [...text.matchAll(/\b(?:type|interface|class|enum) \w+\$\d+/gu)].map(([name]) => name);
      }),
    );
    expect(renamed.flat()).toEqual([]);
  });

  it('has no dead links in any of its pages', async () => {
    const pages = await pagesOf(packed.folder);
    expect(pages).toContain('README.md');
    expect(pages).toContain('docs/guide.md');
    expect((await Promise.all(pages.map((page) => brokenLinks(packed.folder, page)))).flat()).toEqual([]);
  });

  it('names its home page, its source, and the tracker for faults', async () => {
    const manifest: unknown = JSON.parse(await readFile(join(packed.folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      homepage: 'https://github.com/phasegate/phasegate#readme',
      repository: { type: 'git', url: 'git+https://github.com/phasegate/phasegate.git' },
      bugs: 'https://github.com/phasegate/phasegate/issues',
    });
  });
});

describe('an installed package', () => {
  let project: Project;
  beforeAll(async () => {
    project = await installPacked();
  }, 60_000);
  afterAll(() => project.remove());

  it('loads few files to run a pipeline, and execa only with the first command', async () => {
    const code = await loadedBy(PIPELINE);
    // The limits have room above 150 files, of which 130 are its own: each entry splits what it shares with others.
    expect(code.length).toBeLessThan(155);
    expect(code.filter((url) => url.includes('/phasegate/dist/')).length).toBeLessThan(132);
    expect(code.filter((url) => STARTED_LATER.test(url))).toEqual([]);
    const started = await loadedBy(PIPELINE.replace('() => 1', "command(['node', '-v'])"));
    expect(started.filter((url) => STARTED_LATER.test(url))).not.toEqual([]);
  });

  it('loads few files for an import, and fewer for one without runs', async () => {
    // The limits have room above 90, 24 and 18.
    for (const [entry, limit] of Object.entries({ phasegate: 95, 'phasegate/records': 28, 'phasegate/sqlite': 21 })) {
      const code = await loadedByImport(entry);
      expect(code.length, entry).toBeGreaterThan(1);
      expect(code.length, entry).toBeLessThan(limit);
    }
  });

  it('prints its version without the code of its commands', async () => {
    const { stdout, code } = await loaded(['--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/u);
    expect(code.length).toBeLessThan(7);
    expect(code.filter((url) => !url.includes('/phasegate/dist/'))).toEqual([]);
  });

  it('has one instance, also for a package that a pipeline imports', async () => {
    const helper = join(project.folder, 'node_modules/helper');
    await mkdir(helper, { recursive: true });
    await writeFile(join(helper, 'package.json'), '{ "name": "helper", "type": "module", "exports": "./index.js" }');
    await writeFile(join(helper, 'index.js'), `export { retry as imported } from 'phasegate';`);
    await writeFile(
      join(project.folder, 'one.mjs'),
      `import { retry } from 'phasegate'; import { imported } from 'helper'; import { createRequire } from 'node:module';
      if (retry !== imported) throw new Error('There are two.');
      const { retry: required } = createRequire(import.meta.url)('phasegate');
      if (retry !== required) throw new Error('There are two, one of which is required.');
      export { default } from './pipeline.mjs';`,
    );
    await writeFile(join(project.folder, 'pipeline.mjs'), PIPELINE);
    await start(MAIN, ['run', 'one.mjs', '--no-store']);
  });

  it('makes sample data from the schema of the zod of a pipeline, although it has its own', async () => {
    const schema = "import { z } from 'zod'; const input = z.object({ size: z.literal(7) });";
    await writeFile(
      join(project.folder, 'schema.mjs'),
      `${schema} ${PIPELINE.replace("name: 'p'", "name: 'p', input")}`,
    );
    expect(await start(MAIN, ['test', 'schema.mjs'])).toContain('every run ends');
  });

  it('names existing files in its stacks', async () => {
    const program = `import { definePipeline } from 'phasegate';
      try { definePipeline({ name: 'p', phases: [] }); } catch (error) { console.log(error.stack); }`;
    await writeFile(join(project.folder, 'fail.mjs'), program);
    const { stdout } = await run(process.execPath, ['--enable-source-maps', 'fail.mjs'], { cwd: project.folder });
    const places = [...stdout.matchAll(/(\/\S*phasegate\/\S*?\.[jt]s):\d+:\d+/gu)].map(([, file = '']) => file);
    expect(places.length).toBeGreaterThan(0);
    await Promise.all(places.map((file) => readFile(file)));
  });

  /** Runs a program in the project, which must succeed. @returns Its output. */
  async function start(program: string, args: readonly string[], flags: readonly string[] = []): Promise<string> {
    return (await run(process.execPath, [...flags, program, ...args], { cwd: project.folder })).stdout;
  }

  /** Returns the URLs of all modules that are loaded while the pipeline runs. */
  async function loadedBy(pipeline: string): Promise<readonly string[]> {
    await writeFile(join(project.folder, 'pipeline.mjs'), pipeline);
    return (await loaded(['run', 'pipeline.mjs', '--no-store'])).code;
  }

  /** Returns the URLs of all modules that are loaded with an entry, and without the program that imports it. */
  async function loadedByImport(entry: string): Promise<readonly string[]> {
    const program = join(project.folder, 'import.mjs');
    await writeFile(program, `import ${JSON.stringify(entry)};`);
    return (await loaded([], program)).code.slice(1);
  }

  /** Runs a program, by default the command line. @returns Its output, and the URLs of all modules that it loads. */
  async function loaded(
    args: readonly string[],
    program = MAIN,
  ): Promise<{ readonly stdout: string; readonly code: readonly string[] }> {
    const log = join(project.folder, 'loaded.txt');
    await writeFile(log, '');
    const hooks = `import { appendFileSync } from 'node:fs';
      export function load(url, context, next) { appendFileSync(${JSON.stringify(log)}, url + '\\n'); return next(url, context); }`;
    const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))});`;
    const stdout = await start(program, args, ['--no-warnings', '--import', dataUrl(register)]);
    const urls = (await readFile(log, 'utf8')).split('\n');
    return { stdout, code: urls.filter((url) => url !== '' && !url.startsWith('node:')) };
  }
});

// --- internal ---

/** The command line, from the folder of the project. */
const MAIN = 'node_modules/phasegate/dist/cli/main.js';

const PIPELINE = `import { definePipeline, phase, task } from 'phasegate';
import { command } from 'phasegate/node';
export default definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });`;

/** Dependencies that a pipeline of functions does not need. */
const STARTED_LATER = /\/node_modules\/(?:execa|hono|ws|yaml|openai)\//u;

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
