/**
 * Definitions of the commands for memories: the reflections that later runs read.
 *
 * @module
 */
import type { Command } from 'commander';
import type { MemoryFlags } from './commands/memory.ts';
import type { ExitCode } from './process/exit-code.ts';
import { notBlank, refuseWords, storeOption } from './program-runs.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** Adds the commands. @param io The streams and environment of the process. @param end Receives the exit code of a command. */
export function addMemoryCommands(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  const memory = program.command('memory').description('list and forget the reflections that later runs read');
  const command = (name: string, isDefault = false) =>
    memory
      .command(name, { isDefault })
      .addOption(storeOption('stores runs'))
      .option('--scope <name>', 'only memories of that scope', notBlank)
      .option('--pipeline <name>', 'only memories of that pipeline', notBlank)
      .option('--phase <name>', 'only memories of phases with that name', notBlank)
      .option('--run <id>', 'only memories from that run, even if it was removed', notBlank);
  command('ls', true)
    .description('list reflections on rejected attempts, the oldest first')
    .hook('preAction', refuseWords)
    .allowExcessArguments()
    .option('--json', 'print each memory as a line of JSON')
    .action(async (flags: MemoryFlags & { readonly json?: boolean }) =>
      end(await (await import('./commands/memory.ts')).listMemories(flags, io)),
    );
  command('rm')
    .description('forget memories; the records of runs do not change')
    .option('--all', 'forget all memories')
    .action(async (flags: MemoryFlags & { readonly all?: boolean }) =>
      end(await (await import('./commands/memory.ts')).forgetMemories(flags, io)),
    );
}
