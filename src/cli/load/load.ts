/**
 * Loading of pipelines from files.
 *
 * @module
 */
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import type { LoadedModule, LoadedPipeline } from './load-module.ts';

/**
 * Loads a pipeline from a module or a YAML file.
 *
 * @throws PhasegateError that says what is wrong with the file.
 */
export async function loadPipeline(file: string, io: ProgramIo): Promise<Pipeline> {
  return (await loadWithTags(file, io)).pipeline;
}

/** Does the same as {@link loadPipeline}, with the tags of runs that the file has. */
export async function loadWithTags(file: string, io: ProgramIo): Promise<LoadedPipeline> {
  const loaded = await loadToRun(file, io);
  if ('pipeline' in loaded) return loaded;
  throw (await import('./load-module.ts')).startsItself(file);
}

/** Does the same as {@link loadPipeline}, but accepts a module that starts runs itself. */
export async function loadToRun(file: string, io: ProgramIo): Promise<LoadedModule> {
  const path = placeOf(file, io);
  await requireFile(file, path);
  switch (extname(path).toLowerCase()) {
    case '.ts':
    case '.mts':
    case '.cts':
    case '.js':
    case '.mjs':
    case '.cjs':
      return (await import('./load-module.ts')).loadModule(file, path, io);
    case '.yaml':
    case '.yml':
      return (await import('./yaml/load.ts')).loadYaml(file, path);
    case '.json':
      return { pipeline: await (await import('./fleet-file.ts')).loadFleet(file, path) };
    default:
      throw new PhasegateError('FILE_UNREADABLE', `Cannot load "${file}" as its name has no known ending`, {
        hint: 'Name it .ts, .mts, .cts, .js, .mjs, .cjs, .yaml or .yml; a fleet .json.',
      });
  }
}

// --- internal ---

async function requireFile(file: string, path: string): Promise<void> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new PhasegateError('FILE_UNREADABLE', `Cannot load "${file}" as there is no such file`, {
      hint: `Check the path: ${path}`,
      cause,
    });
  });
  if (found.isFile()) return;
  throw new PhasegateError('FILE_UNREADABLE', `Cannot load "${file}" as it is not a file`, {
    hint: 'Name the pipeline file itself.',
  });
}
