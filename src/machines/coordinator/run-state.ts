/**
 * What the pipeline machine keeps beside its context: one entry per phase that has begun, the ledger, the queue.
 *
 * It lives outside of XState's context because XState copies context and children on every event, which makes a run
 * quadratic in its phases; so it is made anew by whoever starts a run, and is no part of a snapshot.
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
import { moveTo, newPhaseState, type Lifecycle, type PhaseActor, type PhaseState } from './phase-state.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import type { TimeLimits } from './time-limits.ts';
import type { Unchanged } from './unchanged.ts';

export type { PhaseActor, PhaseState } from './phase-state.ts';

/** What the pipeline machine is started with. JSON. */
export interface PipelineInput {
  readonly run: string;
  readonly plan: Plan;
  readonly input?: unknown;
  /** The input before its schema has changed it, for a run that is kept. */
  readonly given?: GivenInput | undefined;
  /** Whether a person can be reached when a review cannot be had; who resumes the run may change it. @default false */
  readonly attended?: boolean | undefined;
  /** Whether the run is kept in a store: then a gate that names a queue reaches a person there. @default false */
  readonly kept?: boolean | undefined;
  /** Whose memory the run shares; absent where it shares none. */
  readonly memory?: string | undefined;
  /** The edition of the rules that the run goes by: the one that it began with. @default the latest */
  readonly edition?: number | undefined;
  /** Which events the actor that has invoked or spawned the pipeline gets, each with the id of the run. @default 'waits' */
  readonly upward?: Upward | undefined;
  /** Whether nothing is emitted, as `listenTo` has the events handed to a function. @default false */
  readonly quiet?: boolean | undefined;
}

