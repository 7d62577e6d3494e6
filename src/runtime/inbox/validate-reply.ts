/**
 * Validation of people's replies.
 *
 * @module
 */
import { readDecisionText } from '../../model/decision/decision-text.ts';
import { decisionSchema, type Decision } from '../../model/decision/decision.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { planGraph, type Plan } from '../../model/plan/plan.ts';
import { byName } from '../../model/values/by-name.ts';
import { reach } from '../../model/values/graph.ts';
import { toJson } from '../../model/values/json.ts';
import { elided, TEXT_LIMITS } from '../../model/values/text-limits.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { replySchema, type AnswerBody, type AnswerOptions, type Reply } from '../../projections/inbox/reply.ts';

/** A valid reply, with its decision parsed. */
export type AcceptedReply =
  | (Omit<Extract<Reply, { readonly type: 'decide' }>, 'decision'> & { readonly decision: Decision })
  | Exclude<Reply, { readonly type: 'decide' }>;

/**
 * Validates a decision on a phase or limit that waits for one.
 *
 * @param open The open items.
 * @param about Name of a phase or a limit.
 * @throws PhasegateError if nothing of that name waits for a decision, or the decision is invalid.
 */
export function validateDecision(
  plan: Plan,
  open: readonly InboxItem[],
  about: string,
  given: Decision | string,
): { readonly item: InboxItem; readonly decision: Decision } {
  const waiting = open.filter(({ kind }) => kind === 'escalation' || kind === 'limit');
  const item = waiting.find((one) => one.about === about);
  if (!item) throw notEscalated(about, new Set(waiting.map((one) => one.about)));
  return { item, decision: readDecision(plan, item, given) };
}

/**
 * Validates a reply to an open item. Schemas of tasks are not applied: the caller who has them does that.
 *
 * @throws PhasegateError `ANSWER_INVALID`, `DECISION_INVALID`, `DECISION_TARGET_INVALID`
 */
export function acceptReply(plan: Plan, item: InboxItem, given: unknown): AcceptedReply {
  const parsed = replySchema.safeParse(given);
  if (!parsed.success) throw answerInvalid(item, 'it is not a reply');
  const reply = parsed.data;
  switch (reply.type) {
    case 'abort':
      refuseLong(item, reply.reason);
      return reply;
    case 'skip':
      refuseLong(item, reply.reason);
      if (item.kind !== 'escalation') throw answerInvalid(item, 'only a phase that waits can be skipped');
      return reply;
    case 'value':
      if (item.kind !== 'task') throw answerInvalid(item, 'it asks for a decision');
      return { type: 'value', value: readValue(item, reply.value) };
    case 'decide': {
      if (item.kind === 'task') throw answerInvalid(item, 'it asks for a value and not for a decision');
      const decision = readDecision(plan, item, reply.decision, reply.outputs !== undefined);
      if (reply.outputs === undefined) return { type: 'decide', decision };
      return { type: 'decide', decision, outputs: readOutputs(plan, item, decision, reply.outputs) };
    }
  }
}

/** @throws PhasegateError `ANSWER_STALE` if the given nonce is not that of the item. */
export function checkNonce({ id, nonce }: InboxItem, given: string | undefined): void {
  if (given === undefined || given === nonce) return;
  throw new PhasegateError('ANSWER_STALE', `Cannot answer item ${id} as the nonce is not that of the item`, {
    hint: 'Read the item again: it may have been asked again meanwhile.',
  });
}

/** @param why The defect of the answer. */
export function answerInvalid(item: InboxItem, why: string): PhasegateError {
  return new PhasegateError('ANSWER_INVALID', `Cannot answer item ${item.id} as ${why}`, {
    hint: `It stays open. It asks: ${item.reason}`,
  });
}

/** The problem of an error in one line, without its hint. */
export function problemIn({ message, hint }: PhasegateError): string {
  const end = message.lastIndexOf(hint === undefined ? '\nDocs: ' : `\n${hint}\n`);
  return (end === -1 ? message : message.slice(0, end))
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}

/** The output of a task that is a person, or the verdict of a reviewer who is one. An approval may carry outputs. */
export function answerIn(reply: AcceptedReply): unknown {
  if (reply.type === 'value') return reply.value;
  if (reply.type !== 'decide') return undefined;
  return reply.outputs ? { ...reply.decision, outputs: reply.outputs } : reply.decision;
}

/** The body of the message that carries a reply. */
export function bodyOf(reply: AcceptedReply, { nonce }: AnswerOptions): AnswerBody {
  return nonce === undefined ? { reply } : { reply, nonce };
}

// --- internal ---

function readValue(item: InboxItem, value: unknown): unknown {
  const copy = readJson(item, value);
  if (item.choices && !item.choices.some((choice) => choice === copy))
    throw answerInvalid(item, `${JSON.stringify(copy)} is none of ${quoted(item.choices)}`);
  return copy;
}

function readJson(item: InboxItem, value: unknown): unknown {
  const copy = toJson(value);
  const length = copy.ok ? (JSON.stringify(copy.value)?.length ?? 0) : 0;
  if (length > TEXT_LIMITS.personValue)
    throw tooLong(item, 'it', `${length} characters of JSON`, TEXT_LIMITS.personValue);
  if (copy.ok) return copy.value;
  throw answerInvalid(item, `${copy.problem.path} is ${copy.problem.found}, which is not JSON`);
}

