/**
 * Entries of the library, as modules that the command line loads find them.
 *
 * @module
 */
import { createRequire } from 'node:module';
import * as phasegate from '../../index.ts';
import * as node from '../../node.ts';
import { watchStarts, type OwnRun } from './own-run.ts';

/**
 * Gives a module the very library that runs it, wherever the two are installed. An entry is loaded when a module asks for it, as some
 * need much or want a package that few have.
 *
 * @param source The text of the module. CommonJS cannot wait, so all entries are loaded before it.
 * @param onStart Told of runs that the module starts itself.
 */
export async function virtualModulesFor(
  source: string,
  onStart: (run: OwnRun) => void,
): Promise<Record<string, unknown>> {
  const modules: Record<string, unknown> = {
    phasegate: { ...phasegate, ...watchStarts(onStart) },
    'phasegate/node': node,
  };
  for (const name of DATA)
    Object.defineProperty(modules, name, { get: (): unknown => require(name), enumerable: true });
  const isAtOnce = /\brequire\s*\(|\.c[jt]s\b/u.test(source);
  for (const [name, load] of Object.entries(LATER)) {
    if (!isAtOnce) Object.defineProperty(modules, name, { get: load, enumerable: true });
    else if (source.includes(name)) modules[name] = await load();
    else
      await load().then(
        (loaded) => (modules[name] = loaded),
        // Nobody may ask for it. The loader says what is missing if somebody does.
        () => undefined,
      );
  }
  return modules;
}

/** The name of every entry. */
export function entryNames(): readonly string[] {
  return ['phasegate', 'phasegate/node', ...Object.keys(LATER), ...DATA];
}

/** The entry that exports a value of that name, of those that need no other package. */
export async function entryWith(value: string): Promise<string | undefined> {
  for (const entry of ['machines', 'quality', 'sqlite', 'visualizations'].map((name) => `phasegate/${name}`))
    if (Object.hasOwn((await LATER[entry]?.()) ?? {}, value)) return entry;
  return undefined;
}

// --- internal ---

const require = createRequire(import.meta.url);

const LATER: Readonly<Record<string, () => Promise<object>>> = {
  'phasegate/dashboard': () => import('../../dashboard.ts'),
  'phasegate/inspect': () => import('../../inspect.ts'),
  'phasegate/machines': () => import('../../machines.ts'),
  'phasegate/openai': () => import('../../openai.ts'),
  'phasegate/otel': () => import('../../otel.ts'),
  'phasegate/quality': () => import('../../quality.ts'),
  'phasegate/sqlite': () => import('../../sqlite.ts'),
  'phasegate/store': () => import('../../store.ts'),
  'phasegate/testing': () => import('../../testing.ts'),
  'phasegate/visualizations': () => import('../../visualizations.ts'),
};

const DATA = ['phasegate/schema.json', 'phasegate/package.json'];
