/**
 * Words for answers that were given and that no process has taken yet.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { answeredBy } from '../../projections/wording/item-words.ts';
import type { GivenAnswer } from '../../store/pending-answers.ts';
import type { Lease } from '../../store/port.ts';
import { withLiveness } from '../options/run-owner.ts';
import { storeArgument, type OpenStore } from '../options/store-option.ts';
import { oneLine } from '../terminal/text.ts';

/** That there is an answer, in words. */
export function givenText(answer: GivenAnswer): string {
  return oneLine(answeredBy(answer));
}

/** Who can take an answer to a run now; `undefined` where nobody works on it. */
export async function workerOn({ store }: Pick<OpenStore, 'store'>, runId: string): Promise<Lease | undefined> {
  const run = await store.run(runId);
  return run && withLiveness(run).lease;
}

/** What an answer waits for. @param worker Who works on the run. */
export function takenText(kept: OpenStore, runId: string, worker: Lease | undefined): string {
  return worker
    ? `${oneLine(worker.holder)} works on the run and has not taken it yet`
    : `it is taken when the run goes on: phasegate resume ${oneLine(runId)}${storeArgument(kept)}`;
}

/** The error for who wanted to answer an item that has an answer. */
export async function hasAnswer(
  kept: OpenStore,
  { id, runId }: InboxItem,
  { by }: GivenAnswer,
): Promise<PhasegateError> {
  const who = by === '' ? '' : `, by ${oneLine(by)}`;
  const waits = takenText(kept, runId, await workerOn(kept, runId));
  return new PhasegateError('ANSWERED', `Cannot answer item ${id} as it has an answer already${who}`, {
    hint: `An item takes one answer; ${waits}`,
  });
}
