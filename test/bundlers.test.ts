/** Programs that a bundler has put into one file, phasegate included. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureSizes, sizesIn, SIZES_PAGE } from '../scripts/bundle-sizes.ts';
import { installPacked, type Project } from './packed.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));

/** A program that stores a run in SQLite, and requests the page of the dashboard. */
const PROGRAM = `
import { definePipeline, phase, runPipeline, task, memoryStore } from 'phasegate';
import { serveDashboard } from 'phasegate/dashboard';
import { sqliteStore } from 'phasegate/sqlite';

const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });

async function keep() {
  const store = sqliteStore(process.argv[2]);
  console.log('kept', JSON.stringify(await runPipeline(pipeline, { store })));
  const { bytes } = await store.backup(process.argv[2] + '.copy');
  console.log('copied', bytes > 0, JSON.stringify(await store.compact()));
  await store.close();
}

async function serve() {
  const dashboard = await serveDashboard(memoryStore());
  const welcome = await fetch(dashboard.url, { redirect: 'manual' });
  const cookie = welcome.headers.getSetCookie()[0].split(';')[0];
  const ask = async (path) => (await fetch(new URL(path, dashboard.url), { headers: { cookie } })).text();
  console.log('page', await ask('/'));
  console.log('version', JSON.parse(await ask('/api/session')).version);
  await dashboard.close();
}

keep().catch((error) => console.log(error.message)).then(serve);
`;

/** The Next.js setting that leaves phasegate out of a bundle. */
const LINE = "serverExternalPackages: ['phasegate']";

describe('a bundle for a server', () => {
  let project: Project;
  let empty = '';
  beforeAll(async () => {
    project = await installPacked();
    empty = await mkdtemp(join(tmpdir(), 'phasegate-bundle-'));
    await writeFile(join(project.folder, 'program.js'), PROGRAM);
    for (const [format, define] of [
      ['es', {}],
      ['cjs', {}],
      // The value that esbuild substitutes in CommonJS output.
      ['nowhere', { 'import.meta.url': 'undefined' }],
    ] as const)
      await bundle(project.folder, format, define);
  }, 120_000);
  afterAll(() => Promise.all([project.remove(), rm(empty, { recursive: true, force: true })]));

  it.each(['es', 'cjs', 'nowhere'])('(%s) has a store and a dashboard without configuration', async (format) => {
    const printed = await run(project.folder, join(project.folder, `out/${format}.cjs`.replace('es.cjs', 'es.mjs')));
    expect(printed).toMatch(/^kept \{"a":\{"t":1\}\}\ncopied true \{"freed":\d+,"unused":0\}$/mu);
    expect(printed).toContain('<div id="root">');
    expect(printed).toMatch(/^version \d+\.\d+\.\d+$/mu);
  });

  it('names the setting that leaves phasegate out of the bundle if phasegate is not installed next to it', async () => {
    await cp(join(project.folder, 'out/es.mjs'), join(empty, 'es.mjs'));
    const printed = await run(empty, join(empty, 'es.mjs'), withoutSqlite());
    const [store = '', page = ''] = printed.split(/^page /mu);
    expect(store).toContain('Cannot store runs in SQLite');
    expect(store).toContain(LINE);
    expect(page).toContain('The pages of the dashboard are missing');
    expect(page).toContain(LINE);
    expect(page).toMatch(/^version $/mu);
  });

  it('is not mentioned by an installed package', async () => {
    await writeFile(join(project.folder, 'plain.mjs'), PROGRAM);
    const printed = await run(project.folder, join(project.folder, 'plain.mjs'));
    expect(printed).toContain('kept {"a":{"t":1}}\n');
    expect(printed).not.toContain(LINE);
  });
});

describe('a bundle for browsers', () => {
  // Vite replaces modules of Node by empty ones, where other bundlers end with an error, also for an import that they would leave out.
  it.each(['index', 'inbox', 'records', 'visualizations'])(
    'of entry %s imports nothing that browsers do not have',
    async (entry) => {
      const problems: string[] = [];
      const bundled = await rolldown({
        input: join(repository, 'dist', `${entry}.js`),
        platform: 'browser',
        onLog: (_, { message }) => problems.push(message),
      });
      await bundled.generate({ format: 'es' });
      await bundled.close();
      expect(problems).toEqual([]);
    },
  );

  it('has the sizes that docs/bundlers.md lists', async () => {
    const told = sizesIn(await readFile(join(repository, SIZES_PAGE), 'utf8'));
    const measured = await measureSizes();
    expect(told.map(({ code }) => code).toSorted()).toEqual(measured.map(({ code }) => code).toSorted());
    const wrong = measured.filter(({ code, bytes }) => {
      const said = told.find((one) => one.code === code)?.bytes ?? 0;
      // The tolerance is 5 percent, but at least the precision of the displayed number.
      return Math.abs(said - bytes) > Math.max(bytes / 20, 100);
    });
    expect(wrong, 'run `npm run sizes`').toEqual([]);
  });
});

// --- internal ---

/** Bundles a program and all its imports into one file. */
async function bundle(folder: string, name: string, define: Readonly<Record<string, string>>): Promise<void> {
  const isModule = name === 'es';
  await build({
    configFile: false,
    logLevel: 'silent',
    root: folder,
    define,
    ssr: { noExternal: true },
    build: {
      ssr: join(folder, 'program.js'),
      outDir: join(folder, 'out'),
      emptyOutDir: false,
      rolldownOptions: {
        output: {
          format: isModule ? 'es' : 'cjs',
          entryFileNames: isModule ? 'es.mjs' : `${name}.cjs`,
          codeSplitting: false,
        },
      },
    },
  });
}

/** Runs a program. @returns Its standard output and standard error. */
function run(cwd: string, program: string, flags: readonly string[] = []): Promise<string> {
  const file = join(cwd, `${randomUUID()}.db`);
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, program, file], { cwd }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

/** Flags that disable SQLite in versions of Node that include it. */
function withoutSqlite(): readonly string[] {
  return process.allowedNodeEnvironmentFlags.has('--experimental-sqlite') ? ['--no-experimental-sqlite'] : [];
}
