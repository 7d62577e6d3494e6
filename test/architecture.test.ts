import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Who may import whom. A layer may always import itself; `src/index.ts` and `src/node.ts` are layers of their own. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: ['zod', '@standard-schema/spec', 'safe-stable-stringify', '@noble/hashes', 'diff'],
  machines: ['model', 'xstate'],
  actors: ['model', 'machines', 'xstate'],
  runtime: ['model', 'machines', 'actors', 'store', 'xstate', 'rxjs', 'ulid'],
  store: ['model', 'ulid'],
  visualizations: ['model'],
  index: ['model', 'machines', 'runtime', 'store', 'visualizations'],
  node: ['actors'],
  llm: ['model', 'zod'],
  openai: ['model', 'llm', 'zod', 'openai'],
  inspect: ['model', 'xstate', 'ws', '@statelyai/inspect', 'node:'],
  otel: ['model', '@opentelemetry/api'],
  server: ['model', 'store', 'runtime', 'machines', 'visualizations', 'hono', '@hono/node-server', 'zod', 'node:'],
  dashboard: ['server'],
  testing: ['model', 'store', 'node:assert'],
};

/** Files that may import more than their layer: programs of the operating system and databases need Node. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'src/actors/command/process.ts': ['execa', 'node:'],
  'src/store/holder.ts': ['node:'],
  'src/store/installed.ts': ['node:'],
  'src/store/sqlite/compact.ts': ['node:'],
  'src/store/sqlite/driver.ts': ['node:'],
  'src/store/sqlite/file-identity.ts': ['node:'],
  'src/store/sqlite/wal-room.ts': ['node:'],
  'src/store/sqlite/open.ts': ['node:'],
  'src/store/sqlite/store.ts': ['node:'],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Folders of programs that are beside the package. */
const BESIDE = /^visualizations\/(?:node_modules|dashboard|inspect-v4)\//u;

const files = [...sources('src'), ...sources('visualizations').filter((file) => !BESIDE.test(file))];
const imports = files.flatMap(importsOf);

describe('layers', () => {
  it('import only what the table allows', () => {
    const wrong = imports.filter(({ from, to }) => {
      const layer = layerOf(from);
      if (layer === 'cli') return false;
      const allowed = [layer, ...(MAY_IMPORT[layer] ?? []), ...(EXCEPTIONS[from] ?? [])];
      return !allowed.some((one) => reaches(one, to));
    });
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('are all in the table, and the table has no more', () => {
    const layers = new Set(files.map(layerOf));
    expect([...layers].toSorted()).toEqual([...Object.keys(MAY_IMPORT), 'cli'].toSorted());
  });

  it('use everything that the table allows', () => {
    const unused = Object.entries(MAY_IMPORT).flatMap(([layer, allowed]) =>
      allowed
        .filter((one) => !imports.some(({ from, to }) => layerOf(from) === layer && reaches(one, to)))
        .map((one) => `${layer} never imports ${one}`),
    );
    expect(unused).toEqual([]);
  });

  it('do not import each other in a circle', () => {
    const edges = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      if (!isOurs(to) || layerOf(from) === layerOf(to)) continue;
      edges.set(layerOf(from), (edges.get(layerOf(from)) ?? new Set()).add(layerOf(to)));
    }
    const order: string[] = [];
    const all = new Set(files.map(layerOf));
    while (order.length < all.size) {
      const next = [...all].find(
        (one) => !order.includes(one) && [...(edges.get(one) ?? [])].every((to) => order.includes(to)),
      );
      if (next === undefined) break;
      order.push(next);
    }
    expect([...all].filter((one) => !order.includes(one))).toEqual([]);
  });

  it('are kept apart by machines that know no clock, no randomness and no Node', () => {
    const pure = files.filter((file) => ['model', 'machines'].includes(layerOf(file)));
    const wrong = pure.filter((file) =>
      /\bDate\.now\(|\bnew Date\(\)|Math\.random\(|(?<![.\w])setTimeout\((?!run:)|\bprocess\.|\bBuffer\b/u.test(
        codeOf(file),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe('files', () => {
  it('stay under 250 lines', () => {
    const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 250);
    expect(long).toEqual([]);
  });

  it('are named in kebab-case', () => {
    expect(files.filter((file) => !/^(?:[a-z0-9-]+\/)*[a-z0-9-]+(?:\.machine)?\.ts$/u.test(file))).toEqual([]);
  });
});

describe('src/index.ts in a browser', () => {
  it('bundles without Node, stays small, and runs', async () => {
    const output = await bundle();
    expect(output.imports.filter((one) => !one.startsWith('.'))).toEqual([]);
    expect(output.code).not.toMatch(/__vite-browser-external|["']node:[a-z]/u);
    for (const name of builtinModules) expect(output.code).not.toContain(`from"${name}"`);

    // Measured: 141 000 bytes.
    expect(gzipSync(output.code).byteLength).toBeLessThan(146_000);

    const url = `data:text/javascript;base64,${Buffer.from(output.code).toString('base64')}`;
    const { definePipeline, phase, startRun, task } = (await import(
      /* @vite-ignore */ url
    )) as typeof import('../src/index.ts');
    const one = phase('one', { tasks: [task('t', { run: () => 1 })], review: () => 'APPROVE' });
    expect((await startRun(definePipeline({ name: 'p', phases: [one] })).result).outputs).toEqual({ one: { t: 1 } });
  });
});

// --- internal ---

function sources(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();
}

/** The folder under src, or the name of a file at its top. */
function layerOf(file: string): string {
  const [top = '', folder = ''] = file.split('/');
  return top === 'src' ? folder.replace(/\.ts$/u, '') : top;
}

function isOurs(path: string): boolean {
  return path.startsWith('src/') || path.startsWith('visualizations/');
}

function reaches(allowed: string, to: string): boolean {
  if (isOurs(to)) return layerOf(to) === allowed;
  return allowed.endsWith(':') ? to.startsWith(allowed) : to === allowed || to.startsWith(`${allowed}/`);
}

function importsOf(file: string): readonly Import[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]|(?:^|\n)import\s*['"]([^'"]+)['"]/gu;
  return [...codeOf(file).matchAll(pattern)].map((match) => {
    const name = match[1] ?? match[2] ?? match[3] ?? '';
    return { from: file, to: name.startsWith('.') ? relative(root, resolve(root, file, '..', name)) : name };
  });
}

/** A file without its comments: their examples import, too. */
function codeOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
    .replaceAll(/\/\*[^]*?\*\//gu, '')
    .replaceAll(/(^|\s)\/\/.*$/gmu, '$1');
}

async function bundle(): Promise<{ readonly code: string; readonly imports: readonly string[] }> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root,
    resolve: { conditions: ['browser', 'module', 'import', 'default'] },
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      rolldownOptions: {
        input: join(root, 'src/index.ts'),
        preserveEntrySignatures: 'strict',
        output: { format: 'es' },
      },
    },
  });
  const chunks = (Array.isArray(built) ? built : [built]).flatMap((one) =>
    'output' in one ? one.output.flatMap((item) => (item.type === 'chunk' ? item : [])) : [],
  );
  return { code: chunks.map((one) => one.code).join('\n'), imports: chunks.flatMap((one) => one.imports) };
}
