/**
 * What the pipeline machine keeps beside its context: one entry per phase that has begun, the ledger, the queue.
 *
 * It lives outside of XState's context because XState copies context and children on every event, which makes a run
 * quadratic in its phases; so it is made anew by whoever starts a run, and is no part of a snapshot.
 *
 * @module
 */
import { byName } from '../../model/values/by-name.ts';
import { createCourse, type Course } from './readiness.ts';
import type { EventOf, GivenInput, RunEvent, RunStatus } from '../../model/events/event.ts';
import type { Graph } from '../../model/values/graph.ts';
import { EDITION, isFirstEdition } from '../../model/plan/edition.ts';
import { createLedger, currentCommit, type Ledger } from '../../model/ledger/ledger.ts';
import { planGraph, type PhasePlan, type Plan } from '../../model/plan/plan.ts';
import type { LimitName } from '../../model/plan/policy.ts';
import { createQueue, push, pushFirst, take, takeWhere, type Queue } from './fifo.ts';
import { newEntry, type Entry, type PhaseActor, type Standing } from './phase-state.ts';
import type { PhaseInput } from '../phase/phase-context.ts';
import type { Stragglers } from '../phase/stragglers.ts';
import type { Till } from '../phase/quota-port.ts';
import type { Unchanged } from './unchanged.ts';
import type { TimeLimits } from './time-limits.ts';
import type { Upward } from './parent-events.ts';

export type { Entry, PhaseActor, Standing } from './phase-state.ts';

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
export interface BoardPorts {
  /** Makes the actor of a phase, which is started when its entry knows it. */
  spawn(input: PhaseInput): PhaseActor;
  /** Has the events in the outbox published, outside of a transition of the machine. */
  publish(): void;
  /** Calls back as soon as what goes on now is over. */
  later(job: (board: Board) => void): void;
  /** Calls back when work that was stopped is at rest, or is not waited for any more. */
  atRest(job: () => void): void;
  /** Tells the pipeline machine that its run is over. */
  settle(): void;
}

/** The bookkeeping of a run. */
export interface Board extends PipelineInput {
  /** With other limits while the time before a run was tried again is told. */
  plan: Plan;
  readonly edition: number;
  attended: boolean;
  kept: boolean | undefined;
  /** What the journal has of the start beside: how the run was forked, if its input was masked. */
  marks: Pick<EventOf<'run.started'>, 'forked' | 'masked'>;
  /** Others while a journal is replayed. */
  ports: BoardPorts;
  readonly graph: Graph;
  readonly course: Course;
  readonly ledger: Ledger;
  readonly entries: Map<number, Entry>;
  /** Phases that may go on as soon as there is room, oldest first. */
  readonly queue: Queue;
  /** Events to be emitted by the machine, oldest first. */
  readonly outbox: RunEvent[];
  /** Limits that hold the run until a person lifts them. */
  readonly held: LimitName[];
  /** Limits that a person has lifted. */
  readonly lifted: LimitName[];
  /** Phases whose latest attempts put out what was sent back, by name. */
  readonly unchanged: Map<string, Unchanged>;
  readonly used: { corrections: number; costUsd: number; tokens: number };
  /** Whether a report is being heeded right now. */
  busy: boolean;
  /** Whether queued phases are about to be started. */
  scheduled: boolean;
  working: number;
  /** Phases in the queue that count as working, as they keep their place. */
  keepers: number;
  live: number;
  ended: Omit<EventOf<'run.ended'>, 'type'> | undefined;
  /** Whether the run has said that it has ended, so that nothing follows. */
  closed: boolean;
  /** The worst end of any phase so far. */
  worst: RunStatus;
  /** Where tries ask for what they may use; set where limits bound that, and the run is not just told again. */
  till: Till | undefined;
  /** Timers; set where limits bound time, and the run is not just told again. */
  timeLimits: TimeLimits | undefined;
  /** Work that was stopped and is not at rest; set where the run is not just told again. */
  stragglers: Stragglers | undefined;
}

