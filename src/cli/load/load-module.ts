/**
 * Loading of pipelines from JavaScript and TypeScript modules.
 *
 * @module
 */
import { createJiti, type Jiti } from 'jiti';
import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type { Pipeline } from '../../model/definition/define.ts';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { exitCode } from '../process/exit-code.ts';
import { watchExit, type EarlyExit } from '../process/exit-watch.ts';
import { captureWrites } from '../terminal/capture-writes.ts';
import { withAddress } from '../terminal/error-text.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { missingExport, missingPackage } from './missing-package.ts';
import { TO_EXPORT, type OwnRun } from './own-run.ts';
import { virtualModulesFor } from './virtual-modules.ts';

/** A pipeline, with the tags of its runs if its file has some. */
export interface LoadedPipeline {
  readonly pipeline: Pipeline;
  /** @default none */
  readonly tags?: readonly string[] | undefined;
}

/** The result of loading a module: a pipeline, or the runs that the module has started itself. */
export type LoadedModule = LoadedPipeline | { readonly started: readonly OwnRun[] };

/** Creates the error for a module that starts runs itself but exports no pipeline. */
export function startsItself(file: string): PhasegateError {
  return new PhasegateError(
    'DEFINITION_INVALID',
    `Cannot load a pipeline from "${file}" as it starts a run itself, and exports none`,
    { hint: TO_EXPORT },
  );
}

/**
 * Loads a module and finds the pipeline that it exports: the default export, or else the only one.
 *
 * @param file The file name that the user gave.
 * @param path The absolute path of the file.
 */
export async function loadModule(file: string, path: string, io: ProgramIo): Promise<LoadedModule> {
  const { exported, started } = await importModule(file, path, io);
  // The exported value of a CommonJS module may be the pipeline itself.
  if (isPipeline(exported)) return { pipeline: exported };
  if (isPipeline(exported['default'])) return { pipeline: exported['default'] };
  const found = Object.entries(exported).flatMap(([name, value]) => (isPipeline(value) ? [{ name, value }] : []));
  const [only, ...more] = found;
  if (only && more.length === 0) return { pipeline: only.value };
  if (only === undefined && started.length > 0) return { started };
  throw only ? severalPipelines(file, found) : noPipeline(file, exported);
}

// --- internal ---

interface Imported {
  readonly exported: Readonly<Record<string, unknown>>;
  readonly started: readonly OwnRun[];
}

async function importModule(file: string, path: string, io: ProgramIo): Promise<Imported> {
  const started: OwnRun[] = [];
  // Standard output belongs to the command; prints of the loading module go to standard error.
  const stdout = captureWrites(io.stdout, (text) => io.stderr.write(text));
  const watch = watchExit(exitCode.usage, (how) => withAddress(earlyExit(file, how).message), io);
  try {
    const source = await readFile(path, 'utf8');
    const virtualModules = await virtualModulesFor(source, (run) => started.push(run));
    // Links are followed, as Node does: relative imports begin at the file itself.
    const filename = await realpath(path);
    const jiti = createJiti(filename, { virtualModules, interopDefault: false });
    const exported = TYPED.test(filename) ? await jiti.import(filename) : await importScript(jiti, source, filename);
    // A copy: runs that start later belong to tasks.
    return { exported: isRecord(exported) ? exported : {}, started: [...started] };
  } catch (cause) {
    if (PhasegateError.is(cause)) throw cause;
    throw await moduleError(file, path, cause);
  } finally {
    watch.release();
    stdout.release();
  }
}

/** Files that jiti always translates. */
const TYPED = /\.[cm]?ts$/iu;

/**
 * Imports a JavaScript module, translated as one in TypeScript is. Node itself would import the package that is installed next to it
 * instead of the virtual modules. If such a module throws, jiti would also run it for the second time.
 */
async function importScript(jiti: Jiti, source: string, filename: string): Promise<unknown> {
  const known = createRequire(filename).cache[filename];
  if (known?.loaded) return known.exports;
  return jiti.evalModule(source, { filename, ext: extname(filename), async: true, forceTranspile: true });
}

async function moduleError(file: string, path: string, cause: unknown): Promise<PhasegateError> {
  const { name, message, stack = '' } = errorInfo(cause);
  const text = message.replace(/\nRequire stack:[^]*$/u, '').trim();
  if (text.startsWith('ParseError:')) {
    return new PhasegateError(
      'DEFINITION_INVALID',
      `Cannot load "${file}" as it has a syntax error: ${text.slice(12)}`,
      {
        hint: 'Correct the syntax there.',
        cause,
      },
    );
  }
  const at = stack.split(/[\s()]+/u).find((word) => /^(?:file:\/\/)?\/[^]*:\d+:\d+$/u.test(word));
  const where = at !== undefined && at.includes(path) ? `\n    at ${at}` : '';
  return new PhasegateError('DEFINITION_INVALID', `Cannot load "${file}" as it throws ${name}: ${text}${where}`, {
    hint: missingPackage(text) ?? (await missingExport(text)) ?? 'Correct the file so that it can be imported.',
    cause,
  });
}

/** Creates the error for a process that ends during loading. Nothing has run, so it is no success, whatever exit code the module sets. */
function earlyExit(file: string, how: EarlyExit): PhasegateError {
  return how === 'ended'
    ? new PhasegateError('DEFINITION_INVALID', `Cannot load "${file}" as it ends the process while it is loaded`, {
        hint: 'Remove the call of process.exit().',
      })
    : new PhasegateError('DEFINITION_INVALID', `Cannot load "${file}" as it awaits something that never happens`, {
        hint: 'Check what it awaits outside of functions.',
      });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isPipeline(value: unknown): value is Pipeline {
  if (!isRecord(value) || !isRecord(value['plan']) || !isRecord(value['work'])) return false;
  return Array.isArray(value['plan']['phases']) && value['work']['phases'] instanceof Map;
}

function noPipeline(file: string, exported: object): PhasegateError {
  const names = Object.keys(exported);
  const found = names.length === 0 ? 'it exports nothing' : `none of its exports is one: ${names.join(', ')}`;
  return new PhasegateError('DEFINITION_INVALID', `Cannot load a pipeline from "${file}" as ${found}`, {
    hint: 'Write `export default definePipeline({ ... })`.',
  });
}

function severalPipelines(file: string, found: readonly { readonly name: string }[]): PhasegateError {
  const names = found.map(({ name }) => name).join(', ');
  return new PhasegateError(
    'DEFINITION_INVALID',
    `Cannot load a pipeline from "${file}" as it exports several: ${names}`,
    {
      hint: 'Make one of them the default export.',
    },
  );
}
