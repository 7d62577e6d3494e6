/**
 * The commands for runs that are kept, as commander knows them.
 *
 * @module
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from './exit-code.ts';
import type { ListFlags } from './list.ts';
import type { ResumeFlags } from './resume.ts';
import { DEFAULT_STORE, STORE_VARIABLE } from './store-default.ts';

/** What a pipeline is in. */
export const PIPELINE_FILE = 'a .ts, .mts, .cts, .js, .mjs, .cjs, .yaml or .yml file';

/** What `--wait` does. */
export const WAIT = 'where nobody can be asked, wait until somebody answers from elsewhere';

/** The option that names the store. */
export function storeOption(description: string): Option {
  return new Option('--store <file>', description).env(STORE_VARIABLE).argParser(notBlank);
}

/** Refuses a text without anything in it. */
export function notBlank(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It is empty.');
}

/** Adds the commands. @param end Told how a command has ended. */
export function addRunCommands(program: Command, end: (code: ExitCode) => void): void {
  for (const { name, description } of GOING_ON) {
    command(program, `${name} <run> [pipeline]`)
      .description(description)
      .option('--allow-changed', 'go on although the definition has changed, where the records allow it')
      .option('--json', 'print every new record as a line of JSON, and nothing else, on standard output')
      .option('--wait', WAIT)
      .action(async (run: string, file: string | undefined, flags: ResumeFlags) => {
        const { resumeKept, retryKept } = await import('./resume.ts');
        end(await (name === 'resume' ? resumeKept : retryKept)(run, file, flags));
      });
  }
  command(program, 'ls')
    .description('list runs, the latest started first')
    .option('--status <status>', 'only such runs: running, suspended, waiting, completed, … several with commas')
    .option('--pipeline <name>', 'only runs of that pipeline')
    .option('-n, --limit <count>', 'at most so many', toCount)
    .option('--json', 'print a line of JSON for each')
    .action(async (flags: ListFlags) => end(await (await import('./list.ts')).listRuns(flags)));
}

// --- internal ---

const GOING_ON = [
  { name: 'resume', description: 'go on with a run that was stopped, was killed, or waited for a person' },
  { name: 'retry', description: 'go on with a run that has ended without success: what was not approved runs again' },
] as const;

function command(program: Command, usage: string): Command {
  return program.command(usage).addOption(storeOption(`where runs are kept (default: ${DEFAULT_STORE})`));
}

function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It is no whole number above 0.');
}
