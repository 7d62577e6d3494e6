/**
 * Replay of a journal: the state of a run as its records left it. No phase runs again; stubs repeat the reports of the journal.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { isSameEvent, shownEvent } from '../../model/events/event-equality.ts';
import type { EventOf, PhaseReport, RunEvent, RunRecord } from '../../model/events/event.ts';
import type { Redact } from '../../model/events/redact.ts';
import { limitsOfParts, withLimits } from '../../model/events/run-limits.ts';
import { ask } from '../../model/ledger/input-view.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Limits } from '../../model/plan/policy-schema.ts';
import { handleReport, recordRead } from '../coordinator/handle-report.ts';
import {
  createRunState,
  phaseNamed,
  type CoordinatorPorts,
  type PhaseState,
  type PipelineInput,
  type RunState,
} from '../coordinator/run-state.ts';
import { causeOf } from './event-cause.ts';
import { PhaseStub } from './phase-stub.ts';

/** A run as its journal left it. */
export interface Replayed {
  readonly state: RunState;
  /** The phases that are live, in the order in which they were last told to start, or to wait: so they answer. */
  readonly stubs: ReadonlyMap<PhaseState, PhaseStub>;
  /** What follows from the journal and is not in it, as it was cut off: to be published first. */
  readonly unrecorded: readonly RunEvent[];
  /** What was done to events before they became records. */
  readonly redact: Redact;
  /** What was about to be done. */
  readonly pending: ((state: RunState) => void) | undefined;
}

/** How faithfully a journal must be met. */
export interface ReplayOptions {
  /** Whether the run is tried again now, so that its limits are for what comes, and not for what was. @default false */
  readonly reopens?: boolean | undefined;
  /** Lets the plan of `run.started` be another than the one that is replayed. @default false */
  readonly changed?: boolean | undefined;
  /** What is done to events before they become records; never throws. @default nothing */
  readonly redact?: Redact | undefined;
}

/**
 * Tells a journal again.
 *
 * @param journal Everything that the run said, from its first record on.
 * @throws PhasegateError `JOURNAL_DIVERGED` where the plan would not have led to these events.
 */
export function replay(
  input: PipelineInput,
  journal: readonly Pick<RunRecord, 'event' | 'time'>[],
  options: ReplayOptions = {},
): Replayed {
  return new Replayer(input, journal, options).tell();
}

// --- internal ---

/** Goes through a journal with one finger: the board says the next event by itself, or is told what led to it. */
class Replayer {
  readonly #journal: readonly Pick<RunRecord, 'event' | 'time'>[];
  readonly #plan: Plan;
  /** Of each part of the run that is told yet. */
  readonly #limits: Limits[];
  readonly #changed: boolean;
  readonly #redact: Redact;
  readonly #state: RunState;
  readonly #stubs = new Map<string, PhaseStub>();
  readonly #receive: (report: PhaseReport) => void;
  readonly #ended: () => EventOf<'run.ended'> | undefined;
  readonly #surplus: RunEvent[] = [];
  #at = 0;
  #pending: ((state: RunState) => void) | undefined;
  /** What follows when the work of a run that has ended is at rest. */
  #resting: (() => void) | undefined;

