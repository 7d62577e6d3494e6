/**
 * Texts about pending answers: given by a user, but not applied by the process that works on the run.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { answeredBy } from '../../projections/wording/item-words.ts';
import { rootOf } from '../../runtime/child-ids.ts';
import { hasWorker } from '../../runtime/workers/presence.ts';
import type { GivenAnswer } from '../../store/pending-answers.ts';
import type { Lease } from '../../store/port.ts';
import { deadlineOf } from './run-deadline.ts';
import { withLiveness } from '../options/run-owner.ts';
import { storeArgument, type OpenStore } from '../options/store-option.ts';
import { isPlaced } from '../terminal/program-io.ts';
import { argument, oneLine } from '../terminal/text.ts';

/** Describes a pending answer. */
export function givenText(answer: GivenAnswer): string {
  return oneLine(answeredBy(answer));
}

/**
 * Returns the lease of the process that works on a run and can apply an answer; `undefined` if there is none. A run that a task has
 * started is worked on by the process of its parent.
 */
export async function workerOn({ store }: Pick<OpenStore, 'store'>, runId: string): Promise<Lease | undefined> {
  for (const id of new Set([runId, await rootOf(store, runId)])) {
    const run = await store.run(id);
    const lease = run && withLiveness(run).lease;
    if (lease) return lease;
  }
  return undefined;
}

/** Describes what a pending answer waits for. @param worker The lease of the process that works on the run. */
export async function takenText(opened: OpenStore, runId: string, worker: Lease | undefined): Promise<string> {
  if (worker) return `${oneLine(worker.holder)} works on the run and has not applied it yet`;
  const deadline = await deadlineOf(opened.store, runId);
  if (deadline && deadline.at <= Date.now())
    return `it is not applied, as the deadline of run ${oneLine(deadline.runId)} has passed: the run ends when it resumes, unless limits.deadlineMs is raised`;
  const root = await rootOf(opened.store, runId);
  const run = await opened.store.run(root);
  if (run && (await hasWorker(opened.store, run))) return 'a worker takes it up';
  const store = storeArgument(opened);
  const source = run?.source;
  const found = source === undefined || isPlaced(source) ? '' : `, but ${oneLine(source)} is not there; name the file`;
  const [file, other] = isPlaced(source) ? [argument(source), ''] : ['<pipeline>', ' <pipeline>'];
  return `it is applied when the run resumes${found}: phasegate work ${file}${store}, or phasegate resume ${argument(root)}${other}${store}`;
}

/** Creates the error for an answer to an item that already has a pending answer. */
export async function hasAnswer(
  opened: OpenStore,
  { id, runId }: InboxItem,
  { by }: GivenAnswer,
): Promise<PhasegateError> {
  const who = by === '' ? '' : `, by ${oneLine(by)}`;
  const waits = await takenText(opened, runId, await workerOn(opened, runId));
  return new PhasegateError('ANSWERED', `Cannot answer item ${id} as it has an answer already${who}`, {
    hint: `An item takes one answer; ${waits}`,
  });
}
