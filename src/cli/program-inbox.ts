/**
 * The commands for what waits for people, as commander knows them.
 *
 * @module
 */
import type { Command } from 'commander';
import type { AnswerFlags } from './commands/inbox-answer.ts';
import type { InboxFlags } from './commands/inbox-list.ts';
import { DEFAULT_STORE } from './options/defaults.ts';
import type { StoreFlags } from './options/store-option.ts';
import type { ExitCode } from './process/exit-code.ts';
import { notBlank, refuseWords, storeOption } from './program-runs.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** Adds the commands. @param io What they use of their process. @param end Told how a command has ended. */
export function addInboxCommands(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  const store = () => storeOption(`where runs are kept (default: ${DEFAULT_STORE})`);
  const inbox = program.command('inbox').description('list what waits for people, show it, and answer it');
  // Options of a command are not those of its subcommands: both know the store.
  inbox
    .command('ls', { isDefault: true })
    .description('list what waits for people, the oldest first')
    .hook('preAction', refuseWords)
    .allowExcessArguments()
    .addOption(store())
    .option('--all', 'what was closed as well')
    .option('--queue <name>', 'only what that queue is asked', notBlank)
    .option('--json', 'print a line of JSON for each')
    .action(async (flags: InboxFlags) => end(await (await import('./commands/inbox-list.ts')).listInbox(flags, io)));
  inbox
    .command('show <item>')
    .description('show what is asked, what was tried, and what each answer would lead to')
    .addOption(store())
    .option('--json', 'print it as JSON')
    .action(async (item: string, flags: StoreFlags & { readonly json?: boolean }) =>
      end(await (await import('./commands/inbox-show.ts')).showItem(item, flags, io)),
    );
  inbox
    .command('answer <item>')
    .description('answer what waits; without a choice it is asked for on the terminal')
    .addOption(store())
    .option('--approve', 'approve the attempt, or lift the limit')
    .option('--edit <file>', 'approve with outputs from a JSON file: an object by task', notBlank)
    .option('--retry <feedback>', 'have the phase work again', notBlank)
    .option('--rewind <phase-and-feedback...>', 'send back an earlier phase: its name, then the feedback')
    .option(
      '--reclassify <issue=phase>',
      'lay an open issue at another phase, which is sent back; a phase alone takes all',
      notBlank,
    )
    .option('--reject <reason>', 'reject it, or end the run whose limit is spent', notBlank)
    .option('--escalate <reason>', 'as a reviewer: have somebody else decide', notBlank)
    .option('--skip [reason]', 'leave out the phase, and everything that needs it')
    .option('--abort [reason]', 'end the run as cancelled')
    .option('--value <json>', 'what a person puts out who is the task; text that is no JSON is taken as it is')
    .option('--nonce <nonce>', 'refuse to answer anything but what was shown with this nonce', notBlank)
    .option('--by <name>', 'who answers (default: the name of the user)', notBlank)
    .action(async (item: string, flags: AnswerFlags) =>
      end(await (await import('./commands/inbox-answer.ts')).answerKept(item, flags, io)),
    );
}
