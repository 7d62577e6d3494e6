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
import { isAnswer, isEnd, PhaseStub } from './phase-stub.ts';

/** A run as its journal left it. */
export interface Replayed {
  readonly state: RunState;
  /** The live phases, in the order of their latest start, restart or hold: they answer in this order. */
  readonly stubs: ReadonlyMap<PhaseState, PhaseStub>;
  /** Events that follow from the journal, which was cut off before them. They are published first. */
  readonly unrecorded: readonly RunEvent[];
  /** Masks events before they become records. */
  readonly redact: Redact;
  /** A start that was due. */
  readonly pending: ((state: RunState) => void) | undefined;
}

/** Options of a replay. */
export interface ReplayOptions {
  /** True if the run is tried again now: its limits are for the next try, not for earlier ones. @default false */
  readonly reopens?: boolean | undefined;
  /** Allows another plan in `run.started` than the one that is replayed. @default false */
  readonly changed?: boolean | undefined;
  /** Masks events before they become records; never throws. @default no masking */
  readonly redact?: Redact | undefined;
  /** Takes the stub of each phase that has ended, or was stopped, with its whole script. */
  readonly onEnd?: ((stub: PhaseStub) => void) | undefined;
}

/**
 * Replays a journal.
 *
 * @param journal All records of the run.
 * @throws PhasegateError `JOURNAL_DIVERGED` if the plan does not lead to these events.
 */
export function replay(
  input: PipelineInput,
  journal: readonly Pick<RunRecord, 'event' | 'time'>[],
  options: ReplayOptions = {},
): Replayed {
  return new Replayer(input, journal, options).replay();
}

// --- internal ---

/** Goes through a journal: the coordinator produces the next event by itself, or gets its cause. */
class Replayer {
  readonly #journal: readonly Pick<RunRecord, 'event' | 'time'>[];
  readonly #plan: Plan;
  /** Limits of each remaining try of the run. */
  readonly #limits: Limits[];
  readonly #changed: boolean;
  readonly #redact: Redact;
  readonly #onEnd: ((stub: PhaseStub) => void) | undefined;
  readonly #state: RunState;
  readonly #stubs = new Map<string, PhaseStub>();
  readonly #receive: (report: PhaseReport) => void;
  readonly #ended: () => EventOf<'run.ended'> | undefined;
  readonly #unrecorded: RunEvent[] = [];
  #at = 0;
  #pending: ((state: RunState) => void) | undefined;
  /** The callback for the end of all stopped work. */
  #whenStopped: (() => void) | undefined;

