/**
 * `phasegate init`.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { codeOf, errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { firstCommit, repositoryOf } from '../load/first-commit.ts';
import { installedAgent } from '../load/installed-agent.ts';
import { agentOf } from '../load/yaml/build-agent.ts';
import { parseJson } from '../options/parse-json.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { writeNew } from '../process/write-out.ts';
import { GUIDE_PAGE, pageOf } from '../terminal/doc-pages.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { agentFile, agentModule, FIRST_MODULE, firstFile, type FirstAgent } from '../load/first-pipeline.ts';

/** The language of the example pipeline. */
export type Language = 'ts' | 'yaml';

/** Flags of `phasegate init`. */
export interface InitFlags {
  /** An agent, as on the command line; `true` for the one that is installed. @default an example without agents */
  readonly agent?: string | true | undefined;
}

/** Writes an example pipeline into the working folder and prints the next steps. Never overwrites a file. */
export async function initFolder(language: Language, { agent }: InitFlags, io: ProgramIo): Promise<ExitCode> {
  const file = `pipeline.${language}`;
  const first = agent === undefined ? undefined : await firstAgent(agent, io);
  const text = first ? agentPipeline(language, first, io) : examplePipeline(language, io);
  try {
    await writeNew(placeOf(file, io), text);
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw unwritable(file, cause);
    throw new PhasegateError('FILE_EXISTS', `Cannot write "${file}" as the file exists already`, {
      hint: 'Rename the existing file, or change to another folder, and try again.',
      cause,
    });
  }
  io.stdout.write(first ? agentSteps(file, first, io) : nextSteps(file));
  return exitCode.completed;
}

// --- internal ---

function examplePipeline(language: Language, io: ProgramIo): string {
  return language === 'ts' ? FIRST_MODULE : firstFile(schemaFor(io));
}

function agentPipeline(language: Language, first: FirstAgent, io: ProgramIo): string {
  return language === 'ts' ? agentModule(first) : agentFile(first, schemaFor(io));
}

/** Finds the agent and the tests of a repository. @throws PhasegateError `DEFINITION_INVALID` if there is no agent of that name. */
async function firstAgent(given: string | true, io: ProgramIo): Promise<FirstAgent> {
  const agent = given === true ? await installedAgent(io) : given;
  if (agent !== undefined) agentOf(agent);
  // Clones have the whole repository, and work at its top.
  const folder = placeOf('.', io);
  const top = repositoryOf(folder) ?? folder;
  return { agent, hasTests: await hasTestScript(top), hasLock: existsSync(join(top, 'package-lock.json')) };
}

/** True if the package has a test script that is not the failing one of `npm init`. */
async function hasTestScript(folder: string): Promise<boolean> {
  try {
    const described = parseJson(await readFile(join(folder, 'package.json'), 'utf8'));
    const { data } = z.object({ scripts: z.object({ test: z.string() }) }).safeParse(described);
    return data !== undefined && !data.scripts.test.includes('no test specified');
  } catch {
    return false;
  }
}

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

function agentSteps(file: string, { agent }: FirstAgent, io: ProgramIo): string {
  const without = `Wrote ${file}. No agent is installed, so a program takes its place: name your agent in the file.`;
  const what = agent === undefined ? without : `Wrote ${file}: agent ${agent} works in a clone of this repository.`;
  const begin = firstCommit(placeOf('.', io)).map((line) => `  ${line}\n`);
  return `${what}

${begin.join('')}  npx phasegate check ${file}   # check it and see the most that a run can take
  npx phasegate run ${file}     # run it and store the run
  npx phasegate diff latest${' '.repeat(file.length - 2)}# see the changes
  npx phasegate apply latest${' '.repeat(file.length - 3)}# take them

Change its prompt and gate; ${pageOf('yaml.md')} and ${pageOf('fleet.md')} explain how.
`;
}

function unwritable(file: string, cause: unknown): PhasegateError {
  const { message } = errorInfo(cause);
  return new PhasegateError('FILE_UNREADABLE', `Cannot write "${file}" as the system refuses: ${message}`, {
    hint: 'Change to a folder that you may write to.',
    cause,
  });
}
