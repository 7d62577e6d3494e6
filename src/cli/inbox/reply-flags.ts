/**
 * Conversion of the flags of `phasegate inbox answer` to a reply.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { retry, retryPredecessor } from '../../model/decision/decision.ts';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { ItemDetail } from '../../projections/inbox/item-detail.ts';
import { reclassify } from '../../projections/inbox/reclassify.ts';
import type { Reply } from '../../projections/inbox/reply.ts';
import { parseJson, utf8In } from '../options/parse-json.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** The answer options, of which a user gives one. */
export interface ReplyFlags {
  readonly approve?: boolean | undefined;
  /** A JSON file: an object of outputs by task. */
  readonly edit?: string | undefined;
  readonly retry?: string | undefined;
  /** A phase and the feedback. */
  readonly rewind?: readonly string[] | undefined;
  readonly reclassify?: string | undefined;
  readonly reject?: string | undefined;
  readonly escalate?: string | undefined;
  /** The reason, or `true` without one. */
  readonly skip?: string | true | undefined;
  readonly abort?: string | true | undefined;
  readonly value?: string | undefined;
}

/**
 * Converts the flags to a reply.
 *
 * @returns `undefined` if no answer option is given.
 * @throws PhasegateError `ANSWER_INVALID` if several are given, or one is invalid.
 */
export async function replyOf(
  flags: ReplyFlags,
  detail: ItemDetail,
  io: Pick<ProgramIo, 'cwd'>,
): Promise<Reply | undefined> {
  const { item } = detail;
  const chosen = NAMES.filter((name) => flags[name] !== undefined);
  if (chosen.length > 1) throw wrong(item, `--${chosen.join(' and --')} exclude each other`, 'Choose one.');
  const { edit, rewind, reclassify: issue, reject: no, escalate: why, skip, abort, value } = flags;
  if (flags.approve) return { type: 'decide', decision: { type: 'approve' } };
  if (edit !== undefined)
    return { type: 'decide', decision: { type: 'approve' }, outputs: await outputsIn(item, edit, io) };
  if (flags.retry !== undefined) return { type: 'decide', decision: retry(flags.retry) };
  if (rewind) return rewound(item, rewind);
  if (issue !== undefined) return reclassified(detail, issue);
  if (no !== undefined) return { type: 'decide', decision: { type: 'reject', reason: no } };
  if (why !== undefined) return { type: 'decide', decision: { type: 'escalate', reason: why } };
  if (skip !== undefined) return skip === true ? { type: 'skip' } : { type: 'skip', reason: skip };
  if (abort !== undefined) return abort === true ? { type: 'abort' } : { type: 'abort', reason: abort };
  return value === undefined ? undefined : { type: 'value', value: valueIn(value) };
}

/** Parses a text as JSON; returns the text itself if it is none. */
export function valueIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

// --- internal ---

const NAMES = [
  'approve',
  'edit',
  'retry',
  'rewind',
  'reclassify',
  'reject',
  'escalate',
  'skip',
  'abort',
  'value',
] as const satisfies readonly (keyof ReplyFlags)[];

const outputsSchema = z.record(z.string(), z.unknown());

async function outputsIn(
  item: InboxItem,
  file: string,
  io: Pick<ProgramIo, 'cwd'>,
): Promise<Readonly<Record<string, unknown>>> {
  let bytes: Buffer;
  try {
    bytes = await readFile(placeOf(file, io));
  } catch (cause) {
    throw new PhasegateError('FILE_UNREADABLE', `Cannot read ${file} as ${errorInfo(cause).message}`, {
      hint: 'Name a JSON file with the outputs by task, such as { "draft": "the better text" }.',
      cause,
    });
  }
  const outputs = outputsSchema.safeParse(valueIn(utf8In(bytes, file)));
  if (outputs.success) return outputs.data;
  throw wrong(
    item,
    `${file} is not a JSON object with outputs by task`,
    'Write an object such as { "draft": "the better text" }.',
  );
}

function rewound(item: InboxItem, [phase, feedback, ...more]: readonly string[]): Reply {
  if (phase !== undefined && feedback !== undefined && feedback.trim() !== '' && more.length === 0)
    return { type: 'decide', decision: retryPredecessor(phase, feedback) };
  throw wrong(item, '--rewind takes a phase and the feedback', 'Write for example --rewind notes "cite two sources".');
}

/** Reads `issue=phase`, which assigns an open issue to a phase; or a phase alone, to which the whole last demand is redirected. */
function reclassified(detail: ItemDetail, words: string): Reply {
  const { item, findings, reach } = detail;
  const phases = [...reach, item.about];
  const pairs = findings.flatMap(({ id }) => phases.map((phase) => ({ id, phase })));
  const named = pairs.find(({ id, phase }) => `${id}=${phase}` === words);
  if (named) return { type: 'decide', decision: reclassify(detail, named.id, named.phase) };
  if (phases.includes(words)) return redirected(detail, words);
  const issues = findings.map(({ id }) => JSON.stringify(oneLine(id))).join(', ');
  const known = `Open issues: ${issues || 'none'}. Phases: ${phases.map((name) => JSON.stringify(oneLine(name))).join(', ')}.`;
  throw wrong(
    item,
    `--reclassify ${JSON.stringify(oneLine(words))} names no open issue with a phase`,
    `Write issue=phase. ${known}`,
  );
}

/** Redirects the latest demand on the attempt to another phase. */
function redirected({ item, attempts }: ItemDetail, phase: string): Reply {
  const verdict = attempts.at(-1)?.verdict;
  if (verdict?.type !== 'retry' && verdict?.type !== 'retryPredecessor')
    throw wrong(item, 'the last attempt was not sent back by anybody', 'Send a phase back with --rewind.');
  const { feedback, requiredChange } = verdict;
  const change = requiredChange === undefined ? {} : { requiredChange };
  const decision = phase === item.about ? retry(feedback, change) : retryPredecessor(phase, feedback, change);
  return { type: 'decide', decision };
}

function wrong({ id }: InboxItem, why: string, hint: string): PhasegateError {
  return new PhasegateError('ANSWER_INVALID', `Cannot answer item ${id} as ${why}`, { hint });
}
