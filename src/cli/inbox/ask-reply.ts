/**
 * Asking on the terminal for an answer to an item of the inbox.
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

/** Where is asked. */
export interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks until an answer is taken. An empty line, and whatever makes no sense, is asked again; the end of the input answers
 * nothing.
 *
 * @param give Gives the answer. Where it rejects with a `PhasegateError` that is shown.
 * @param streams Where is asked, and which phases an answer may send back.
 * @returns Whether something was answered.
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
      const problem = await tried(item, line, give);
      if (problem === undefined) return true;
      output.write(`${problem}\n> `);
    }
    return false;
  } finally {
    lines.close();
  }
}

/** The reply that a line says. */
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
 * The lines that an item can be answered with.
 *
 * @param targets The phases that an answer may send back, where they are known.
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
    limit: ['APPROVE               lift the limit and go on', 'REJECT: <why>         end the run'],
    review: [...decisions, 'ESCALATE: <why>'],
    escalation: [...decisions, 'SKIP: <why>'],
  }[kind];
  return [...lines, 'ABORT: <why>          end the run as cancelled'];
}

/** What can be said in a better way; all else ends the command. */
export const MENDABLE: ReadonlySet<string> = new Set([
  'ANSWER_INVALID',
  'DECISION_INVALID',
  'DECISION_TARGET_INVALID',
  'FILE_UNREADABLE',
]);

// --- internal ---

/**
 * The line itself.
 *
 * @throws PhasegateError `DECISION_INVALID` where it sends work back and does not say what to change: that would spend a
 *   correction on nothing.
 */
function withDemand(line: string): string {
  if (!/^retry(?:_predecessor\b[^:]*)?:?$/iu.test(line.trim())) return line;
  throw new PhasegateError(
    'DECISION_INVALID',
    `Cannot decide by ${JSON.stringify(line.trim())} as it does not say what to change`,
    {
      hint: 'Say it behind a colon, such as RETRY: cite two sources.',
    },
  );
}

/** @returns What is wrong with a line; `undefined` where it was taken. */
async function tried(
  item: InboxItem,
  line: string,
  give: (reply: Reply) => Promise<void>,
): Promise<string | undefined> {
  if (line.trim() === '') return 'An empty line answers nothing.';
  try {
    await give(replyIn(item, line));
    return undefined;
  } catch (error) {
    if (!PhasegateError.is(error) || !MENDABLE.has(error.code)) throw error;
    return stripControls(problemText(error.message));
  }
}

function helpOn(item: InboxItem, targets: readonly string[] | undefined): string {
  const lines = helpLines(item, targets).map((line) => `  ${line}\n`);
  return `Answer with one of these lines; Ctrl-C answers nothing.\n${lines.join('')}> `;
}

function namesText(names: readonly string[] = []): string {
  return names.length === 0 ? '' : `   (${names.map(oneLine).join(', ')})`;
}

/** A limit can be lifted or not; there is nothing to try again. */
function limitAnswer(text: string): string {
  if (/^\s*(?:approve\s*$|reject\b)/iu.test(text)) return text;
  throw new PhasegateError('DECISION_INVALID', `Cannot decide on a limit by ${JSON.stringify(text)}`, {
    hint: 'Say APPROVE to lift the limit, or REJECT: <why> to end the run.',
  });
}