/** How a run ended. */
export interface PipelineOutput {
  readonly status: RunStatus;
  readonly reason?: string | undefined;
  readonly limit?: LimitName | undefined;
  /** Committed outputs, by phase, then task. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** How the board reaches the world; the pipeline machine supplies it. */
export interface CoordinatorPorts {
  /** Makes the actor of a phase, which is started when its entry knows it. */
  spawn(input: PhaseInput): PhaseActor;
  /** Has the events in the outbox published, outside of a transition of the machine. */
  publish(): void;
  /** Calls back as soon as what goes on now is over. */
  later(job: (state: RunState) => void): void;
  /** Calls back when work that was stopped is at rest, or is not waited for any more. */
  atRest(job: () => void): void;
  /** Tells the pipeline machine that its run is over. */
  settle(): void;
}

/** The bookkeeping of a run. */
export interface RunState extends PipelineInput {
  /** With other limits while the time before a run was tried again is told. */
  plan: Plan;
  readonly edition: number;
  attended: boolean;
  kept: boolean | undefined;
  /** What the journal has of the start beside: how the run was forked, if its input was masked. */
  marks: Pick<EventOf<'run.started'>, 'forked' | 'masked'>;
  /** Others while a journal is replayed. */
  ports: CoordinatorPorts;
  readonly graph: Graph;
  readonly readiness: Readiness;
  readonly ledger: Ledger;
  readonly phases: Map<number, PhaseState>;
  /** Phases that may go on as soon as there is room, oldest first. */
  readonly queue: Queue;
  /** Events to be emitted by the machine, oldest first. */
  readonly outbox: RunEvent[];
  /** Limits that hold the run until a person lifts them. */
  readonly blockingLimits: LimitName[];
  /** Limits that a person has lifted. */
  readonly liftedLimits: LimitName[];
  /** Phases whose latest attempts put out what was sent back, by name. */
  readonly unchanged: Map<string, Unchanged>;
  readonly usage: { corrections: number; costUsd: number; tokens: number };
  /** Whether a report is being heeded right now. */
  isHandlingReport: boolean;
  /** Whether queued phases are about to be started. */
  isStartDue: boolean;
  activeCount: number;
  /** Phases in the queue that count as working, as they keep their place. */
  queuedWithSlot: number;
  liveCount: number;
  ended: Omit<EventOf<'run.ended'>, 'type'> | undefined;
  /** Whether the run has said that it has ended, so that nothing follows. */
  isClosed: boolean;
  /** The worst end of any phase so far. */
  worstStatus: RunStatus;
  /** Where tries ask for what they may use; set where limits bound that, and the run is not just told again. */
  quota: Quota | undefined;
  /** Timers; set where limits bound time, and the run is not just told again. */
  timeLimits: TimeLimits | undefined;
  /** Work that was stopped and is not at rest; set where the run is not just told again. */
  stragglers: Stragglers | undefined;
}

/** An empty board at the start of a run. */
export function createRunState(input: PipelineInput, ports: CoordinatorPorts): RunState {
  const graph = planGraph(input.plan);
  return {
    run: input.run,
    plan: input.plan,
    input: input.input ?? null,
    given: input.given,
    attended: input.attended ?? false,
    kept: input.kept,
    marks: {},
    memory: input.memory,
    edition: input.edition ?? EDITION,
    ports,
    graph,
    readiness: createReadiness(graph),
    ledger: createLedger(graph),
    phases: new Map(),
    queue: createQueue(),
    outbox: [],
    blockingLimits: [],
    liftedLimits: [],
    unchanged: new Map(),
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

/** The entry of a phase, made when it is first needed. */
export function phaseAt(state: RunState, index: number): PhaseState {
  const known = state.phases.get(index);
  if (known) return known;
  const phase = state.plan.phases[index];
  if (!phase) throw new RangeError(`No phase has index ${index}`);
  const entry = newPhaseState(index, phase);
  state.phases.set(index, entry);
  return entry;
}

/** The entry of a phase by name; `undefined` where the run has no such phase. */
export function phaseNamed(state: RunState, name: string): PhaseState | undefined {
  const index = state.graph.indexOf.get(name);
  return index === undefined ? undefined : phaseAt(state, index);
}

/** Queues phases that may go on. One that works or waits for a person has no place in the queue, but in the first edition. */
export function enqueue(state: RunState, phases: readonly number[]): void {
  for (const phase of phases) {
    const entry = phaseAt(state, phase);
    if (!mayBegin(entry) && entry.lifecycle !== 'retrying' && !isFirstEdition(state)) continue;
    if (!entry.isQueued) push(state.queue, phase);
    markQueued(state, entry);
  }
}

/** A phase that works, waits for a person, or has ended is not begun, even if an ancestor of it has changed. */
export function mayBegin({ lifecycle }: PhaseState): boolean {
  return lifecycle === 'pending' || lifecycle === 'rewinding';
}

/** Queues a phase before all others. */
export function enqueueFirst(state: RunState, entry: PhaseState): void {
  if (!entry.isQueued) pushFirst(state.queue, entry.index);
  markQueued(state, entry);
}

/** Takes the first phase from the queue: of all, or where there is no room of those that have a place. */
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

/** A live phase stops working, and leaves its place to another. */
export function releaseSlot(state: RunState, entry: PhaseState): void {
  if (entry.holdsSlot) state.activeCount -= 1;
  if (entry.holdsSlot && entry.isQueued) state.queuedWithSlot -= 1;
  entry.holdsSlot = false;
}

/** A live phase is live no more. Its actor has ended, or is told to. */
export function closePhase(state: RunState, entry: PhaseState, next: Lifecycle): void {
  const { actor } = entry;
  releaseSlot(state, entry);
  if (actor) state.liveCount -= 1;
  entry.actor = undefined;
  moveTo(entry, next);
  if (next !== 'approved' && next !== 'rejected' && next !== 'failed') actor?.send({ type: 'cancel' });
}

/** Whether a person decides where a review of a phase cannot be had. */
export function reachesPerson({ attended, kept }: RunState, { gate }: PhasePlan): boolean {
  const asks = gate?.inbox.queue !== undefined || gate?.onReviewUnavailable === 'escalate';
  return attended || (kept === true && asks);
}

/** How a run ended, with the outputs of its approved phases. */
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
