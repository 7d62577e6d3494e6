/**
 * A session of work: one piece of outstanding work, done in this process, and the facts about it in batches.
 *
 * A session that has only people, or a long pause, to wait for parks: it ends without an outcome, and a later session goes on.
 *
 * @module
 */
import { ABORT_GRACE_MS } from '../../actors/work/work-scope.ts';
import type { WorkHost } from '../../actors/work/work-host.ts';
import type { Clock } from '../../machines/phase/clock.ts';
import type { WorkLogic, WorkOwner } from '../../machines/phase/ports.ts';
import { Stragglers } from '../../machines/phase/stragglers.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { errorInfo } from '../../model/errors/phasegate-error.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import type { PhaseReport, RunRecord } from '../../model/events/event.ts';
import { foldInbox } from '../../projections/inbox/inbox-fold.ts';
import { bindHumanWork, questionFields, type HumanRequest } from '../inbox/human-work.ts';
import { createQuestions } from '../inbox/open-questions.ts';
import { SHORT_MS } from '../inbox/suspend-waiting.ts';
import { portsOf } from '../machine-of.ts';
import { endOfTurn } from '../records/end-of-turn.ts';
import { notedInputs } from './noted-inputs.ts';
import type { OutstandingWork, WorkFact, WorkOutcome } from './outstanding-work.ts';
import { bindSessionChildren, type ChildHost, type WantedChild } from './session-children.ts';
import { createSessionRoom } from './session-room.ts';
import { systemClock } from './session-clock.ts';
import { sessionWork, type KeptAnswers } from './session-work.ts';
import type { WorkBatch, WorkSession } from './work-batch.ts';

/** Options of {@link beginWork}. */
export interface SessionOptions {
  readonly pipeline: Pick<Pipeline, 'work'>;
  readonly work: OutstandingWork;
  /** All records of the run. */
  readonly records: readonly RunRecord[];
  /** Answers of reviewers in an earlier session, which has parked. @default no session has parked */
  readonly kept?: KeptAnswers | undefined;
  /** The host of runs that tasks start. @default none: such tasks fail */
  readonly children?: ChildHost | undefined;
  /** @default the system's clock */
  readonly clock?: (Clock & { now(): number }) | undefined;
}