function readDecision(plan: Plan, item: InboxItem, given: Decision | string, edits = false): Decision {
  if (typeof given === 'string') refuseLong(item, given);
  const { about } = item;
  const phases = plan.phases.map(({ name }) => name);
  const read = typeof given === 'string' ? readDecisionText(given, { phases }) : { decision: given, isNameless: false };
  // A person can be asked again for the missing phase name.
  const decision = read.isNameless ? undefined : read.decision;
  const parsed = decisionSchema.safeParse(decision);
  if (!parsed.success || !mayAnswer(item, parsed.data)) throw decisionInvalid(item, given, parsed.data);
  refuseLong(item, parsed.data);
  if (parsed.data.type === 'approve' && item.empty && !edits) throw nothingToApprove(about);
  if (parsed.data.type === 'retryPredecessor') checkTarget(plan, item, parsed.data.phase);
  return parsed.data;
}

/** Refuses a reply with a text that is too long. @throws PhasegateError `ANSWER_INVALID` */
function refuseLong(item: InboxItem, given: unknown): void {
  if (typeof given === 'string' && given.length > TEXT_LIMITS.personText)
    throw tooLong(item, 'a text of it', `${given.length} characters`, TEXT_LIMITS.personText);
  if (typeof given === 'object' && given !== null) for (const part of Object.values(given)) refuseLong(item, part);
}

function tooLong(item: InboxItem, text: string, found: string, most: number): PhasegateError {
  return answerInvalid(item, `${text} has ${found}, and at most ${most} are allowed`);
}

/** Outputs that replace those of the phase. If the attempt has none, the reply must have one for every task. */
function readOutputs(
  plan: Plan,
  item: InboxItem,
  { type }: Decision,
  outputs: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (item.kind === 'limit' || type !== 'approve')
    throw answerInvalid(item, 'outputs go with an approval of a phase only');
  const phase = plan.phases.find(({ name }) => name === item.about);
  if (item.kind === 'review' && phase?.gate?.reviewers.length !== 1)
    throw answerInvalid(item, 'the other reviewers have not seen the outputs that it brings');
  const tasks = phase?.tasks.map(({ name }) => name) ?? [];
  const strange = Object.keys(outputs).find((name) => !tasks.includes(name));
  if (strange !== undefined) throw answerInvalid(item, `phase "${item.about}" has no task "${strange}"`);
  const missing = item.empty ? tasks.find((name) => !Object.hasOwn(outputs, name)) : undefined;
  if (missing !== undefined)
    throw answerInvalid(item, `the attempt has no outputs, and the reply lacks one for task "${missing}"`);
  return byName(Object.entries(outputs).map(([name, value]) => [name, readJson(item, value)]));
}

/**
 * True if the item accepts this type of decision. A phase that waits accepts all but `escalate`. A limit accepts `approve` and
 * `reject`. A person who is a reviewer may use every type.
 */
function mayAnswer({ kind }: InboxItem, { type }: Decision): boolean {
  if (kind === 'review') return true;
  return kind === 'limit' ? type === 'approve' || type === 'reject' : type !== 'escalate';
}

function notEscalated(about: string, open: ReadonlySet<string>): PhasegateError {
  const waiting = open.size === 0 ? 'Nothing waits for a decision now.' : `Waiting are ${quoted(open)}.`;
  return new PhasegateError('NOT_ESCALATED', `Cannot decide on "${about}" as it does not wait for a decision`, {
    hint: waiting,
  });
}

function nothingToApprove(about: string): PhasegateError {
  return new PhasegateError('DECISION_INVALID', `Cannot approve "${about}" as its attempt has no outputs`, {
    hint: 'Answer RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>.',
  });
}

/** The error for a text that is no decision, or a decision that the item does not accept. */
function decisionInvalid({ kind, about }: InboxItem, given: unknown, decision: Decision | undefined): PhasegateError {
  const text = typeof given === 'string' ? given : decision?.type;
  const shown =
    text !== undefined ? JSON.stringify(elided(text, LONGEST_SHOWN)) : given ? `this ${typeof given}` : String(given);
  return new PhasegateError(
    'DECISION_INVALID',
    `Cannot decide on "${about}" as ${shown} is not a decision that ${kind === 'limit' ? 'lifts or keeps a limit' : 'ends an escalation'}`,
    {
      hint: 'Answer APPROVE, RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>; for a limit, APPROVE or REJECT only.',
    },
  );
}

/**
 * Checks the target of a decision. A person may send back any ancestor. A reviewer may send back the targets of the gate only,
 * so that a mistake never approves.
 */
function checkTarget(plan: Plan, { kind, about }: InboxItem, target: string): void {
  const graph = planGraph(plan);
  const index = graph.indexOf.get(about);
  const above = index === undefined ? [] : [...reach(graph.before, index)].map((node) => graph.names[node] ?? '');
  const allowed = kind === 'review' && index !== undefined ? (plan.phases[index]?.gate?.targets ?? []) : above;
  if (allowed.includes(target)) return;
  const [hint, why] =
    allowed === above
      ? [above.length === 0 ? `"${about}" has no predecessors.` : `Upstream are ${quoted(above)}.`, 'not upstream']
      : [`The gate may send back ${allowed.length === 0 ? 'none' : quoted(allowed)}.`, 'not a target of its gate'];
  throw new PhasegateError('DECISION_TARGET_INVALID', `Cannot send back "${target}" from "${about}" as it is ${why}`, {
    hint,
  });
}

/** Most characters of an answer in an error. */
const LONGEST_SHOWN = 200;

function quoted(names: Iterable<string>): string {
  return [...names].map((name) => `"${name}"`).join(', ');
}
