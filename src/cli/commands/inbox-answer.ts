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
import { replyOf, type ReplyFlags } from '../inbox/reply-flags.ts';
import { openStore, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { userName } from '../options/user-name.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { plainItem } from '../show/item-lines.ts';
import { widthOf, type ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** What `phasegate inbox answer` takes beside the item. */
export interface AnswerFlags extends ReplyFlags, StoreFlags {
  readonly nonce?: string | undefined;
  readonly by?: string | undefined;
}

/** Answers an item of the inbox; where no answer was given it is asked for on the terminal. */
export async function answerKept(wanted: string, flags: AnswerFlags, io: ProgramIo): Promise<ExitCode> {
  const kept = openStore(flags, 'write', io);
  try {
    const item = await withAnswer(kept.store, await findItem(kept, wanted));
    if (item.answer) throw await hasAnswer(kept, item, item.answer);
    const detail = await detailOf(kept.store, item);
    // An answer is to what was read here, and to nothing that is asked anew meanwhile.
    const how = { nonce: flags.nonce ?? item.nonce, by: flags.by ?? userName() };
    const give = (reply: Reply) => answerItem(kept.store, item.id, reply, how);
    const reply = await replyOf(flags, detail, io);
    if (reply) await give(reply);
    else {
      if (!io.stdin.isTTY || !io.stderr.isTTY) throw nothingChosen(item);
      io.stderr.write(plainItem(detail, Date.now()));
      if (!(await asked(detail, give, io))) {
        io.stderr.write('Nothing was answered.\n');
        return exitCode.usage;
      }
    }
    return await tell(kept, item, io);
  } finally {
    await kept.store.close();
  }
}

// --- internal ---

/** Milliseconds for which a process that works on the run may take the answer, and between looks. */
const PATIENCE_MS = 3000;
const LOOK_MS = 100;

/** Asks on the terminal; line by line where it cannot move the cursor, or does not know how wide it is. */
function asked(detail: ItemDetail, give: (reply: Reply) => Promise<void>, io: ProgramIo): Promise<boolean> {
  const isSimple = io.env['TERM'] === 'dumb' || widthOf(io.stderr) === undefined;
  if (!isSimple) return chooseReply(detail, give, io);
  const targets = detail.choices.flatMap(({ answer, phase }) =>
    answer === 'rewind' && phase !== undefined ? [phase] : [],
  );
  return askReply(detail.item, give, { input: io.stdin, output: io.stderr, targets });
}

/** Says what has become of the answer. */
async function tell(kept: OpenStore, { id, runId }: InboxItem, io: ProgramIo): Promise<ExitCode> {
  for (let left = PATIENCE_MS; ; left -= LOOK_MS) {
    // Whoever works on the run takes the answer before giving the run back.
    const worker = await workerOn(kept, runId);
    const item = await kept.store.item(id);
    if (item?.closedAt !== undefined) {
      const { outcome = 'closed' } = item;
      io.stdout.write(`answered: ${oneLine(outcome)}\n`);
      return outcome.startsWith('refused') ? exitCode.usage : exitCode.completed;
    }
    if (!worker || left <= 0) {
      io.stdout.write(`answered; ${takenText(kept, runId, worker)}\n`);
      return exitCode.completed;
    }
    await setTimeout(LOOK_MS);
  }
}

function nothingChosen({ id }: InboxItem): PhasegateError {
  return new PhasegateError(
    'ANSWER_INVALID',
    `Cannot answer item ${id} as no answer was given, and this is no terminal`,
    {
      hint: 'Add one, such as --approve, --retry "…", --reject "…" or --value <json>; phasegate inbox show tells what each leads to.',
    },
  );
}
