import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import { FOLDERS, LAYERS } from './layers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Restrictions within a permitted layer: files that match `from` may import only files that match `only` from layer
 * `to`.
 */
const NARROW: readonly { readonly from: RegExp; readonly to: RegExp; readonly only: RegExp }[] = [
  // Actors know the phase that they work for, and no run.
  { from: /^src\/actors\//u, to: /^src\/machines\//u, only: /^src\/machines\/phase\//u },
  // Front ends import machines only to draw them.
  {
    from: /^src\/(?:cli|server)\//u,
    to: /^src\/machines\//u,
    only: /^src\/machines\/(?:phase\/phase\.machine|pipeline\/pipeline\.machine|coordinator\/phase-state)\.ts$/u,
  },
];

/** Imports of single files beyond the table. Programs of the operating system and databases need Node. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'src/machines.ts': ['runtime'],
  'src/actors/command/process.ts': ['execa', 'node:'],
  'src/store/checksum.ts': ['node:'],
  'src/store/holder.ts': ['node:'],
  'src/store/installed.ts': ['node:'],
  'src/store/sqlite/backup.ts': ['node:'],
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

/** Folders under visualizations that are no part of the package. */
const BESIDE = /^visualizations\/(?:node_modules|dashboard|inspect-v4)\//u;

const files = [...sources('src'), ...sources('visualizations').filter((file) => !BESIDE.test(file))];
const imports = files.flatMap(importsOf);

describe('layers', () => {
  it('import only what the table allows', () => {
    const wrong = imports.filter(({ from, to }) => {
      const layer = layerOf(from);
      if (layer === 'cli') return false;
      const allowed = [layer, ...(LAYERS[layer] ?? []), ...(EXCEPTIONS[from] ?? [])];
      return !allowed.some((one) => reaches(one, to));
    });
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('are all in the table, and the table has no more', () => {
    const layers = new Set(files.map(layerOf));
    expect([...layers].toSorted()).toEqual([...Object.keys(LAYERS), 'cli'].toSorted());
  });

  it('use every import that the table allows', () => {
    const unused = Object.entries(LAYERS).flatMap(([layer, allowed]) =>
      allowed
        .filter((one) => !imports.some(({ from, to }) => layerOf(from) === layer && reaches(one, to)))
        .map((one) => `${layer} never imports ${one}`),
    );
    expect(unused).toEqual([]);
  });

  it('do not import each other in a circle', () => {
    const edges = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      if (isEntry(from) || !isOurs(to) || layerOf(from) === layerOf(to)) continue;
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

  it('have folders that import each other in one direction', () => {
    const wrong = imports.filter(({ from, to }) => {
      const order = FOLDERS[layerOf(from)];
      if (!order || isEntry(from) || !isOurs(to) || layerOf(from) !== layerOf(to)) return false;
      return order.indexOf(folderOf(to)) < order.indexOf(folderOf(from));
    });
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('have the folders of the table, and no others', () => {
    for (const [layer, order] of Object.entries(FOLDERS)) {
      const folders = new Set(files.filter((file) => layerOf(file) === layer && !isEntry(file)).map(folderOf));
      expect([...folders].toSorted(), layer).toEqual(order.toSorted());
    }
  });

  it('import no more of machines than NARROW allows', () => {
    const wrong = NARROW.flatMap(({ from, to, only }) =>
      imports.filter((one) => from.test(one.from) && to.test(one.to) && !only.test(one.to)),
    );
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('keep clocks, randomness and Node out of model and machines', () => {
    const pure = files.filter((file) => ['model', 'projections', 'machines'].includes(layerOf(file)));
    const wrong = pure.filter((file) =>
      /\bDate\.now\(|\bnew Date\(\)|Math\.random\(|(?<![.\w])setTimeout\((?!run:)|\bprocess\.|\bBuffer\b/u.test(
        codeOf(file),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe('files', () => {
  it('are at most 21 in a folder', () => {
    const folders = files.map((file) => file.slice(0, file.lastIndexOf('/')));
    const large = folders.filter((folder) => folders.filter((one) => one === folder).length > 21);
    expect([...new Set(large)]).toEqual([]);
  });

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

    // The limit has room above 162 200 bytes, the measured size. Checks of options that programs in JavaScript get wrong are 800 of them.
    expect(gzipSync(output.code).byteLength).toBeLessThan(163_000);

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

/** Returns the folder under src, or the name of a file at its top. */
function layerOf(file: string): string {
  const [top = '', folder = ''] = file.split('/');
  return top === 'src' ? folder.replace(/\.ts$/u, '') : top;
}

/** True for `src/index.ts` and other entries at the top of src. */
function isEntry(file: string): boolean {
  return file.startsWith('src/') && file.split('/').length === 2;
}

/** Returns the folder within its layer, or `.` for a file at the top of the layer. */
function folderOf(file: string): string {
  const parts = file.split('/').slice(file.startsWith('src/') ? 2 : 1, -1);
  return parts[0] ?? '.';
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

/** Removes the comments of a file, as their examples contain imports. */
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
