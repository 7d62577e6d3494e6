/**
 * Definitions of the commands for shell completion.
 *
 * @module
 */
import { Argument, type Command } from 'commander';
import type { Shell } from './completion/scripts.ts';
import { exitCode, type ExitCode } from './process/exit-code.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** Adds the commands. @param io The streams and environment of the process. @param end Receives the exit code of a command. */
export function addCompletionCommands(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  program
    .command('completion')
    .description('print a script with which your shell completes commands, options, runs and files')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { scriptFor } = await import('./completion/scripts.ts');
      io.stdout.write(await scriptFor(shell));
      end(exitCode.completed);
    });
  // Only the completion scripts call this.
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
