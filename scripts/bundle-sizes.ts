/**
 * Measures the size of browser bundles for several imports of the package, and writes the table of docs/bundlers.md.
 *
 * `npm run sizes`, after `npm run build`.
 *
 * @module
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { format } from 'prettier';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The page with the table. */
export const SIZES_PAGE = 'docs/bundlers.md';

/** A row of the table. */
export interface BundleSize {
  /** The import statement. */
  readonly code: string;
  /** Bytes, minified and compressed by gzip. */
  readonly bytes: number;
}

/** The imports to measure. */
const IMPORTS = [
  "import { parseDecision } from 'phasegate'",
  "import { toMermaid } from 'phasegate/visualizations'",
  "import { toSvg } from 'phasegate/visualizations'",
  "import { foldRun } from 'phasegate/records'",
  "import { answerItem } from 'phasegate/inbox'",
  "import { definePipeline, phase, task } from 'phasegate'",
  "import { definePipeline, startRun } from 'phasegate'",
  "import * as all from 'phasegate'",
  "import * as all from 'phasegate/visualizations'",
];

/** Bundles each import of the built package with its dependencies. @returns Sizes, the smallest first. @throws Error if an import needs Node. */
export async function measureSizes(): Promise<readonly BundleSize[]> {
  const sizes: BundleSize[] = [];
  for (const code of IMPORTS) {
    const bundled = await bundle(code);
    if (/__vite-browser-external|["']node:[a-z]/u.test(bundled)) throw new Error(`${code} needs Node.`);
    sizes.push({ code, bytes: gzipSync(bundled).byteLength });
  }
  return sizes.toSorted((one, other) => one.bytes - other.bytes);
}

/** Parses the sizes in a page. @returns Sizes in bytes. */
export function sizesIn(page: string): readonly BundleSize[] {
  return [...page.matchAll(/^\| `(import [^`]*)` +\| +([\d.]+) kB +\|$/gmu)].map(([, code = '', size]) => ({
    code,
    bytes: Number(size) * 1000,
  }));
}

// --- internal ---

const ENTRY = 'virtual:entry';

async function bundle(code: string): Promise<string> {
  const [, names = ''] = /^import (.*) from/u.exec(code) ?? [];
  const used = names.startsWith('*') ? 'all' : names.replaceAll(/[{}\s]/gu, '');
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root,
    resolve: { conditions: ['browser', 'module', 'import', 'default'] },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? ENTRY : null),
        load: (id) => (id === ENTRY ? `${code}; globalThis.used = [${used}];` : null),
      },
    ],
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      rolldownOptions: { input: ENTRY, output: { format: 'es' } },
    },
  });
  return (Array.isArray(built) ? built : [built])
    .flatMap((one) => ('output' in one ? one.output.flatMap((item) => (item.type === 'chunk' ? item.code : [])) : []))
    .join('\n');
}

async function writeTable(): Promise<void> {
  const file = new URL(`../${SIZES_PAGE}`, import.meta.url);
  const page = await readFile(file, 'utf8');
  const lines = (await measureSizes()).map(({ code, bytes }) => `| \`${code}\` | ${(bytes / 1000).toFixed(1)} kB |`);
  const table = /^\| import [^]*?\n\n/mu;
  const next = page.replace(table, `| import | size |\n| --- | --: |\n${lines.join('\n')}\n\n`);
  await writeFile(file, await format(next, { parser: 'markdown', printWidth: 120, proseWrap: 'preserve' }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await writeTable();
