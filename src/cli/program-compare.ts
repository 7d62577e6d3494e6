/**
 * Definition of the command that compares runs.
 *
 * @module
 */
import type { Command } from 'commander';
import type { CompareFlags } from './run/compare.ts';
import type { ExitCode } from './process/exit-code.ts';
import { storeOption } from './program-runs.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** Adds the command. @param io The streams and environment of the process. @param end Receives the exit code of the command. */
export function addCompareCommand(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  program
    .command('compare <run> [run]')
    .description('compare two runs, or a fork with the run that it was forked from')
    .addOption(storeOption('stores runs'))
    .option('--json', 'print the comparison as JSON')
    .action(async (run: string, other: string | undefined, flags: CompareFlags) =>
      end(await (await import('./run/compare.ts')).compareStored(run, other, flags, io)),
    );
}
