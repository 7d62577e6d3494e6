/**
 * Choosing an answer to an item of the inbox, by arrow keys on a terminal.
 *
 * @module
 */
import { isCancel, log, select, text } from '@clack/prompts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Choice } from '../../projections/inbox/item-choices.ts';
import type { ItemDetail } from '../../projections/inbox/item-detail.ts';
import type { Reply } from '../../projections/inbox/reply.ts';
import { problemText } from '../../projections/wording/error-words.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';
import { MENDABLE } from './ask-reply.ts';
import { replyOf, type ReplyFlags } from './reply-flags.ts';

/**
 * Asks until an answer is taken. Nothing is answered by Enter alone: what is marked first is to leave the item open. So is
 * it by Ctrl-C, Escape and Ctrl-D, at any point.
 *
 * @param give Gives the answer. Where it rejects with a `PhasegateError` that is shown, and asked again.
 * @returns Whether something was answered.
 */
export async function chooseReply(
  detail: ItemDetail,
  give: (reply: Reply) => Promise<void>,
  io: ProgramIo,
): Promise<boolean> {
  const { stdin: input, stderr: output } = io;
  const ended = new AbortController();
  const onKey = (_: string | undefined, key: Key) => key.ctrl && key.name === 'd' && ended.abort();
  input.on('keypress', onKey);
  try {
    for (;;) {
      const flags = await chosen(detail, { input, output, signal: ended.signal });
      if (flags === undefined) return false;
      try {
        const reply = await replyOf(flags, detail, io);
        if (!reply) return false;
        await give(reply);
        return true;
      } catch (error) {
        if (!PhasegateError.is(error) || !MENDABLE.has(error.code)) throw error;
        log.error(problemText(error.message), { output });
      }
    }
  } finally {
    input.off('keypress', onKey);
  }
}

// --- internal ---

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

interface Where {
  readonly input: ProgramIo['stdin'];
  readonly output: ProgramIo['stderr'];
  readonly signal: AbortSignal;
}

const LATER = 'later';

/** What was chosen, as the flags of the command line say it; `undefined` for nothing. */
async function chosen(detail: ItemDetail, where: Where): Promise<ReplyFlags | undefined> {
  const { choices } = detail;
  const at = await select({
    ...where,
    message: oneLine(detail.item.reason),
    initialValue: LATER,
    options: [
      { value: LATER, label: 'leave it open', hint: 'nothing is answered' },
      ...choices.map((choice, index) => ({
        value: String(index),
        label: labelOf(choice),
        hint: oneLine(choice.means),
      })),
    ],
  });
  const choice = isCancel(at) ? undefined : choices[Number(at)];
  return choice && flagsOf(choice, detail, where);
}

function labelOf({ answer, phase }: Choice): string {
  return phase === undefined ? answer : `${answer} ${oneLine(phase)}`;
}

async function flagsOf(choice: Choice, detail: ItemDetail, where: Where): Promise<ReplyFlags | undefined> {
  switch (choice.answer) {
    case 'approve':
      return { approve: true };
    case 'edit':
      return said('A JSON file with outputs by task', where, (edit) => ({ edit }));
    case 'retry':
      return said('What to change?', where, (retry) => ({ retry }));
    case 'rewind':
      return said('What to change?', where, (feedback) => ({ rewind: [choice.phase ?? '', feedback] }));
    case 'reclassify':
      return reclassifyOf(detail, where);
    case 'reject':
      return said('Why?', where, (reject) => ({ reject }));
    case 'escalate':
      return said('Why?', where, (escalate) => ({ escalate }));
    case 'skip':
      return said('Why?', where, (skip) => ({ skip }));
    case 'abort':
      return said('Why?', where, (abort) => ({ abort }));
    case 'value':
      return valueOf(detail, where);
  }
}

/** An issue, and the phase that has to correct it. */
async function reclassifyOf({ item, findings, reach }: ItemDetail, where: Where): Promise<ReplyFlags | undefined> {
  const issue = await oneOf(
    'Which issue?',
    findings.map(({ id, issues }) => [id, issues[0]?.description ?? id]),
    where,
  );
  if (issue === undefined) return undefined;
  const phase = await oneOf(
    'Which phase has to correct it?',
    [...reach, item.about].map((name) => [name, name]),
    where,
  );
  return phase === undefined ? undefined : { reclassify: `${issue}=${phase}` };
}

/** One of the values that there are, or any. */
async function valueOf({ item }: ItemDetail, where: Where): Promise<ReplyFlags | undefined> {
  if (!item.choices) return said('JSON, or text', where, (value) => ({ value }));
  const value = await oneOf(
    'Which one?',
    item.choices.map((one) => [JSON.stringify(one), one]),
    where,
  );
  return value === undefined ? undefined : { value };
}

/** One of several; `undefined` where the item is left open. */
async function oneOf(
  message: string,
  options: readonly (readonly [value: string, label: string])[],
  where: Where,
): Promise<string | undefined> {
  // Values are numbers, as whatever is chosen from may be called what leaves the item open.
  const at = await select({
    ...where,
    message,
    initialValue: LATER,
    options: [
      { value: LATER, label: 'leave it open' },
      ...options.map(([, label], index) => ({ value: String(index), label: oneLine(label) })),
    ],
  });
  return isCancel(at) ? undefined : options[Number(at)]?.[0];
}

/** Some words; none is not taken. */
async function said(
  message: string,
  where: Where,
  make: (words: string) => ReplyFlags,
): Promise<ReplyFlags | undefined> {
  const validate = (words: string | undefined) => (words?.trim() ? undefined : 'Say something, or leave with Ctrl-C.');
  const words = await text({ ...where, message, validate });
  return isCancel(words) ? undefined : make(words);
}
