/**
 * The inbox, and answers to it.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { hasCode, type PhasegateError } from '../model/errors/phasegate-error.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import { rootOf } from '../runtime/child-ids.ts';
import { answerItem } from '../runtime/inbox/answer-item.ts';
import { withLiveness } from '../store/lease-holder.ts';
import { detailOf, withAnswer, withAnswers } from '../store/pending-answers.ts';
import { answered, itemUnknown } from '../store/refusals.ts';
import type { Answered, AnswerRequest, UiItem, UiItemDetail } from './api.ts';
import { refused, RequestRefused } from './http/error-response.ts';
import type { RunActions } from './run-actions.ts';
import { findRun, findUiRun } from './runs.ts';
import type { RequestContext, ServerContext } from './server-context.ts';

/** Lists items, the oldest first. */
export async function listItems(
  { store }: ServerContext,
  { runId, all }: { readonly runId?: string | undefined; readonly all: boolean },
): Promise<readonly UiItem[]> {
  return withAnswers(store, await store.inbox({ runId, open: all ? undefined : true }));
}

/** Reads an item in full. @throws PhasegateError `ITEM_UNKNOWN` */
export async function itemInFull(context: RequestContext, id: string): Promise<UiItemDetail> {
  const item = await withAnswer(context.store, await findItem(context, id, 'show'));
  const { changes: _changes, ...detail } = await detailOf(context.store, item, { isPacked: true });
  const run = await findUiRun(context, item.runId);
  return { ...detail, item, run, mayAnswer: !context.readOnly && context.access.mayAnswer(item) };
}

/**
 * Stores an answer to an item, and then waits a moment for a process to take it.
 *
 * @throws PhasegateError As `answerItem` does. `ANSWERED` names who has answered; `REQUEST_REFUSED` if the user may not answer it.
 */
export async function answer(
  context: RequestContext,
  actions: RunActions,
  id: string,
  { nonce, reply }: AnswerRequest,
): Promise<Answered> {
  const item = await withAnswer(context.store, await findItem(context, id, 'answer'));
  if (!context.access.mayAnswer(item)) throw mayNot(item, context.access.user);
  if (item.answer) throw answeredBy(item);
  try {
    await answerItem(context.store, id, reply, { nonce, by: context.access.user });
  } catch (thrown) {
    if (!hasCode(thrown, 'ANSWERED')) throw thrown;
    // Another answer came first.
    const now = await withAnswer(context.store, await findItem(context, id, 'answer'));
    throw now.answer || now.closedAt !== undefined ? answeredBy(now) : thrown;
  }
  return waitForOutcome(context, actions, item);
}

// --- internal ---

/** Milliseconds that the process of the run gets to take the answer, and between polls. */
const PATIENCE_MS = 3000;
const POLL_MS = 50;

async function findItem({ store }: ServerContext, id: string, action: 'show' | 'answer'): Promise<InboxItem> {
  const item = await store.item(id);
  if (item) return item;
  throw itemUnknown(action, id.replace(/:[^:]*$/u, ''), id);
}

function mayNot({ id }: InboxItem, user: string): RequestRefused {
  const problem = `Cannot answer item ${id} as its application does not let this user: ${JSON.stringify(user)}`;
  return new RequestRefused(403, problem, 'Ask somebody who may answer it.');
}

function answeredBy({ id, answer: given, closedAt, outcome, who }: UiItem): PhasegateError {
  return answered(id, closedAt === undefined ? undefined : (outcome ?? 'no outcome'), given?.by ?? who);
}

async function waitForOutcome(
  context: RequestContext,
  actions: RunActions,
  { id, runId }: InboxItem,
): Promise<Answered> {
  for (let left = PATIENCE_MS; ; left -= POLL_MS) {
    // Before the item: a process takes the answers before it releases the run.
    const run = await findRun(context, runId);
    const item = await context.store.item(id);
    if (item?.closedAt !== undefined) return { state: 'taken', outcome: item.outcome };
    // A process that hangs takes the answer later. Its run must not be resumed elsewhere.
    const { lease } = withLiveness(run, context.isAlive);
    const isWorkedOn = lease !== undefined;
    if (!isWorkedOn && !context.actions) return { state: 'kept' };
    if (!isWorkedOn) {
      try {
        // A run that a task has started is resumed by its parent.
        const root = await rootOf(context.store, runId);
        const state = await actions.continueRun('resume', root === runId ? run : await findRun(context, root));
        return { state: state === 'begun' ? 'resumed' : state };
      } catch (thrown) {
        // The answer is stored, whatever happens to the run.
        const { error } = refused(thrown).body;
        if (error.code !== 'RUN_LEASED') return { state: 'kept', problem: error };
      }
    }
    if (left <= 0 || context.closing.aborted) return { state: 'waiting' };
    await setTimeout(POLL_MS);
  }
}
