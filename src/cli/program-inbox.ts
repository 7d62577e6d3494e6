/**
 * Definitions of the commands for the inbox: the questions that wait for people.
 *
 * @module
 */
import type { Command } from 'commander';
import type { AnswerFlags } from './commands/inbox-answer.ts';
import type { InboxFlags } from './commands/inbox-items.ts';
import type { StoreFlags } from './options/store-option.ts';
import type { ExitCode } from './process/exit-code.ts';
import { notBlank, refuseWords, storeOption } from './program-runs.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** Adds the commands. @param io The streams and environment of the process. @param end Receives the exit code of a command. */
export function addInboxCommands(program: Command, io: ProgramIo, end: (code: ExitCode) => void): void {
  const store = () => storeOption('stores runs');
  const inbox = program.command('inbox').description('list, show and answer the items that wait for people');
  // Subcommands do not inherit options from their parent, so each gets its own --store.
  inbox
    .command('ls', { isDefault: true })
    .description('list the items that wait for people, the oldest first')
    .hook('preAction', refuseWords)
    .allowExcessArguments()
    .addOption(store())
    .option('--all', 'list closed items as well')
    .option('--queue <name>', 'only items of that queue', notBlank)
    .option('--json', 'print each item as a line of JSON')
    .action(async (flags: InboxFlags) => end(await (await import('./commands/inbox-items.ts')).listInbox(flags, io)));
  inbox
    .command('show <item>')
    .description('show the question, the attempts so far, and the effects of each answer')
    .addOption(store())
    .option('--json', 'print the item as JSON')
    .action(async (item: string, flags: StoreFlags & { readonly json?: boolean }) =>
      end(await (await import('./commands/inbox-items.ts')).showItem(item, flags, io)),
    );
  inbox
    .command('answer <item>')
    .description('answer an item; without an answer option, ask on the terminal')
    .addOption(store())
    .option('--approve', 'approve the attempt, or lift the limit')
    .option('--edit <file>', 'approve with outputs from a JSON file: an object with one key for each task', notBlank)
    .option('--retry <feedback>', 'send the phase back with feedback', notBlank)
    .option('--rewind <phase-and-feedback...>', 'send an earlier phase back: its name, then the feedback')
    .option(
      '--reclassify <issue=phase>',
      'assign an open issue to another phase and send that phase back; a phase alone takes all issues',
      notBlank,
    )
    .option('--reject <reason>', 'reject the attempt, or end the run at its limit', notBlank)
    .option('--escalate <reason>', 'as a reviewer: let somebody else decide', notBlank)
    .option('--skip [reason]', 'skip the phase and every phase that needs it')
    .option('--abort [reason]', 'end the run as cancelled')
    .option('--value <json>', 'the output of a task that a person does, as JSON; other text becomes a string')
    .option('--nonce <nonce>', 'answer only if the item still has this nonce', notBlank)
    .option('--by <name>', 'the name of the person who answers (default: your user name)', notBlank)
    .action(async (item: string, flags: AnswerFlags) =>
      end(await (await import('./commands/inbox-answer.ts')).answerStored(item, flags, io)),
    );
}
