/**
 * `phasegate inbox answer`.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { ItemDetail } from '../../projections/inbox/item-detail.ts';
import type { Reply } from '../../projections/inbox/reply.ts';
import { answerItem } from '../../runtime/inbox/answer-item.ts';
import { detailOf, withAnswer } from '../../store/pending-answers.ts';
import { askReply } from '../inbox/ask-reply.ts';
import { chooseReply } from '../inbox/choose-reply.ts';
import { findItem } from '../inbox/find-item.ts';
import { hasAnswer, takenText, workerOn } from '../inbox/pending-answer.ts';
import { deadlineOf } from '../inbox/run-deadline.ts';
import { replyOf, type ReplyFlags } from '../inbox/reply-flags.ts';
import { refuseAgents } from '../options/refuse-agents.ts';
import { openStore, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { userName } from '../options/user-name.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { plainItem } from '../show/item-lines.ts';
import { widthOf, type ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate inbox answer`. */
export interface AnswerFlags extends ReplyFlags, StoreFlags {
  readonly nonce?: string | undefined;
  readonly by?: string | undefined;
}

/** Answers an inbox item. Asks on the terminal if the flags give no answer. */
export async function answerStored(wanted: string, flags: AnswerFlags, io: ProgramIo): Promise<ExitCode> {
  refuseAgents(`answer item ${wanted}`, io);
  const opened = openStore(flags, 'write', io);
  try {
    const item = await withAnswer(opened.store, await findItem(opened, wanted));
    if (item.answer) throw await hasAnswer(opened, item, item.answer);
    const detail = await detailOf(opened.store, item);
    // The nonce binds the answer to the question that was read here, in case the item is asked again meanwhile.
    const how = { nonce: flags.nonce ?? item.nonce, by: flags.by ?? userName() };
    let given: Reply['type'] | undefined;
    const give = async (reply: Reply) => {
      await answerItem(opened.store, item.id, reply, how);
      given = reply.type;
    };
    const reply = await replyOf(flags, detail, io);
    if (reply) await give(reply);
    else {
      if (!io.stdin.isTTY || !io.stderr.isTTY) throw nothingChosen(item);
      const deadline = await deadlineOf(opened.store, item.runId);
      io.stderr.write(plainItem({ ...detail, runEndsAt: deadline?.at }, Date.now()));
      if (!(await askOnTerminal(detail, give, io))) {
        io.stderr.write('The item is still open.\n');
        return exitCode.usage;
      }
    }
    return await reportOutcome(opened, item, given === 'abort', io);
  } finally {
    await opened.store.close();
  }
}

// --- internal ---

/** The most milliseconds to wait until a process that works on the run applies the answer, and milliseconds between polls. */
const MOST_WAIT_MS = 3000;
const POLL_MS = 100;

/** Asks with a menu; or line by line if the terminal cannot move the cursor or does not report its width. */
function askOnTerminal(detail: ItemDetail, give: (reply: Reply) => Promise<void>, io: ProgramIo): Promise<boolean> {
  const isSimple = io.env['TERM'] === 'dumb' || widthOf(io.stderr) === undefined;
  if (!isSimple) return chooseReply(detail, give, io);
  const targets = detail.choices.flatMap(({ answer, phase }) =>
    answer === 'rewind' && phase !== undefined ? [phase] : [],
  );
  return askReply(detail.item, give, { input: io.stdin, output: io.stderr, targets });
}

/** Reports the outcome of an answer on standard output. @param aborts True if the answer ends the run. */
async function reportOutcome(
  opened: OpenStore,
  { id, runId }: InboxItem,
  aborts: boolean,
  io: ProgramIo,
): Promise<ExitCode> {
  for (let left = MOST_WAIT_MS; ; left -= POLL_MS) {
    // Reads the lease first: a process applies pending answers before it releases the run.
    const worker = await workerOn(opened, runId);
    const item = await opened.store.item(id);
    // The item of an aborted run is closed before its other tasks have stopped.
    const status = aborts ? (await opened.store.run(runId))?.status : undefined;
    if (item?.closedAt !== undefined && status !== 'running') {
      const outcome = status === 'cancelled' ? 'the run was aborted' : (item.outcome ?? 'closed');
      io.stdout.write(`answered: ${oneLine(outcome)}\n`);
      return outcome.startsWith('refused') ? exitCode.usage : exitCode.completed;
    }
    if (!worker || left <= 0) {
      io.stdout.write(`answered; ${await takenText(opened, runId, worker)}\n`);
      return exitCode.completed;
    }
    await setTimeout(POLL_MS);
  }
}

function nothingChosen({ id }: InboxItem): PhasegateError {
  return new PhasegateError(
    'ANSWER_INVALID',
    `Cannot answer item ${id} as no answer was given and this is no terminal`,
    {
      hint: 'Add one, such as --approve, --retry "…", --reject "…" or --value <json>; phasegate inbox show lists the effects of each.',
    },
  );
}
