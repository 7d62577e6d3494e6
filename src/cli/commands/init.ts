/**
 * `phasegate init`.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { GUIDE_PAGE } from '../terminal/doc-pages.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { FIRST_MODULE, firstFile } from './first-pipeline.ts';

/** The language of the example pipeline. */
export type Language = 'ts' | 'yaml';

/** Writes an example pipeline into the working folder and prints the next steps. Never overwrites a file. */
export async function initFolder(language: Language, io: ProgramIo): Promise<ExitCode> {
  const file = `pipeline.${language}`;
  const text = language === 'ts' ? FIRST_MODULE : firstFile(schemaFor(io));
  try {
    await writeFile(placeOf(file, io), text, { flag: 'wx' });
  } catch (cause) {
    if (!isTaken(cause)) throw unwritable(file, cause);
    throw new PhasegateError('FILE_EXISTS', `Cannot write "${file}" as the file exists already`, {
      hint: 'Rename the existing file, or change to another folder, and try again.',
      cause,
    });
  }
  io.stdout.write(nextSteps(file));
  return exitCode.completed;
}

// --- internal ---

/** Returns the JSON Schema for editors: the path in the installed package, else the address in the repository. */
function schemaFor(io: ProgramIo): string {
  const installed = './node_modules/phasegate/schema/pipeline.schema.json';
  const hosted = 'https://raw.githubusercontent.com/phasegate/phasegate/main/schema/pipeline.schema.json';
  return existsSync(placeOf(installed, io)) ? installed : hosted;
}

function nextSteps(file: string): string {
  return `Wrote ${file}: two phases whose gates send work back.

  npx phasegate run ${file}     # run it and store the run
  npx phasegate check ${file}   # check it and see the most that a run can take
  npx phasegate show latest${' '.repeat(file.length - 2)}# see the outcome of each attempt

Change its tasks and gates; ${GUIDE_PAGE} explains how.
`;
}

function isTaken(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
}

function unwritable(file: string, cause: unknown): PhasegateError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PhasegateError('FILE_UNREADABLE', `Cannot write "${file}" as the system refuses: ${why}`, {
    hint: 'Change to a folder that you may write to.',
    cause,
  });
}
