/**
 * A prompt on the terminal for an answer to an inbox item, line by line.
 *
 * @module
 */
import { createInterface } from 'node:readline';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { Reply } from '../../projections/inbox/reply.ts';
import { problemText } from '../../projections/wording/error-words.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { oneLine } from '../terminal/text.ts';
import { valueIn } from './reply-flags.ts';

/** The streams of the prompt. */
export interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks until an answer is accepted. Asks again after an empty or invalid line. The end of the input leaves the item open.
 *
 * @param give Submits the answer. A `PhasegateError` that it rejects with is shown.
 * @param streams The streams of the prompt, and the phases that an answer may send back.
 * @returns True if the item was answered.
 */
export async function askReply(
  item: InboxItem,
  give: (reply: Reply) => Promise<void>,
  { input, output, targets }: Streams & { readonly targets?: readonly string[] | undefined },
): Promise<boolean> {
  const lines = createInterface({ input, terminal: false });
  output.write(helpOn(item, targets));
  try {
    for await (const line of lines) {
      const problem = await problemWith(item, line, give, targets);
      if (problem === undefined) return true;
      output.write(`${problem}\n> `);
    }
    return false;
  } finally {
    lines.close();
  }
}

/** Parses a line as a reply. */
export function replyIn({ kind, choices }: InboxItem, line: string): Reply {
  const text = line.trim();
  const command = /^(?:SKIP|ABORT)\b/u.exec(text)?.[0];
  const reason = text.slice(command?.length).trim().replace(/^:/u, '').trim();
  if (command === 'ABORT') return reason === '' ? { type: 'abort' } : { type: 'abort', reason };
  if (command === 'SKIP' && kind === 'escalation') return reason === '' ? { type: 'skip' } : { type: 'skip', reason };
  if (kind === 'limit') return { type: 'decide', decision: limitAnswer(text) };
  if (kind !== 'task') return { type: 'decide', decision: withDemand(text) };
  return { type: 'value', value: choices ? text : valueIn(text) };
}

/**
 * Lists the lines that can answer an item.
 *
 * @param targets The phases that an answer may send back, if they are known.
 */
export function helpLines({ kind, choices }: InboxItem, targets?: readonly string[]): readonly string[] {
  const decisions = [
    'APPROVE',
    'RETRY: <what to change>',
    ...(targets?.length === 0 ? [] : [`RETRY_PREDECESSOR <phase>: <what to change>${namesText(targets)}`]),
    'REJECT: <why>',
  ];
  const lines = {
    task: [choices ? choices.map(oneLine).join(' | ') : '<JSON, or text>'],
    limit: ['APPROVE               lift the limit and continue', 'REJECT: <why>         end the run'],
    review: [...decisions, 'ESCALATE: <why>'],
    escalation: [...decisions, 'SKIP: <why>'],
  }[kind];
  return [...lines, 'ABORT: <why>          end the run as cancelled'];
}

/**
 * Returns the problem of a refused line. The hint for programs, which have other calls to skip and to abort, is replaced by the lines
 * that can answer here.
 *
 * @param targets The phases that an answer may send back, if they are known.
 */
export function refusalText(item: InboxItem, { message, hint }: PhasegateError, targets?: readonly string[]): string {
  const text = problemText(message);
  if (hint === undefined || !hint.startsWith('Answer ') || !text.endsWith(hint)) return stripControls(text);
  const words = helpLines(item, targets).flatMap((line) => /^[A-Z_]+/u.exec(line)?.[0] ?? []);
  const possible = text.startsWith('Cannot approve') ? words.filter((word) => word !== 'APPROVE') : words;
  const list = `${possible.slice(0, -1).join(', ')} or ${possible.at(-1) ?? ''}`;
  return stripControls(`${text.slice(0, -hint.length)}Answer with ${list}, as listed above.`);
}

/** Codes of errors in the answer itself, after which the prompt asks again. Other errors end the command. */
export const CORRECTABLE: ReadonlySet<string> = new Set([
  'ANSWER_INVALID',
  'DECISION_INVALID',
  'DECISION_TARGET_INVALID',
  'FILE_UNREADABLE',
]);

// --- internal ---

/**
 * Returns the line itself after a check.
 *
 * @throws PhasegateError `DECISION_INVALID` if the line sends work back without saying what to change, as that would waste
 *   a correction.
 */
function withDemand(line: string): string {
  if (!/^retry(?:_predecessor\b[^:]*)?:?$/iu.test(line.trim())) return line;
  throw new PhasegateError(
    'DECISION_INVALID',
    `Cannot decide by ${JSON.stringify(line.trim())} as it does not say what to change`,
    {
      hint: 'Write it after a colon, such as RETRY: cite two sources.',
    },
  );
}

/** Submits a line. @returns The problem of the line; `undefined` if it was accepted. */
async function problemWith(
  item: InboxItem,
  line: string,
  give: (reply: Reply) => Promise<void>,
  targets: readonly string[] | undefined,
): Promise<string | undefined> {
  if (line.trim() === '') return 'An empty line is no answer.';
  try {
    await give(replyIn(item, line));
    return undefined;
  } catch (error) {
    if (!PhasegateError.is(error) || !CORRECTABLE.has(error.code)) throw error;
    return refusalText(item, error, targets);
  }
}

function helpOn(item: InboxItem, targets: readonly string[] | undefined): string {
  const lines = helpLines(item, targets).map((line) => `  ${line}\n`);
  return `Answer with one of these lines; Ctrl-C leaves the item open.\n${lines.join('')}> `;
}

function namesText(names: readonly string[] = []): string {
  return names.length === 0 ? '' : `   (${names.map(oneLine).join(', ')})`;
}

/** Returns the line itself after a check: a limit can be lifted or not, and no work can be sent back. */
function limitAnswer(text: string): string {
  if (/^\s*(?:approve\s*$|reject\b)/iu.test(text)) return text;
  throw new PhasegateError('DECISION_INVALID', `Cannot decide on a limit by ${JSON.stringify(text)}`, {
    hint: 'Write APPROVE to lift the limit, REJECT: <why> to end the run, or ABORT: <why> to end it as cancelled.',
  });
}
