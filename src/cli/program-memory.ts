/**
 * The commands for what runs have learned, as commander knows them.
 *
 * @module
 */
import type { Command } from 'commander';
import type { MemoryFlags } from './commands/memory.ts';
import { DEFAULT_STORE } from './options/defaults.ts';
import type { ExitCode } from './process/exit-code.ts';
import { notBlank, refuseWords, storeOption } from './program-runs.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** Adds the commands. @param io What they use of their process. @param end Told how a command has ended. */
export function addMemoryCommands(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  const memory = program.command('memory').description('list what runs have learned for later ones, and forget it');
  const command = (name: string, isDefault = false) =>
    memory
      .command(name, { isDefault })
      .addOption(storeOption(`where runs are kept (default: ${DEFAULT_STORE})`))
      .option('--scope <name>', 'only of that scope', notBlank)
      .option('--pipeline <name>', 'only of that pipeline', notBlank)
      .option('--phase <name>', 'only of phases of that name', notBlank)
      .option('--run <id>', 'only what comes from that run, also where it was removed', notBlank);
  command('ls', true)
    .description('list reflections on rejected attempts, the oldest first')
    .hook('preAction', refuseWords)
    .allowExcessArguments()
    .option('--json', 'print a line of JSON for each')
    .action(async (flags: MemoryFlags & { readonly json?: boolean }) =>
      end(await (await import('./commands/memory.ts')).listMemories(flags, io)),
    );
  command('rm')
    .description('forget them; the records of runs stay as they are')
    .option('--all', 'everything that is remembered')
    .action(async (flags: MemoryFlags & { readonly all?: boolean }) =>
      end(await (await import('./commands/memory.ts')).forgetMemories(flags, io)),
    );
}
