/**
 * The commands that have shells complete the others, as commander knows them.
 *
 * @module
 */
import { Argument, type Command } from 'commander';
import type { Shell } from './completion/scripts.ts';
import { exitCode, type ExitCode } from './process/exit-code.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** Adds the commands. @param io What they use of their process. @param end Told how a command has ended. */
export function addCompletionCommands(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  program
    .command('completion')
    .description('print a script that has your shell complete commands, options, runs and files')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { scriptFor } = await import('./completion/scripts.ts');
      io.stdout.write(await scriptFor(shell));
      end(exitCode.completed);
    });
  // For those scripts alone.
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .helpOption(false)
    .action(async (words: readonly string[]) =>
      end(await (await import('./completion/complete.ts')).complete(program, words, io)),
    );
}

// --- internal ---

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];