/** An empty board at the start of a run. */
export function createBoard(input: PipelineInput, ports: BoardPorts): Board {
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
    course: createCourse(graph),
    ledger: createLedger(graph),
    entries: new Map(),
    queue: createQueue(),
    outbox: [],
    held: [],
    lifted: [],
    unchanged: new Map(),
    used: { corrections: 0, costUsd: 0, tokens: 0 },
    busy: false,
    scheduled: false,
    working: 0,
    keepers: 0,
    live: 0,
    ended: undefined,
    closed: false,
    worst: 'completed',
    till: undefined,
    timeLimits: undefined,
    stragglers: undefined,
  };
}

/** The entry of a phase, made when it is first needed. */
export function entryAt(board: Board, index: number): Entry {
  const known = board.entries.get(index);
  if (known) return known;
  const phase = board.plan.phases[index];
  if (!phase) throw new RangeError(`No phase has index ${index}`);
  const entry = newEntry(index, phase);
  board.entries.set(index, entry);
  return entry;
}

/** The entry of a phase by name; `undefined` where the run has no such phase. */
export function entryNamed(board: Board, name: string): Entry | undefined {
  const index = board.graph.indexOf.get(name);
  return index === undefined ? undefined : entryAt(board, index);
}

/** Queues phases that may go on. One that works or waits for a person has no place in the queue, but in the first edition. */
export function enqueue(board: Board, phases: readonly number[]): void {
  for (const phase of phases) {
    const entry = entryAt(board, phase);
    if (!mayBegin(entry) && entry.parked !== 'retrying' && !isFirstEdition(board)) continue;
    if (!entry.queued) push(board.queue, phase);
    mark(board, entry);
  }
}

/** A phase that works, waits for a person, or has ended is not begun, even if an ancestor of it has changed. */
export function mayBegin({ standing, parked }: Entry): boolean {
  return standing === 'pending' || parked === 'rewinding';
}

/** Queues a phase before all others. */
export function enqueueFirst(board: Board, entry: Entry): void {
  if (!entry.queued) pushFirst(board.queue, entry.index);
  mark(board, entry);
}

/** Takes the first phase from the queue: of all, or where there is no room of those that have a place. */
export function dequeue(board: Board, room: boolean): Entry | undefined {
  if (!room && board.keepers === 0) return undefined;
  const { queue, entries } = board;
  const next = room ? take(queue) : takeWhere(queue, (phase) => entries.get(phase)?.holdsSlot === true);
  if (next === undefined) return undefined;
  const entry = entryAt(board, next);
  entry.queued = false;
  if (entry.holdsSlot) board.keepers -= 1;
  return entry;
}

/** A live phase stops working, and leaves its place to another. */
export function releaseSlot(board: Board, entry: Entry): void {
  if (entry.holdsSlot) board.working -= 1;
  if (entry.holdsSlot && entry.queued) board.keepers -= 1;
  entry.holdsSlot = false;
}

/** A live phase is live no more. Its actor has ended, or is told to. */
export function retire(board: Board, entry: Entry, standing: Standing): void {
  const { actor } = entry;
  releaseSlot(board, entry);
  if (actor) board.live -= 1;
  entry.actor = undefined;
  entry.parked = undefined;
  entry.standing = standing;
  if (standing !== 'approved' && standing !== 'rejected' && standing !== 'failed') actor?.send({ type: 'cancel' });
}

/** Whether a person decides where a review of a phase cannot be had. */
export function reachesPerson({ attended, kept }: Board, { gate }: PhasePlan): boolean {
  const asks = gate?.inbox.queue !== undefined || gate?.onReviewUnavailable === 'escalate';
  return attended || (kept === true && asks);
}

/** How a run ended, with the outputs of its approved phases. */
export function endOf(board: Board): PipelineOutput {
  const { status, reason, limit } = board.ended ?? { status: 'failed' };
  const outputs = byName<Readonly<Record<string, unknown>>>();
  for (const [index, entry] of board.entries) {
    const commit =
      entry.standing === 'approved' ? currentCommit(board.ledger, board.graph.names[index] ?? '') : undefined;
    if (commit) outputs[entry.phase.name] = commit.outputs;
  }
  return { status, reason, limit, outputs };
}

// --- internal ---

function mark(board: Board, entry: Entry): void {
  if (!entry.queued && entry.holdsSlot) board.keepers += 1;
  entry.queued = true;
}
