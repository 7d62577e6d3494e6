/**
 * A menu on the terminal for an answer to an inbox item, with arrow keys.
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
import { CORRECTABLE } from './ask-reply.ts';
import { replyOf, type ReplyFlags } from './reply-flags.ts';

/**
 * Asks until an answer is accepted. The first choice, which Enter alone takes, leaves the item open. Ctrl-C, Escape and
 * Ctrl-D also leave it open, at any point.
 *
 * @param give Submits the answer. If it rejects with a `PhasegateError`, the prompt shows the error and asks again.
 * @returns True if the item was answered.
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
      const flags = await askChoice(detail, { input, output, signal: ended.signal });
      if (flags === undefined) return false;
      try {
        const reply = await replyOf(flags, detail, io);
        if (!reply) return false;
        await give(reply);
        return true;
      } catch (error) {
        if (!PhasegateError.is(error) || !CORRECTABLE.has(error.code)) throw error;
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

interface PromptIo {
  readonly input: ProgramIo['stdin'];
  readonly output: ProgramIo['stderr'];
  readonly signal: AbortSignal;
}

const LATER = 'later';

/** Shows the menu. @returns The choice as flags of the command line; `undefined` if the item is left open. */
async function askChoice(detail: ItemDetail, prompt: PromptIo): Promise<ReplyFlags | undefined> {
  const { choices } = detail;
  const at = await select({
    ...prompt,
    message: oneLine(detail.item.reason),
    initialValue: LATER,
    options: [
      { value: LATER, label: 'leave it open', hint: 'gives no answer' },
      ...choices.map((choice, index) => ({
        value: String(index),
        label: labelOf(choice),
        hint: oneLine(choice.means),
      })),
    ],
  });
  const choice = isCancel(at) ? undefined : choices[Number(at)];
  return choice && flagsOf(choice, detail, prompt);
}

function labelOf({ answer, phase }: Choice): string {
  return phase === undefined ? answer : `${answer} ${oneLine(phase)}`;
}

async function flagsOf(choice: Choice, detail: ItemDetail, prompt: PromptIo): Promise<ReplyFlags | undefined> {
  switch (choice.answer) {
    case 'approve':
      return { approve: true };
    case 'edit':
      return askText('A JSON file with outputs by task', prompt, (edit) => ({ edit }));
    case 'retry':
      return askText('What to change?', prompt, (retry) => ({ retry }));
    case 'rewind':
      return askText('What to change?', prompt, (feedback) => ({ rewind: [choice.phase ?? '', feedback] }));
    case 'reclassify':
      return askReclassify(detail, prompt);
    case 'reject':
      return askText('Why?', prompt, (reject) => ({ reject }));
    case 'escalate':
      return askText('Why?', prompt, (escalate) => ({ escalate }));
    case 'skip':
      return askText('Why?', prompt, (skip) => ({ skip }));
    case 'abort':
      return askText('Why?', prompt, (abort) => ({ abort }));
    case 'value':
      return askValue(detail, prompt);
  }
}

/** Asks for an issue and for the phase that has to correct it. */
async function askReclassify({ item, findings, reach }: ItemDetail, prompt: PromptIo): Promise<ReplyFlags | undefined> {
  const issue = await askOption(
    'Which issue?',
    findings.map(({ id, issues }) => [id, issues[0]?.description ?? id]),
    prompt,
  );
  if (issue === undefined) return undefined;
  const phase = await askOption(
    'Which phase has to correct it?',
    [...reach, item.about].map((name) => [name, name]),
    prompt,
  );
  return phase === undefined ? undefined : { reclassify: `${issue}=${phase}` };
}

/** Asks for one of the item's choices, or for any value if it has none. */
async function askValue({ item }: ItemDetail, prompt: PromptIo): Promise<ReplyFlags | undefined> {
  if (!item.choices) return askText('JSON, or text', prompt, (value) => ({ value }));
  const value = await askOption(
    'Which one?',
    item.choices.map((one) => [JSON.stringify(one), one]),
    prompt,
  );
  return value === undefined ? undefined : { value };
}

/** Asks for one of several options. @returns `undefined` if the item is left open. */
async function askOption(
  message: string,
  options: readonly (readonly [value: string, label: string])[],
  prompt: PromptIo,
): Promise<string | undefined> {
  // Values are indexes, as an option may have the same name as `LATER`.
  const at = await select({
    ...prompt,
    message,
    initialValue: LATER,
    options: [
      { value: LATER, label: 'leave it open' },
      ...options.map(([, label], index) => ({ value: String(index), label: oneLine(label) })),
    ],
  });
  return isCancel(at) ? undefined : options[Number(at)]?.[0];
}

/** Asks for a text, which must not be blank. */
async function askText(
  message: string,
  prompt: PromptIo,
  make: (words: string) => ReplyFlags,
): Promise<ReplyFlags | undefined> {
  const validate = (words: string | undefined) =>
    words?.trim() ? undefined : 'Write something, or leave with Ctrl-C.';
  const words = await text({ ...prompt, message, validate });
  return isCancel(words) ? undefined : make(words);
}
