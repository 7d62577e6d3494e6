/**
 * The library's entries for modules that the command line loads.
 *
 * @module
 */
import { createRequire } from 'node:module';
import * as phasegate from '../../index.ts';
import * as node from '../../node.ts';
import { watchStarts, type OwnRun } from './own-run.ts';

/**
 * Maps the names of the library's entries to the instance that runs the pipeline, wherever both are installed. An entry is loaded
 * on its first import, as some entries are large or need an optional package.
 *
 * @param source The text of the module. If it uses CommonJS, all entries are loaded first, as `require` is synchronous.
 * @param onStart Receives runs that the module starts itself.
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
        // The module may never import this entry. If it does, the loader reports the missing package.
        () => undefined,
      );
  }
  return modules;
}

/** Returns the names of all entries. */
export function entryNames(): readonly string[] {
  return ['phasegate', 'phasegate/node', ...Object.keys(LATER), ...DATA];
}

/** Finds the entry that exports a value of that name. Searches only entries that need no optional package. */
export async function entryWith(value: string): Promise<string | undefined> {
  for (const entry of [
    'agents',
    'fleet',
    'inbox',
    'machines',
    'postgres',
    'quality',
    'records',
    'restate',
    'sqlite',
    'visualizations',
  ].map((name) => `phasegate/${name}`))
    if (Object.hasOwn((await LATER[entry]?.()) ?? {}, value)) return entry;
  return undefined;
}

// --- internal ---

const require = createRequire(import.meta.url);

const LATER: Readonly<Record<string, () => Promise<object>>> = {
  'phasegate/acp': () => import('../../acp.ts'),
  'phasegate/agents': () => import('../../agents.ts'),
  'phasegate/fleet': () => import('../../fleet.ts'),
  'phasegate/dashboard': () => import('../../dashboard.ts'),
  'phasegate/inbox': () => import('../../inbox.ts'),
  'phasegate/inspect': () => import('../../inspect.ts'),
  'phasegate/machines': () => import('../../machines.ts'),
  'phasegate/openai': () => import('../../openai.ts'),
  'phasegate/otel': () => import('../../otel.ts'),
  'phasegate/postgres': () => import('../../postgres.ts'),
  'phasegate/quality': () => import('../../quality.ts'),
  'phasegate/records': () => import('../../records.ts'),
  'phasegate/restate': () => import('../../restate.ts'),
  'phasegate/sqlite': () => import('../../sqlite.ts'),
  'phasegate/store': () => import('../../store.ts'),
  'phasegate/testing': () => import('../../testing.ts'),
  'phasegate/visualizations': () => import('../../visualizations.ts'),
};

const DATA = ['phasegate/schema.json', 'phasegate/package.json'];