  constructor(input: PipelineInput, journal: readonly Pick<RunRecord, 'event' | 'time'>[], options: ReplayOptions) {
    this.#journal = journal;
    this.#plan = input.plan;
    const known = limitsOfParts(journal);
    this.#limits = options.reopens ? [...known] : [...known.slice(0, -1), input.plan.limits];
    this.#changed = options.changed ?? false;
    this.#redact = options.redact ?? ((event) => event);
    this.#onEnd = options.onEnd;
    const feed = (stub: PhaseStub) => this.#feed(stub);
    const ports: CoordinatorPorts = {
      spawn: (start) => {
        const [stub, stopped] = [new PhaseStub(start, feed), this.#stubs.get(start.phase.name)];
        if (stopped) this.#onEnd?.(stopped);
        this.#stubs.set(start.phase.name, stub);
        return stub;
      },
      publish: () => this.#compare(),
      atRest: (job) => (this.#whenStopped = job),
      settle: () => undefined,
      later: (job) => (this.#pending = job),
    };
    const first = journal[0]?.event;
    const begun = first?.type === 'run.started' ? first : undefined;
    const state = createRunState({ ...input, given: begun?.given, tags: begun?.tags }, ports);
    state.plan = this.#planOfPart();
    state.ledger.listener = { asked: (view, source) => recordRead(state, view, source) };
    this.#state = state;
    this.#receive = (report) => handleReport(state, report);
    this.#ended = () => this.#end();
  }

  replay(): Replayed {
    for (let event = this.#next(); event; event = this.#next()) {
      const at = this.#at;
      this.#lead(event);
      this.#compare();
      if (!isLate(this.#next())) this.#endStoppedWork();
      if (this.#at === at) throw this.#diverged(event, 'nothing leads to it');
    }
    this.#state.plan = this.#plan;
    const stubs = new Map<PhaseState, PhaseStub>();
    for (const [name, stub] of this.#stubs) {
      const entry = phaseNamed(this.#state, name);
      if (entry?.actor) stubs.set(entry, stub);
      else this.#onEnd?.(stub);
    }
    return { state: this.#state, stubs, unrecorded: this.#unrecorded, redact: this.#redact, pending: this.#pending };
  }

  /** Ends the stopped work of a run, after its late reports or at the end of the journal. */
  #endStoppedWork(): void {
    const job = this.#whenStopped;
    this.#whenStopped = undefined;
    job?.();
    this.#compare();
  }

  #next(): RunEvent | undefined {
    return this.#journal[this.#at]?.event;
  }

  /** Returns the event before, without warnings about it. */
  #before(): RunEvent | undefined {
    const event = this.#journal[this.#at - 1]?.event;
    const isAside = event?.type === 'phase.warned' && event.code === 'ISSUE_ASTRAY';
    return isAside ? this.#journal[this.#at - 2]?.event : event;
  }

  /** Applies the cause of an event. */
  #lead(event: RunEvent): void {
    const state = this.#state;
    if (event.type === 'run.reopened') state.plan = this.#planOfPart();
    const cause = causeOf(state, event, this.#before(), this.#ended);
    switch (cause.type) {
      case 'called':
        cause.call(state);
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

  /** Returns the plan with the limits of the try that begins. */
  #planOfPart(): Plan {
    return withLimits(this.#plan, this.#limits.shift() ?? this.#plan.limits);
  }

  /** Repeats the recorded answer of a phase to a start, a restart or a hold. */
  #feed(stub: PhaseStub): void {
    this.#stubs.delete(stub.name);
    this.#stubs.set(stub.name, stub);
    this.#compare();
    const event = this.#next();
    if (event && 'phase' in event && event.phase === stub.name && isAnswer(event)) this.#report(event);
  }

  /** @param refused True if a limit will not allow it. */
  #report(report: PhaseReport, refused = false): void {
    const time = this.#journal[this.#at]?.time ?? 0;
    const stub = this.#stubs.get(report.phase);
    stub?.repeat(report, refused, { time, seq: this.#at + 1 }, this.#receive);
    // It is never restored, so its script can be freed.
    if (isEnd(report)) {
      this.#stubs.delete(report.phase);
      if (stub) this.#onEnd?.(stub);
    }
    this.#compare();
  }

  #read(event: EventOf<'phase.read'>): void {
    const view = phaseNamed(this.#state, event.phase)?.view;
    if (view) ask(view, event.source);
  }

  /** Returns the next end of the run. */
  #end(): EventOf<'run.ended'> | undefined {
    for (let at = this.#at; at < this.#journal.length; at++) {
      const event = this.#journal[at]?.event;
      if (event?.type === 'run.ended') return event;
    }
    return undefined;
  }

  /** Compares the events of the coordinator with the journal. */
  #compare(): void {
    const { outbox } = this.#state;
    for (let made = outbox.shift(); made; made = outbox.shift()) {
      const event = this.#next();
      if (!event) this.#unrecorded.push(made);
      else if (this.#isSame(made, event)) this.#at += 1;
      else throw this.#diverged(event, `this would have happened instead: ${shownEvent(made)}`);
    }
  }

  #isSame(made: RunEvent, event: RunEvent): boolean {
    // The journal has the input of the run, even if it is masked by now.
    if (made.type === 'run.started' && event.type === made.type) return this.#changed || isSameEvent(made, event);
    // Reports come from the journal, and most of them are recorded as they are.
    return made === event || isSameEvent(this.#redact(made), event);
  }

  #diverged(event: RunEvent, why: string): PhasegateError {
    const problem = `Cannot replay the journal of run ${this.#state.run} from record ${this.#at + 1}, ${shownEvent(event)}, as ${why}`;
    return new PhasegateError('JOURNAL_DIVERGED', problem, {
      hint: 'Resume the run with the pipeline, and the version of phasegate, that it was started with; or fork it before that record.',
    });
  }
}

/** True for a report of a try that its phase no longer waits for. */
function isLate(event: RunEvent | undefined): boolean {
  return event?.type === 'task.dropped' || (event?.type === 'task.reported' && event.late === true);
}
