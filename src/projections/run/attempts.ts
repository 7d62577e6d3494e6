/**
 * The fold from the records of a run to the attempts of its phases.
 *
 * @module
 */
import { endsAttempt, type AttemptEnd } from '../../model/events/attempt-end.ts';
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import { byName } from '../../model/values/by-name.ts';

/** One attempt of a phase. */
export interface Attempt {
  readonly phase: string;
  /** The number of the record that started it. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Its number among all attempts of its phase in the run, from 1. */
  readonly number: number;
  readonly generation: number;
  /** The number of times that the phase was sent back since it last started afresh. */
  readonly attempt: number;
  /** The demand on this attempt; `null` for a first attempt. */
  readonly revision: Pick<NonNullable<EventOf<'phase.started'>['revision']>, 'feedback' | 'requiredChange'> | null;
  /** Outputs by task, as far as tasks have completed. Those that a person edited replace the original ones. */
  readonly outputs: Outputs;
  readonly decisions: readonly Judged[];
  /** The type of the event that ended it; `null` while it runs. */
  readonly end: AttemptEnd['type'] | null;
}

/** A decision on an attempt. `edited` has the outputs, by task, that a person approved instead of the original ones. */
export type Judged = Pick<EventOf<'review.decided'>, 'by' | 'who' | 'verdict' | 'edited'>;

/** A fold over the records of a run. */
export interface AttemptsFold {
  apply(record: RunRecord): void;
  /** Returns all attempts by phase, phases in the order of their first attempts. */
  attempts(): ReadonlyMap<string, readonly Attempt[]>;
}

/** Starts a fold. */
export function foldAttempts(): AttemptsFold {
  const drafts = new Map<string, Draft[]>();
  return {
    apply({ seq, time, event }) {
      if (!('phase' in event)) return;
      const own = drafts.get(event.phase) ?? [];
      if (event.type === 'phase.started') {
        const { phase, generation, attempt, revision } = event;
        own.push({
          phase,
          seq,
          startedAt: time,
          number: own.length + 1,
          generation,
          attempt,
          revision: revision ? { feedback: revision.feedback, requiredChange: revision.requiredChange } : null,
          outputs: new Map(),
          decisions: [],
          end: null,
        });
        drafts.set(phase, own);
        return;
      }
      const draft = own.at(-1);
      if (!draft) return;
      if (event.type === 'task.completed') draft.outputs.set(event.task, event.output);
      else if (event.type === 'review.decided') {
        const { by, who, verdict, edited } = event;
        draft.decisions.push({ by, who, verdict, edited });
        for (const [task, output] of Object.entries(edited ?? {})) draft.outputs.set(task, output);
      } else if (endsAttempt(event)) draft.end = event.type;
    },
    attempts: () =>
      new Map(
        [...drafts].map(([phase, own]) => [
          phase,
          own.map((draft) => ({ ...draft, outputs: byName(draft.outputs), decisions: draft.decisions.slice() })),
        ]),
      ),
  };
}

// --- internal ---

interface Draft extends Omit<Attempt, 'outputs' | 'decisions' | 'end'> {
  readonly outputs: Map<string, unknown>;
  readonly decisions: Judged[];
  end: Attempt['end'];
}
