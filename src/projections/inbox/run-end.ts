/**
 * The end of a run that an answer would cause.
 *
 * @module
 */
import type { RunStatus } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { reach, type Graph } from '../../model/values/graph.ts';
import type { PhaseStatus, RunSnapshot } from '../run/run-result.ts';

/** The effect of an answer on its run. */
export interface RunEnd {
  /** `may end`: it depends on others, such as the gate of the phase, and the run then ends with `endsAs`. */
  readonly run: 'ends' | 'may end' | 'goes on';
  /** The status with which the run ends; absent if it goes on. */
  readonly endsAs?: RunStatus | undefined;
}

/** A phase that waits for an answer, and its run. */
export interface Waiting {
  readonly plan: Plan;
  readonly graph: Graph;
  readonly snapshot: RunSnapshot;
  /** The index of the phase. */
  readonly index: number;
}

/** The run goes on. */
export const GOES_ON: RunEnd = { run: 'goes on' };

/** Returns the effect of an approval: the run ends if no other phase is left. */
export function afterApproval(waiting: Waiting): RunEnd {
  return isLeft(waiting, []) ? GOES_ON : { run: 'ends', endsAs: worstIn(waiting.snapshot, []) };
}

/** Returns the effect of leaving out the phase, with every phase that needs it. */
export function afterSkip(waiting: Waiting): RunEnd {
  const dependants = dependantsOf(waiting);
  return isLeft(waiting, dependants)
    ? GOES_ON
    : { run: 'ends', endsAs: worstIn(waiting.snapshot, ends(waiting, dependants)) };
}

/** Returns the effect of a rejection. It ends the run at once, unless the pipeline continues after failures. */
export function afterRejection(waiting: Waiting): RunEnd {
  const { plan, snapshot } = waiting;
  if (plan.onFailure === 'halt') return { run: 'ends', endsAs: worstIn(snapshot, ['rejected']) };
  const dependants = dependantsOf(waiting);
  if (isLeft(waiting, dependants)) return GOES_ON;
  return { run: 'ends', endsAs: worstIn(snapshot, ['rejected', ...ends(waiting, dependants)]) };
}

/** Returns the effect of a correction that a gate makes: it may exceed the limit of the run. A person's correction never does. */
export function afterCorrection({ plan, snapshot }: Pick<Waiting, 'plan' | 'snapshot'>): RunEnd {
  const { corrections = Infinity } = plan.limits;
  const isSpent = snapshot.metrics.corrections + 1 > corrections;
  return isSpent && plan.onLimit === 'stop' ? { run: 'may end', endsAs: 'exhausted' } : GOES_ON;
}

/** Makes an effect depend on the decision of others. */
export function ifAgreed(end: RunEnd): RunEnd {
  return end.run === 'ends' ? { ...end, run: 'may end' } : end;
}

// --- internal ---

/** Phases that still have to do something. */
const OPEN: ReadonlySet<PhaseStatus> = new Set([
  'pending',
  'running',
  'reviewing',
  'retrying',
  'rewinding',
  'escalated',
]);

function dependantsOf({ graph, index }: Waiting): readonly string[] {
  return [...reach(graph.next, index)].map((one) => graph.names[one] ?? '');
}

/** True if a phase is left that goes on, apart from the waiting phase and some others. */
function isLeft({ graph, snapshot, index }: Waiting, others: readonly string[]): boolean {
  const out = new Set([...others, graph.names[index]]);
  return graph.names.some((name) => !out.has(name) && OPEN.has(statusOf(snapshot, name)));
}

/** A phase that waits for the rework of another, fails if that ends without approval. */
function ends({ snapshot }: Waiting, dependants: readonly string[]): readonly RunStatus[] {
  return dependants.some((name) => statusOf(snapshot, name) === 'rewinding') ? ['failed'] : [];
}

function worstIn({ phases }: RunSnapshot, more: readonly RunStatus[]): RunStatus {
  const all: readonly string[] = [...Object.values(phases).map(({ status }) => status), ...more];
  if (all.includes('failed')) return 'failed';
  return all.includes('rejected') ? 'rejected' : 'completed';
}

function statusOf({ phases }: RunSnapshot, name: string): PhaseStatus {
  return phases[name]?.status ?? 'pending';
}
