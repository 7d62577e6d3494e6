/**
 * The browser of the tests: `CHROMIUM_PATH`, else one of the system, else the one of `@sparticuz/chromium`.
 *
 * The package is unpacked once, to a cache next to node_modules. It is unpacked to a temporary folder which is then
 * renamed.
 * So no process finds half a browser, and of two processes the first one's folder stays.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';

/** A browser program and its environment. */
export interface Executable {
  readonly path: string;
  /** Variables that it needs in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a browser with a temporary profile. @throws if no browser runs, with the reason for each. */
export async function launch(): Promise<Browser> {
  const { path, env } = executable();
  return load('playwright-core').chromium.launch({
    executablePath: path,
    args: ARGUMENTS,
    env: { ...definedOf(process.env), ...env },
  });
}

/** Finds a browser that runs. */
export function executable(): Executable {
  const named = process.env['CHROMIUM_PATH'];
  const candidates = named ? [{ path: named, env: {} }] : [...ofSystem(), ...unpacked()];
  const problems: string[] = [];
  for (const candidate of candidates) {
    const problem = problemOf(candidate);
    if (problem === undefined) return candidate;
    problems.push(`${candidate.path}: ${problem}`);
  }
  throw new Error(
    `Cannot test in a browser as none runs:\n${problems.join('\n')}\n` +
      'Set CHROMIUM_PATH to a Chromium or Chrome that runs here, or install the library that is missing.',
  );
}

/** A foreign host name that the browser resolves to this machine. */
export const REBOUND = 'rebound.test';

// --- internal ---

const require = createRequire(import.meta.url);

/** Loads the module by `require`: scripts run on jiti, which cannot run an `import` of playwright. */
const load: (name: 'playwright-core') => typeof import('playwright-core') = require;

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
  // A foreign name that resolves to this machine, as in a DNS rebinding attack.
  `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`,
];

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

const OTHER_PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

function ofSystem(): readonly Executable[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const places = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...OTHER_PLACES];
  return places.filter((path) => existsSync(path)).map((path) => ({ path, env: {} }));
}

/**
 * Returns the browser of the package, first with the libraries of this machine, then with the libraries of the
 * package.
 */
function unpacked(): readonly Executable[] {
  if (process.platform !== 'linux' || process.arch !== 'x64') return [];
  const folder = folderOfPackage();
  const path = join(folder, 'chromium');
  const libraries = [join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH'] ?? ''].filter((one) => one !== '');
  return [
    { path, env: {} },
    { path, env: { LD_LIBRARY_PATH: libraries.join(':') } },
  ];
}

/** Unpacks the package if necessary. @returns The folder. */
function folderOfPackage(): string {
  const origin = join(dirname(require.resolve('@sparticuz/chromium')), '../..');
  // The size of the archive distinguishes versions.
  const name = `chromium-${statSync(join(origin, 'bin/chromium.br')).size}`;
  const folder = join(origin, '../../.cache/phasegate', name);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const parts = mkdtempSync(`${folder}-`);
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', UNPACK], {
    cwd: import.meta.dirname,
    // The package unpacks to the temporary folder. It unpacks libraries as well if it believes that it runs on AWS
    // Lambda.
    env: { ...process.env, TMPDIR: parts, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Cannot unpack the browser of @sparticuz/chromium to ${parts}:\n${stderr}`);
  try {
    renameSync(parts, folder);
  } catch (thrown) {
    rmSync(parts, { recursive: true, force: true });
    if (!existsSync(folder)) throw thrown;
  }
  return folder;
}

const UNPACK = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";

/** Returns the reason that a browser does not run, such as a missing library; undefined if it runs. */
function problemOf({ path, env }: Executable): string | undefined {
  const { status, stderr, error } = spawnSync(path, ['--version'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 100_000,
  });
  if (error) return error.message;
  return status === 0 ? undefined : stderr.trim() || `it ends with ${status}`;
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}