/** Begins a piece of outstanding work in this process. */
export function beginWork({
  pipeline,
  work,
  records,
  kept,
  children,
  clock = systemClock(),
}: SessionOptions): WorkSession {
  const { phase, type, progress } = work;
  const inbox = foldInbox();
  const questions = createQuestions(() => inbox.open());
  for (const record of records) questions.note(record.event, inbox.apply(record));
  const answers: Record<string, unknown> = { ...kept };
  const pauses = new Map<string, { readonly until: number; readonly isTask: boolean }>();
  for (const [task, ms] of Object.entries(progress?.waitMs ?? {}))
    if (ms > 0) pauses.set(task, { until: clock.now() + ms, isTask: true });
  let facts: WorkFact[] = [];
  let end: WorkBatch['end'];
  let wake: (() => void) | undefined;
  let active = 0;
  let asking = 0;
  let isQuiet = false;
  const wanted: string[] = [];
  let taken: { readonly index: number; readonly facts: readonly WorkFact[] } | undefined;
  let onRest: (() => void) | undefined;
  const room = work.isBounded ? createSessionRoom(tell) : undefined;
  const stragglers = new Stragglers({
    take: (late) => tell({ type: 'late', report: late }),
    later: (job) => queueMicrotask(job),
  });
  let current: { readonly index: number; readonly batch: Promise<WorkBatch> } | undefined;

  function tell(fact: WorkFact): void {
    if (end) return;
    facts.push(fact);
    wake?.();
  }

  function finish(last: NonNullable<WorkBatch['end']>): void {
    end ??= last;
    wake?.();
  }

  function quietly(run: () => void): void {
    isQuiet = true;
    run();
    isQuiet = false;
  }

  function report(one: PhaseReport): void {
    if (isQuiet) return;
    if (one.type === 'task.retrying') pauses.set(one.task, { until: clock.now() + one.delayMs, isTask: !one.reviewer });
    tell({ type: 'report', report: one });
    void parkIfIdle();
  }

  async function ask(request: HumanRequest): Promise<unknown> {
    asking += 1;
    const { context, reviewer, question } = request;
    const { phase: name, task, generation, attempt } = context;
    void parkIfIdle();
    try {
      return await questions.wait(request, () =>
        report({ type: 'task.asked', phase: name, generation, attempt, task, reviewer, ...questionFields(question) }),
      );
    } finally {
      asking -= 1;
      void parkIfIdle();
    }
  }

  /** Asks for a run. The session parks, and the task goes on in the one that has its end. */
  async function awaitChild(child: WantedChild, { signal }: TaskContext): Promise<never> {
    tell(child);
    wanted.push(child.id);
    asking += 1;
    void parkIfIdle();
    try {
      return await new Promise((_resolve, reject) => {
        if (signal.aborted) reject(new Error('The task was stopped.'));
        signal.addEventListener('abort', () => reject(new Error('The task was stopped.')), { once: true });
      });
    } finally {
      asking -= 1;
    }
  }

  /** Parks once nothing is active for a few turns, in which everything has begun that follows from what has ended. */
  async function parkIfIdle(): Promise<void> {
    for (let turn = 0; turn < QUIET_TURNS; turn++) {
      if (end || !isIdle()) return;
      await endOfTurn();
    }
    if (end || !isIdle()) return;
    const until = Math.min(...[...pauses.values()].map((pause) => pause.until));
    const rooms = room?.waiting() ?? [];
    const parked = { until: Number.isFinite(until) ? until : null, seen: records.at(-1)?.seq ?? 0, kept: answers };
    finish({
      type: 'parked',
      ...parked,
      ...(rooms.length > 0 && { rooms }),
      ...(wanted.length > 0 && { children: wanted }),
    });
    logic.stop();
  }

  function isIdle(): boolean {
    if (active > 0 || room?.isAsking()) return false;
    const paused = [...pauses.values()];
    if (paused.some(({ until, isTask }) => !isTask || until - clock.now() < SHORT_MS)) return false;
    return asking + paused.length + (room?.waiting().length ?? 0) > 0;
  }

  const host: WorkHost = {
    whenDurable: (go) => go(),
    count(by) {
      active += by;
      if (active > 0) return;
      onRest?.();
      void parkIfIdle();
    },
  };
  const own = sessionWork(pipeline.work, phase, kept ?? {}, {
    onBegin: (task) => pauses.delete(task),
    onAnswer: (reviewer, answer) => (answers[reviewer] = answer),
  });
  const { tasks } = work.context.origin.phase;
  const bound = children ? bindSessionChildren(own, phase, tasks, children, { want: awaitChild, quietly }) : own;
  const ports = portsOf(bindHumanWork(bound, ask), host);
  const inputs = notedInputs(work.context.inputs, (source) => tell({ type: 'read', source }));
  // A parked review has passed its checks.
  const review = type === 'review' && kept ? { ...work.context.review, checked: true } : work.context.review;
  const context = { ...work.context, inputs, review };

  function begin<O extends (WorkOutcome & { readonly type: 'done' })['outcome']>(port: WorkLogic<O>) {
    const owner: WorkOwner<O> = {
      clock,
      quota: room?.quota,
      stragglers,
      report,
      done: (outcome) => finish({ type: 'done', outcome }),
      failed: (error) => finish({ type: 'failed', error: errorInfo(error) }),
    };
    return port.begin(context, owner, progress);
  }
  const logic = type === 'attempt' ? begin(ports.attempt) : begin(ports.review);

  function isTelling(): boolean {
    return facts.length > 0 || end !== undefined;
  }

  async function take(index: number): Promise<WorkBatch> {
    while (!isTelling()) await new Promise<void>((resolve) => (wake = resolve));
    // Facts that follow at once go into the same batch.
    await endOfTurn();
    const told = facts;
    facts = [];
    taken = { index, facts: told };
    room?.noteTold();
    return end ? { facts: told, end } : { facts: told };
  }

  return {
    batch(index) {
      if (current?.index !== index) current = { index, batch: take(index) };
      return current.batch;
    },
    grant(step, granted) {
      room?.grant(step, granted);
      void parkIfIdle();
    },
    isWaiting: () => (room?.waiting().length ?? 0) > 0,
    stop: () => logic.stop(),
    async rest(told) {
      logic.stop();
      if (active > 0) {
        await new Promise<void>((resolve) => {
          onRest = resolve;
          clock.setTimeout(resolve, ABORT_GRACE_MS);
        });
      }
      // Late reports follow a turn later.
      await endOfTurn();
      return [...(taken && taken.index >= told ? taken.facts : []), ...facts];
    },
  };
}

// --- internal ---

const QUIET_TURNS = 3;
