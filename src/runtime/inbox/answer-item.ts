/**
 * Answers from outside the process of a run, also while no process works on it.
 *
 * @module
 */
import { definitionOf } from '../../model/events/run-definition.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import type { AnswerOptions, Reply } from '../../projections/inbox/reply.ts';
import type { RunStore } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { answered, itemUnknown } from '../../store/refusals.ts';
import { patientStore } from '../records/patient-store.ts';
import { acceptReply, checkNonce } from './validate-reply.ts';

/**
 * Answers an item of the inbox of any run in a store. The process that works on the run applies the answer within a quarter of
 * a second. If there is none, the answer is applied when the run is resumed.
 *
 * It resolves once the answer has the only place for an answer to the item. Some checks only the run can make, such as the
 * schema of a task. If such a check fails, the run records the item as refused and opens it again.
 *
 * @throws PhasegateError `ITEM_UNKNOWN`, `ANSWERED` if it has an answer or is closed, `ANSWER_STALE`, `ANSWER_INVALID`,
 *   `DECISION_INVALID`, `DECISION_TARGET_INVALID`. Then nothing changes.
 *
 * @example
 * ```ts
 * const [item] = await store.inbox({ open: true });
 * await answerItem(store, item.id, { type: 'decide', decision: 'APPROVE' }, { nonce: item.nonce, by: 'ada' });
 * ```
 */
export async function answerItem(
  given: RunStore,
  id: string,
  reply: Reply,
  { nonce, by = '' }: AnswerOptions = {},
): Promise<void> {
  const store = patientStore(given);
  const stored = await store.item(id);
  if (!stored) throw itemUnknown('answer', id.replace(/:[^:]*$/u, ''), id);
  const { runId } = stored;
  const records = await readRun(store, runId);
  const inbox = foldInbox();
  for (const record of records) inbox.apply(record);
  const item = inbox.open().find((one) => one.id === id);
  if (!item) throw answered(id, stored.outcome ?? 'the run has ended');
  checkNonce(item, nonce);
  const first = records[0]?.event;
  if (first?.type !== 'run.started') throw new RangeError('A run that has an item has begun');
  const accepted = acceptReply(definitionOf(records, first).plan, item, reply);
  const body = nonce === undefined ? { reply: accepted } : { reply: accepted, nonce };
  await store.post({ runId, kind: 'answer', item: id, body, by, time: Date.now() });
}
