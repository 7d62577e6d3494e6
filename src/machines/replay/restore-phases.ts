/**
 * Restoring the phases of a run that was left. Each is a new actor that repeats the commands and reports of its stub. Recorded work is
 * not done again: it ends with its recorded outcome. Only work that had not ended begins.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { isSameEvent, shownEvent } from '../../model/events/event-equality.ts';
import type { EventOf, PhaseReport, RunEvent } from '../../model/events/event.ts';
import type { Redact } from '../../model/events/redact.ts';
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
 * Restores the live phases of a run. The ports of the run create the actors.
 *
 * @param pipeline The parent of the phases.
 * @param now Milliseconds since 1970.
 * @returns The rest, to be done once the pipeline takes reports.
 */
export function restorePhases(pipeline: AnyActorRef, { state, stubs, redact }: Replayed, now: number): RestoreOptions {
  const rest: RestoreOptions[] = [];
  const services = openServices(pipeline);
  whileDeferring(pipeline, () => {
    for (const [entry, stub] of stubs) {
      // The journal does not tell which tasks its handlers have read.
      if (entry.view) entry.view.isWhole = true;
      const actor = state.ports.spawn(stub.input);
      entry.actor = actor;
      const restorer = new PhaseRestorer(state.run, stub, actor as AnyActorRef, redact);
      services.takeReport = (report) => restorer.compare(report);
      rest.push(restorer.play(now));
    }
    services.takeReport = undefined;
  });
  return {
    speak: (handler) => rest.forEach((one) => one.speak(handler)),
    work: () => rest.forEach((one) => one.work()),
  };
}

/** Rules that take each recorded report of a phase, in order, with its number. @returns A reason against it, as the end of a sentence. */
export type WorkRules = (report: PhaseReport, seq: number) => string | undefined;

/** The rest of the work of restored phases. */
export interface RestoreOptions {
  /** Emits reports that the records lack, as they were cut off. */
  speak(handler: ReportHandler): void;
  /** Begins work that had not ended. */
  work(): void;
}

/** Types of the events that begin work. */
export const BEGINNINGS: ReadonlySet<string> = new Set<PhaseReport['type']>(['phase.started', 'review.started']);

// --- internal ---

type RecordedReport = Extract<ScriptEntry, { readonly type: 'report' }>;

/** Restores one actor by a script. */
export class PhaseRestorer {
  readonly #run: string;
  readonly #stub: PhaseStub;
  readonly #actor: AnyActorRef;
  readonly #redact: Redact;
  readonly #rules: WorkRules | undefined;
  readonly #unrecorded: PhaseReport[] = [];
  #at = 0;
  #divergence: PhasegateError | undefined = undefined;

  /** @param rules Checks the records of its work. @default none */
  constructor(run: string, stub: PhaseStub, actor: AnyActorRef, redact: Redact, rules?: WorkRules) {
    this.#run = run;
    this.#rules = rules;
    this.#stub = stub;
    this.#actor = actor;
    this.#redact = redact;
  }

  /** Compares a report of the actor with the next entry of the script. Reports after its end are unrecorded. */
  compare(report: PhaseReport): void {
    const line = this.#stub.script[this.#at];
    if (!line) this.#unrecorded.push(report);
    else {
      const why =
        line.type === 'report' && isSame(line, report, this.#redact)
          ? this.#whyNot(line)
          : `it reports ${shownEvent(report)}`;
      if (why === undefined) this.#at += 1;
      else {
        // XState keeps an error of a transition in the actor, so `play` throws it again.
        this.#divergence ??= this.#diverged(why);
        throw this.#divergence;
      }
    }
  }

  /** Runs the script. @returns The rest. */
  play(now: number): RestoreOptions {
    let progress = createProgress();
    this.#actor.start();
    for (let line = this.#line(); line; line = this.#line()) {
      const at = this.#at;
      const count = this.#unrecorded.length;
      if (line.type === 'command') {
        this.#at += 1;
        this.#actor.send(line.command);
      } else if (isWork(line.report)) {
        const why = this.#whyNot(line);
        if (why !== undefined) throw this.#diverged(why);
        this.#at += 1;
        progress.note(line.report, line.time);
      } else {
        this.#end(line, takeDeferred(this.#actor), progress);
        if (this.#at === at && !this.#divergence) throw this.#diverged(`it does not report ${shownEvent(line.report)}`);
      }
      if (this.#divergence) throw this.#divergence;
      if (this.#begins(at, count)) progress = createProgress(line.type === 'report' ? line.time : progress.startedAt);
    }
    const work = takeDeferred(this.#actor);
    return {
      speak: (handler) => this.#unrecorded.forEach((report) => handler(report)),
      work: () => work?.begin(progress.soFar(now)),
    };
  }

  #line(): ScriptEntry | undefined {
    return this.#stub.script[this.#at];
  }

  /** True if an attempt, or a review, has begun since. Its records may be cut off. */
  #begins(since: number, from: number): boolean {
    const known = this.#stub.script
      .slice(since, this.#at)
      .flatMap((line) => (line.type === 'report' ? [line.report] : []));
    return [...known, ...this.#unrecorded.slice(from)].some(({ type }) => BEGINNINGS.has(type));
  }

  #end(line: RecordedReport, work: DeferredWork | undefined, progress: ReturnType<typeof createProgress>): void {
    if (!work) throw this.#diverged(`nothing works that could lead to ${shownEvent(line.report)}`);
    work.end(outcomeBefore(line.report, this.#after(), this.#stub.input.phase, progress.soFar(0)));
  }

  /** The report after the current line, apart from warnings. */
  #after(): PhaseReport | undefined {
    const { script } = this.#stub;
    for (let at = this.#at + 1; at < script.length; at++) {
      const line = script[at];
      if (line?.type === 'report' && line.report.type !== 'phase.warned') return line.report;
    }
    return undefined;
  }

  /** Returns why a recorded report cannot be, by the rules; `undefined` if it can. */
  #whyNot({ report, refused, seq }: RecordedReport): string | undefined {
    const problem = refused ? undefined : this.#rules?.(report, seq);
    return problem && `${shownEvent(report)} is recorded, but ${problem}`;
  }

  #diverged(why: string): PhasegateError {
    const line = this.#line();
    const near = line?.type === 'report' ? ` near record ${line.seq}` : '';
    const problem = `Cannot restore phase "${this.#stub.name}" of run ${this.#run} as its records are not what it does${near}: ${why}`;
    return new PhasegateError('JOURNAL_DIVERGED', problem, {
      hint: 'Resume the run with the version of phasegate that it was started with, or fork it before that phase.',
    });
  }
}

/** True if the actor has made the recorded report. */
function isSame({ report, refused }: RecordedReport, made: PhaseReport, redact: Redact): boolean {
  if (refused) return report.type === made.type;
  // The coordinator completes an approval.
  if (made.type !== 'phase.rewinding' || report.type !== made.type)
    return isSameEvent(report, redact(made as RunEvent));
  return isSameEvent(withoutRiders(report), redact(withoutRiders(made)));
}

/** Removes the riders of a rewind, which the coordinator selects. */
function withoutRiders(report: EventOf<'phase.rewinding'>): EventOf<'phase.rewinding'> {
  const { riders: _, ...rest } = report;
  return rest;
}
