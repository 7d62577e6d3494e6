/**
 * The state of a run outside of the context of its machine: phases that have begun, the ledger, the queue.
 *
 * XState copies context and children on every event, which would make a run quadratic in its phases. So this state is created by the
 * start of a run, and is no part of a snapshot.
 *
 * @module
 */
import type { EventOf, GivenInput, RunEvent, RunStatus } from '../../model/events/event.ts';
import { createLedger, currentCommit, type Ledger } from '../../model/ledger/ledger.ts';
import { EDITION, isFirstEdition } from '../../model/plan/edition.ts';
import { planGraph, type PhasePlan, type Plan } from '../../model/plan/plan.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import { byName } from '../../model/values/by-name.ts';
import type { Graph } from '../../model/values/graph.ts';
import type { PhaseInput } from '../phase/phase-context.ts';
import type { Quota } from '../phase/quota-port.ts';
import type { Stragglers } from '../phase/stragglers.ts';
import { createQueue, push, pushFirst, take, takeWhere, type Queue } from './fifo.ts';
import type { Upward } from './parent-events.ts';
import { moveTo, newPhaseState, NONE, type Lifecycle, type PhaseActor, type PhaseState } from './phase-state.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import type { TimeLimits } from './time-limits.ts';
import type { Unchanged } from './unchanged.ts';

export type { PhaseActor, PhaseState } from './phase-state.ts';

/** Input of the pipeline machine. JSON. */
export interface PipelineInput {
  readonly run: string;
  readonly plan: Plan;
  readonly input?: unknown;
  /** The input before its schema has changed it, for a run with a store. */
  readonly given?: GivenInput | undefined;
  /** True if a person can be asked when a review is unavailable. A resume may change it. @default false */
  readonly attended?: boolean | undefined;
  /** True if the run has a store: then a gate that names a queue reaches a person there. @default false */
  readonly kept?: boolean | undefined;
  /** The scope of the memory that the run shares; absent if it shares none. */
  readonly memory?: string | undefined;
  /** Words by which people find the run; absent if there are none. */
  readonly tags?: readonly string[] | undefined;
  /** The edition of the rules that the run goes by: the one that it began with. @default the latest */
  readonly edition?: number | undefined;
  /** Events that the parent of the pipeline gets, each with the id of the run. @default 'waits' */
  readonly upward?: Upward | undefined;
}