  constructor(input: PipelineInput, journal: readonly Pick<RunRecord, 'event' | 'time'>[], options: ReplayOptions) {
    this.#journal = journal;
    this.#plan = input.plan;
    const known = limitsOfParts(journal.map(({ event }) => event));
    this.#limits = options.reopens ? [...known] : [...known.slice(0, -1), input.plan.limits];
    this.#changed = options.changed ?? false;
    this.#redact = options.redact ?? ((event) => event);
    const feed = (stub: PhaseStub) => this.#feed(stub);
    const ports: CoordinatorPorts = {
      spawn: (start) => {
        const stub = new PhaseStub(start, feed);
        this.#stubs.set(start.phase.name, stub);
        return stub;
      },
      publish: () => this.#heed(),
      atRest: (job) => (this.#resting = job),
      settle: () => undefined,
      later: (job) => (this.#pending = job),
    };
    const first = journal[0]?.event;
    const given = first?.type === 'run.started' ? first.given : undefined;
    const state = createRunState({ ...input, given }, ports);
    state.plan = this.#planOfPart();
    state.ledger.onAsk = (view, source) => recordRead(state, view, source);
    this.#state = state;
    this.#receive = (report) => handleReport(state, report);
    this.#ended = () => this.#end();
  }

  tell(): Replayed {
    for (let event = this.#next(); event; event = this.#next()) {
      const at = this.#at;
      this.#lead(event);
      this.#heed();
      if (!isLate(this.#next())) this.#rest();
      if (this.#at === at) throw this.#diverged(event, 'nothing leads to it');
    }
    this.#state.plan = this.#plan;
    const stubs = new Map<PhaseState, PhaseStub>();
    for (const [name, stub] of this.#stubs) {
      const entry = phaseNamed(this.#state, name);
      if (entry?.actor) stubs.set(entry, stub);
    }
    return { state: this.#state, stubs, unrecorded: this.#surplus, redact: this.#redact, pending: this.#pending };
  }

  /** Nothing that the work of a run that has ended has used is left to tell, or it was cut off: nothing works any more. */
  #rest(): void {
    const job = this.#resting;
    this.#resting = undefined;
    job?.();
    this.#heed();
  }

  #next(): RunEvent | undefined {
    return this.#journal[this.#at]?.event;
  }

  /** The event before, warnings of it aside. */
  #before(): RunEvent | undefined {
    const event = this.#journal[this.#at - 1]?.event;
    const isAside = event?.type === 'phase.warned' && event.code === 'ISSUE_ASTRAY';
    return isAside ? this.#journal[this.#at - 2]?.event : event;
  }

  /** Does what leads to an event. */
  #lead(event: RunEvent): void {
    const state = this.#state;
    if (event.type === 'run.reopened') state.plan = this.#planOfPart();
    const cause = causeOf(state, event, this.#before(), this.#ended);
    switch (cause.type) {
      case 'told':
        cause.tell(state);
        return;
      case 'reported':
        cause.before?.(state);
        this.#report(cause.report, cause.refused);
        return;
      case 'read':
        this.#read(cause.event);
        return;
      case 'due': {
        const job = this.#pending;
        this.#pending = undefined;
        if (!job) throw this.#diverged(event, 'no phase is about to start');
        job(state);
      }
    }
  }

  /** The plan with the limits of the part of the run that begins. */
  #planOfPart(): Plan {
    return withLimits(this.#plan, this.#limits.shift() ?? this.#plan.limits);
  }

  /** A ghost that was told to start, or to wait, says what the journal has of that. */
  #feed(stub: PhaseStub): void {
    this.#stubs.delete(stub.name);
    this.#stubs.set(stub.name, stub);
    this.#heed();
    const event = this.#next();
    if (event && 'phase' in event && event.phase === stub.name && isAnswer(event)) this.#report(event);
  }

  /** @param refused Whether the board will not let it happen. */
  #report(report: PhaseReport, refused = false): void {
    const time = this.#journal[this.#at]?.time ?? 0;
    this.#stubs.get(report.phase)?.say(report, refused, time, this.#receive);
    // Nobody brings it back: what it has said need not stay in memory.
    if (isEnd(report)) this.#stubs.delete(report.phase);
    this.#heed();
  }

  #read(event: EventOf<'phase.read'>): void {
    const view = phaseNamed(this.#state, event.phase)?.view;
    if (view) ask(view, event.source);
  }

  /** How the run ends next. */
  #end(): EventOf<'run.ended'> | undefined {
    for (let at = this.#at; at < this.#journal.length; at++) {
      const event = this.#journal[at]?.event;
      if (event?.type === 'run.ended') return event;
    }
    return undefined;
  }

  /** Compares what the board has said with the journal. */
  #heed(): void {
    const { outbox } = this.#state;
    for (let said = outbox.shift(); said; said = outbox.shift()) {
      const event = this.#next();
      if (!event) this.#surplus.push(said);
      else if (this.#isSame(said, event)) this.#at += 1;
      else throw this.#diverged(event, `this would have happened instead: ${shownEvent(said)}`);
    }
  }

  #isSame(said: RunEvent, event: RunEvent): boolean {
    // What the run began with is taken from the journal, whatever is masked by now.
    if (said.type === 'run.started' && event.type === said.type) return this.#changed || isSameEvent(said, event);
    // Reports are told as the journal has them, and most of them are said again as they are.
    return said === event || isSameEvent(this.#redact(said), event);
  }

  #diverged(event: RunEvent, why: string): PhasegateError {
    const problem = `Cannot tell the journal of run ${this.#state.run} again from record ${this.#at + 1}, ${shownEvent(event)}, as ${why}`;
    return new PhasegateError('JOURNAL_DIVERGED', problem, {
      hint: 'Resume the run with the pipeline, and the version of phasegate, that it was started with; or fork it before that record.',
    });
  }
}

/** Whether a phase that reports this is live no more. */
function isEnd({ type }: PhaseReport): boolean {
  return type === 'phase.approved' || type === 'phase.rejected' || type === 'phase.failed';
}

/** Whether it is of a try that nobody waits for. */
function isLate(event: RunEvent | undefined): boolean {
  return event?.type === 'task.dropped' || (event?.type === 'task.reported' && event.late === true);
}

/** What a phase says at once when it is told to start, or to wait. */
function isAnswer(event: RunEvent): event is Extract<PhaseReport, { type: 'phase.started' | 'phase.escalated' }> {
  return event.type === 'phase.started' || event.type === 'phase.escalated';
}
