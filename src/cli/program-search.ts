/**
 * Definition of the command that searches runs.
 *
 * @module
 */
import type { Command } from 'commander';
import { toCount } from './options/limit-flags.ts';
import type { ExitCode } from './process/exit-code.ts';
import { storeOption } from './program-runs.ts';
import type { SearchFlags } from './run/search.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** Adds the command. @param io The streams and environment of the process. @param end Receives the exit code of the command. */
export function addSearchCommand(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  program
    .command('search <text> [run]')
    .description('find a text in the inputs, outputs, decisions, questions and errors of runs')
    .addOption(storeOption('stores runs'))
    .option('-n, --limit <count>', 'print at most this many places (default: 50)', toCount)
    .option('--json', 'print each place as a line of JSON')
    .action(async (text: string, run: string | undefined, flags: SearchFlags) =>
      end(await (await import('./run/search.ts')).searchStored(text, run, flags, io)),
    );
}
