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

/** What a first pipeline is written in. */
export type Language = 'ts' | 'yaml';

/** Writes a small pipeline into a folder, and says what to do with it. Never overwrites a file. */
export async function initFolder(language: Language, io: ProgramIo): Promise<ExitCode> {
  const file = `pipeline.${language}`;
  const text = language === 'ts' ? FIRST_MODULE : firstFile(schemaFor(io));
  try {
    await writeFile(placeOf(file, io), text, { flag: 'wx' });
  } catch (cause) {
    if (!isTaken(cause)) throw unwritable(file, cause);
    throw new PhasegateError('FILE_EXISTS', `Cannot write "${file}" as there is one already`, {
      hint: 'Call it something else, or go to another folder, and write it again.',
      cause,
    });
  }
  io.stdout.write(nextSteps(file));
  return exitCode.completed;
}

// --- internal ---

/** The JSON Schema as an editor finds it: that of the package if it is installed, else that of its repository. */
function schemaFor(io: ProgramIo): string {
  const installed = './node_modules/phasegate/schema/pipeline.schema.json';
  const hosted = 'https://raw.githubusercontent.com/phasegate/phasegate/main/schema/pipeline.schema.json';
  return existsSync(placeOf(installed, io)) ? installed : hosted;
}

function nextSteps(file: string): string {
  return `${file} is written: two phases, whose gates send work back.

  npx phasegate run ${file}     # runs it, and keeps the run
  npx phasegate check ${file}   # is it sound, and what can it cost at worst?
  npx phasegate show latest${' '.repeat(file.length - 2)}# what each attempt came to

Change its tasks and its gates; ${GUIDE_PAGE} tells how.
`;
}

function isTaken(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
}

function unwritable(file: string, cause: unknown): PhasegateError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PhasegateError('FILE_UNREADABLE', `Cannot write "${file}" as the system refuses: ${why}`, {
    hint: 'Go to a folder that you may write to.',
    cause,
  });
}
