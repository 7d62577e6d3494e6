/**
 * Outstanding work of a run: attempts and reviews that a worker does outside of the step that asks for them.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import { BEGINNINGS } from '../../machines/replay/restore-phases.ts';
import type {
  AttemptOutcome,
  GateOutcome,
  PhasePorts,
  Progress,
  WorkLogic,
  WorkOwner,
} from '../../machines/phase/ports.ts';
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { LateReport, PhaseReport, RunEvent } from '../../model/events/event.ts';
import type { RoomFact } from './held-tries.ts';
import type { WantedChild } from './session-children.ts';

/** A piece of outstanding work: an attempt of a phase, or its review. JSON. */
export interface OutstandingWork {
  /** Unique in the run: the name of the phase, and the number of the record that began the work. */
  readonly token: string;
  readonly type: 'attempt' | 'review';
  readonly phase: string;
  readonly context: PhaseContext;
  /** Progress so far, according to the records; absent for work that has just begun. */
  readonly progress?: Progress | undefined;
  /** True if its tries need room in the limits of the run. @default false */
  readonly isBounded?: boolean | undefined;
}

/** A fact about work, in the order in which it became true. JSON. */
export type WorkFact =
  | { readonly type: 'report'; readonly report: PhaseReport }
  /** A handler has read the outputs of that ancestor. */
  | { readonly type: 'read'; readonly source: string }
  /** The usage, or the outcome, of a try that nobody waits for any more. */
  | { readonly type: 'late'; readonly report: LateReport }
  /** A task wants the run of a pipeline. The host starts it. */
  | WantedChild
  | RoomFact;

/** The outcome of work, or the error that it has failed with. JSON. */
export type WorkOutcome =
  | { readonly type: 'done'; readonly outcome: AttemptOutcome | GateOutcome }
  | { readonly type: 'failed'; readonly error: ErrorInfo };

/** Work that a step waits for. */
export interface Piece {
  readonly type: OutstandingWork['type'];
  readonly context: PhaseContext;
  readonly progress: Progress | undefined;
  readonly isBounded: boolean;
  report(report: PhaseReport): void;
  end(outcome: WorkOutcome): void;
}

/** The ports of phases whose work is done elsewhere. @param pieces Gets the work of each phase, by name. */
export function remotePorts(pieces: Map<string, Piece>): PhasePorts {
  return {
    attempt: remoteLogic('attempt', pieces, (owner: WorkOwner<AttemptOutcome>, outcome) => {
      if ('type' in outcome) owner.done(outcome);
    }),
    review: remoteLogic('review', pieces, (owner: WorkOwner<GateOutcome>, outcome) => {
      if ('verdict' in outcome) owner.done(outcome);
    }),
  };
}

/** Returns the token of the current work of a phase. @param events All events of the run. */
export function tokenOf(phase: string, events: readonly RunEvent[]): string {
  const index = events.findLastIndex(
    (event) => BEGINNINGS.has(event.type) && 'phase' in event && event.phase === phase,
  );
  return `${phase}:${index + 1}`;
}

/** Returns a fact, or the usage in it, as that of work that nobody waits for; `undefined` if there is none. */
export function lateOf(fact: WorkFact): LateReport | undefined {
  if (fact.type === 'late') return fact.report;
  if (fact.type !== 'report') return undefined;
  const { report } = fact;
  if (report.type !== 'task.reported' || !(report.tokens ?? report.costUsd)) return undefined;
  return {
    ...report,
    progress: undefined,
    artifact: undefined,
    observation: undefined,
    waiting: undefined,
    late: true,
  };
}

// --- internal ---

function remoteLogic<O>(
  type: Piece['type'],
  pieces: Map<string, Piece>,
  done: (owner: WorkOwner<O>, outcome: AttemptOutcome | GateOutcome) => void,
): WorkLogic<O> {
  return {
    begin(context, owner, progress) {
      const { name } = context.origin.phase;
      const piece: Piece = {
        type,
        context,
        progress,
        isBounded: owner.quota !== undefined,
        report: (report) => owner.report(report),
        end(outcome) {
          stop();
          if (outcome.type === 'done') done(owner, outcome.outcome);
          else owner.failed(errorOf(outcome.error));
        },
      };
      function stop(): void {
        if (pieces.get(name) === piece) pieces.delete(name);
      }
      pieces.set(name, piece);
      return { stop };
    },
  };
}

/** The error that was described, so that it is described again in the same words. */
function errorOf({ code, name, message, cause, stack, permanent, retryAfterMs }: ErrorInfo): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  Object.defineProperty(error, 'stack', { value: stack });
  return Object.assign(error, {
    name,
    code,
    ...(permanent && { retryable: false }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