/** The end of a run. */
export interface PipelineOutput {
  readonly status: RunStatus;
  readonly reason?: string | undefined;
  readonly limit?: LimitName | undefined;
  /** Committed outputs, by phase, then task. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Ports of the coordinator; the pipeline machine supplies them. */
export interface CoordinatorPorts {
  /** Creates the actor of a phase. The coordinator starts it. */
  spawn(input: PhaseInput): PhaseActor;
  /** Publishes the events of the outbox, outside of a transition of the machine. */
  publish(): void;
  /** Calls back after the current step. */
  later(job: (state: RunState) => void): void;
  /** Calls back when stopped work has ended, or is no longer waited for. */
  atRest(job: () => void): void;
  /** Ends the pipeline machine. */
  settle(): void;
}

/** The state of a run. */
export interface RunState extends PipelineInput {
  /** During replay of an earlier try of the run: with the limits of that try. */
  plan: Plan;
  readonly edition: number;
  attended: boolean;
  kept: boolean | undefined;
  /** Marks of the first record: the fork that the run began with, and a masked input. */
  marks: Pick<EventOf<'run.started'>, 'forked' | 'masked' | 'redacted'> | undefined;
  /** Replay has its own. */
  ports: CoordinatorPorts;
  readonly graph: Graph;
  readonly readiness: Readiness;
  readonly ledger: Ledger;
  readonly phases: Map<number, PhaseState>;
  /** Phases that start as soon as there is room, oldest first. */
  readonly queue: Queue;
  /** Events to be emitted by the machine, oldest first. */
  readonly outbox: RunEvent[];
  /** Limits that block the run until a person lifts them. */
  blockingLimits: readonly LimitName[];
  /** Limits that a person has lifted. */
  liftedLimits: readonly LimitName[];
  /** Phases whose latest attempts had the outputs that were sent back, by name. Created with the first. */
  unchanged: Map<string, Unchanged> | undefined;
  readonly usage: { corrections: number; costUsd: number; tokens: number };
  /** True while a report is handled. */
  isHandlingReport: boolean;
  /** True if queued phases are about to start. */
  isStartDue: boolean;
  activeCount: number;
  /** Number of phases in the queue that keep their slot, and so count as working. */
  queuedWithSlot: number;
  liveCount: number;
  ended: Omit<EventOf<'run.ended'>, 'type'> | undefined;
  /** True after `run.ended` is recorded. */
  isClosed: boolean;
  /** The worst end of any phase so far. */
  worstStatus: RunStatus;
  /** The quota that tries ask; absent without limits of usage or time, and during replay. */
  quota: Quota | undefined;
  /** Timers; absent without limits of time, and during replay. */
  timeLimits: TimeLimits | undefined;
  /** Stopped work that has not ended; absent during replay. */
  stragglers: Stragglers | undefined;
}

/** Creates the state of a run that begins. */
export function createRunState(input: PipelineInput, ports: CoordinatorPorts): RunState {
  const graph = planGraph(input.plan);
  return {
    run: input.run,
    plan: input.plan,
    input: input.input ?? null,
    given: input.given,
    attended: input.attended ?? false,
    kept: input.kept,
    marks: undefined,
    memory: input.memory,
    tags: input.tags,
    upward: input.upward,
    edition: input.edition ?? EDITION,
    ports,
    graph,
    readiness: createReadiness(graph),
    ledger: createLedger(graph),
    phases: new Map(),
    queue: createQueue(),
    outbox: [],
    blockingLimits: NONE,
    liftedLimits: NONE,
    unchanged: undefined,
    usage: { corrections: 0, costUsd: 0, tokens: 0 },
    isHandlingReport: false,
    isStartDue: false,
    activeCount: 0,
    queuedWithSlot: 0,
    liveCount: 0,
    ended: undefined,
    isClosed: false,
    worstStatus: 'completed',
    quota: undefined,
    timeLimits: undefined,
    stragglers: undefined,
  };
}

/** Returns the state of a phase, and creates it on the first call. */
export function phaseAt(state: RunState, index: number): PhaseState {
  const known = state.phases.get(index);
  if (known) return known;
  const phase = state.plan.phases[index];
  if (!phase) throw new RangeError(`No phase has index ${index}`);
  const entry = newPhaseState(index, phase);
  state.phases.set(index, entry);
  return entry;
}

/** Returns the state of a phase by name; `undefined` if the run has no such phase. */
export function phaseNamed(state: RunState, name: string): PhaseState | undefined {
  const index = state.graph.indexOf.get(name);
  return index === undefined ? undefined : phaseAt(state, index);
}

/** Queues phases that may start. One that works or waits for a person is not queued, except in the first edition. */
export function enqueue(state: RunState, phases: readonly number[]): void {
  for (const phase of phases) {
    const entry = phaseAt(state, phase);
    if (!mayBegin(entry) && entry.lifecycle !== 'retrying' && !isFirstEdition(state)) continue;
    if (!entry.isQueued) push(state.queue, phase);
    markQueued(state, entry);
  }
}

/** True for a phase that has not begun, or waits to start again. */
export function mayBegin({ lifecycle }: PhaseState): boolean {
  return lifecycle === 'pending' || lifecycle === 'rewinding';
}

/** Queues a phase before all others. */
export function enqueueFirst(state: RunState, entry: PhaseState): void {
  if (!entry.isQueued) pushFirst(state.queue, entry.index);
  markQueued(state, entry);
}

/** Takes the first phase from the queue. Without room, takes the first one that has a slot. */
export function dequeue(state: RunState, room: boolean): PhaseState | undefined {
  if (!room && state.queuedWithSlot === 0) return undefined;
  const { queue, phases } = state;
  const next = room ? take(queue) : takeWhere(queue, (phase) => phases.get(phase)?.holdsSlot === true);
  if (next === undefined) return undefined;
  const entry = phaseAt(state, next);
  entry.isQueued = false;
  if (entry.holdsSlot) state.queuedWithSlot -= 1;
  return entry;
}

/** Releases the slot of a live phase. */
export function releaseSlot(state: RunState, entry: PhaseState): void {
  if (entry.holdsSlot) state.activeCount -= 1;
  if (entry.holdsSlot && entry.isQueued) state.queuedWithSlot -= 1;
  entry.holdsSlot = false;
}

/** Closes a phase. Its actor has ended, or is cancelled. */
export function closePhase(state: RunState, entry: PhaseState, next: Lifecycle): void {
  const { actor } = entry;
  releaseSlot(state, entry);
  if (actor) state.liveCount -= 1;
  entry.actor = undefined;
  moveTo(entry, next);
  if (next !== 'approved' && next !== 'rejected' && next !== 'failed') actor?.send({ type: 'cancel' });
}

/** True if a person decides when a review of the phase is unavailable. */
export function reachesPerson({ attended, kept }: RunState, { gate }: PhasePlan): boolean {
  if (attended || kept !== true) return attended;
  return gate?.inbox.queue !== undefined || gate?.onReviewUnavailable === 'escalate';
}

/** Returns the end of a run, with the outputs of its approved phases. */
export function endOf(state: RunState): PipelineOutput {
  const { status, reason, limit } = state.ended ?? { status: 'failed' };
  const outputs = byName<Readonly<Record<string, unknown>>>();
  for (const [index, entry] of state.phases) {
    const commit =
      entry.lifecycle === 'approved' ? currentCommit(state.ledger, state.graph.names[index] ?? '') : undefined;
    if (commit) outputs[entry.phase.name] = commit.outputs;
  }
  return { status, reason, limit, outputs };
}

// --- internal ---

function markQueued(state: RunState, entry: PhaseState): void {
  if (!entry.isQueued && entry.holdsSlot) state.queuedWithSlot += 1;
  entry.isQueued = true;
}
