/**
 * Bringing back the phases of a run that was left: each is a new actor that is led through what its ghost was told and has
 * said, to where it was. Its work is not begun again on the way, but ended with what it came to; what had not ended begins.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { isSameEvent, shownEvent } from '../../model/events/event-equality.ts';
import type { EventOf, PhaseReport } from '../../model/events/event.ts';
import type { Redact } from '../../model/events/redact.ts';
import type { RunState } from '../coordinator/run-state.ts';
import {
  openServices,
  takeDeferred,
  whileDeferring,
  type DeferredWork,
  type ReportHandler,
} from '../phase/run-services.ts';
import type { PhaseStub, ScriptEntry } from './phase-stub.ts';
import type { Replayed } from './replay.ts';
import { createProgress, isWork, outcomeBefore } from './work-progress.ts';

/**
 * Brings the live phases of a board to life. The ports of the board make the actors.
 *
 * @param pipeline The parent of the phases.
 * @param now Milliseconds since 1970.
 * @returns What has to be done once the pipeline takes reports.
 */
export function restorePhases(pipeline: AnyActorRef, { state, stubs, redact }: Replayed, now: number): RestoreOptions {
  const rest: RestoreOptions[] = [];
  const services = openServices(pipeline);
  whileDeferring(pipeline, () => {
    for (const [entry, stub] of stubs) {
      // Nobody knows what its handlers have read by task.
      if (entry.view) entry.view.isWhole = true;
      const actor = state.ports.spawn(stub.input);
      entry.actor = actor;
      const rehearsal = new PhaseRestorer(state, stub, actor as AnyActorRef, redact);
      services.report = (report) => rehearsal.hear(report);
      rest.push(rehearsal.play(now));
    }
    // What they say from now on is for the pipeline, which takes it as events where it is inspected.
    services.report = undefined;
  });
  return {
    speak: (handler) => rest.forEach((one) => one.speak(handler)),
    work: () => rest.forEach((one) => one.work()),
  };
}

/** What phases that were brought back have yet to do. */
export interface RestoreOptions {
  /** Says what their records do not have any more, as they were cut off. */
  speak(handler: ReportHandler): void;
  /** Begins the work that had not ended. */
  work(): void;
}

// --- internal ---

type Said = Extract<ScriptEntry, { readonly type: 'said' }>;

/** One actor that is led through a script. */
class PhaseRestorer {
  readonly #state: RunState;
  readonly #stub: PhaseStub;
  readonly #actor: AnyActorRef;
  readonly #redact: Redact;
  readonly #surplus: PhaseReport[] = [];
  #at = 0;

  constructor(state: RunState, stub: PhaseStub, actor: AnyActorRef, redact: Redact) {
    this.#state = state;
    this.#stub = stub;
    this.#actor = actor;
    this.#redact = redact;
  }

  /** The actor says something: it must be what the script has next. Beyond its end it is news. */
  hear(report: PhaseReport): void {
    const line = this.#stub.script[this.#at];
    if (!line) this.#surplus.push(report);
    else if (line.type === 'said' && isSame(line, report, this.#redact)) this.#at += 1;
    else throw this.#astray(`it says ${shownEvent(report)}`);
  }

  /** @returns What remains to be done. */
  play(now: number): RestoreOptions {
    let progress = createProgress();
    this.#actor.start();
    for (let line = this.#line(); line; line = this.#line()) {
      const at = this.#at;
      const said = this.#surplus.length;
      if (line.type === 'told') {
        this.#at += 1;
        this.#actor.send(line.command);
      } else if (isWork(line.report)) {
        this.#at += 1;
        progress.note(line.report, line.time);
      } else {
        this.#end(line, takeDeferred(this.#actor), progress);
        if (this.#at === at) throw this.#astray(`it does not say ${shownEvent(line.report)}`);
      }
      if (this.#begins(at, said)) progress = createProgress(line.type === 'said' ? line.time : progress.startedAt);
    }
    const work = takeDeferred(this.#actor);
    return {
      speak: (handler) => this.#surplus.forEach((report) => handler(report)),
      work: () => work?.begin(progress.soFar(now)),
    };
  }

  #line(): ScriptEntry | undefined {
    return this.#stub.script[this.#at];
  }

  /** If an attempt, or a review, has begun since. Its records may be cut off. */
  #begins(since: number, surplus: number): boolean {
    const known = this.#stub.script
      .slice(since, this.#at)
      .flatMap((line) => (line.type === 'said' ? [line.report] : []));
    return [...known, ...this.#surplus.slice(surplus)].some(({ type }) => BEGINNINGS.has(type));
  }

  #end(line: Said, work: DeferredWork | undefined, progress: ReturnType<typeof createProgress>): void {
    if (!work) throw this.#astray(`nothing works that could lead to ${shownEvent(line.report)}`);
    work.end(outcomeBefore(line.report, this.#stub.input.phase, progress.soFar(0)));
  }

  #astray(why: string): PhasegateError {
    const problem = `Cannot bring back phase "${this.#stub.name}" of run ${this.#state.run} as its records are not what it does: ${why}`;
    return new PhasegateError('JOURNAL_DIVERGED', problem, {
      hint: 'Resume the run with the version of phasegate that it was started with, or fork it before that phase.',
    });
  }
}

const BEGINNINGS: ReadonlySet<PhaseReport['type']> = new Set(['phase.started', 'review.started']);

/** Outputs are never changed on their way into the records. */
function isSame({ report, refused }: Said, said: PhaseReport, redact: Redact): boolean {
  if (refused) return report.type === said.type;
  if (said.type === 'phase.approved') return isSameEvent(report, said);
  if (said.type !== 'phase.rewinding' || report.type !== said.type) return isSameEvent(report, redact(said));
  return isSameEvent(withoutRiders(report), redact(withoutRiders(said)));
}

/** A rewind without those who are told something as well: its pipeline says who that is. */
function withoutRiders(report: EventOf<'phase.rewinding'>): EventOf<'phase.rewinding'> {
  const { riders: _, ...rest } = report;
  return rest;
}
