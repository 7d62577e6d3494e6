/**
 * The fold from the records of one run to what a comparison needs of it.
 *
 * @module
 */
import { endsAttempt, type AttemptEnd } from '../../model/events/attempt-end.ts';
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import { byName } from '../../model/values/by-name.ts';
import { foldRun } from '../run/run-view.ts';
import type { PhaseStatus, RunMetrics, RunSnapshot } from '../run/run-result.ts';
import { foldTimeline } from '../timeline/timeline.ts';
import { endedBars, workTimes, type WorkTimes } from '../timeline/work-times.ts';

/** One attempt of a phase. */
export interface ComparedAttempt {
  /** The number of the record that started it. */
  readonly seq: number;
  /** Its number among all attempts of its phase in the run, from 1. */
  readonly number: number;
  readonly generation: number;
  /** The demand on this attempt; absent for a first attempt. */
  readonly revision: Pick<NonNullable<EventOf<'phase.started'>['revision']>, 'feedback' | 'requiredChange'> | null;
  /** Outputs by task, as far as tasks have completed. Those that a person edited replace the original ones. */
  readonly outputs: Outputs;
  readonly decisions: readonly Pick<EventOf<'review.decided'>, 'by' | 'who' | 'verdict' | 'edited'>[];
  /** The type of the event that ended it; `null` while it runs. */
  readonly end: AttemptEnd['type'] | null;
}

/** One phase of a run. */
export interface ComparedPhase extends WorkTimes {
  readonly status: PhaseStatus;
  readonly attempts: readonly ComparedAttempt[];
  /** Committed outputs by task, otherwise those of the latest attempt. */
  readonly outputs: Outputs;
  readonly costUsd: number;
  readonly tokens: number;
}

/** One run of a comparison. */
export interface ComparedRun {
  readonly runId: string;
  readonly pipeline: string;
  /** The fingerprint of its latest plan. */
  readonly fingerprint: string;
  readonly status: RunSnapshot['status'];
  readonly input: unknown;
  /** True if secrets in the input are masked, so that equal inputs may have been different ones. */
  readonly isMasked: boolean;
  /** The run that it was forked from, and the number of records that it has from there. */
  readonly fork: { readonly of: string; readonly records: number } | null;
  /** Phases in the order of the plan. Phases that only an earlier plan had come last. */
  readonly phases: Readonly<Record<string, ComparedPhase>>;
  readonly metrics: RunMetrics;
}

/** A fold over the records of a run. */
export interface ComparedRunFold {
  apply(record: RunRecord): void;
  read(): ComparedRun;
}

/** Starts a fold. @param forkOf The run that this run was forked from, which its records do not have. */
export function foldComparedRun(forkOf?: string): ComparedRunFold {
  const view = foldRun();
  const timeline = foldTimeline();
  const attempts = foldAttempts();
  let started: EventOf<'run.started'> | undefined;
  let { plan, fingerprint }: Partial<Pick<EventOf<'run.started'>, 'plan' | 'fingerprint'>> = {};
  return {
    apply(record) {
      const { event } = record;
      view.apply(record);
      timeline.apply(record);
      attempts.apply(record);
      if (event.type === 'run.started') started = event;
      if (event.type === 'run.started' || event.type === 'run.resumed') {
        plan = event.plan ?? plan;
        fingerprint = event.fingerprint ?? fingerprint;
      }
    },
    read() {
      const { phases, ...snapshot } = view.snapshot();
      const { bars, to } = timeline.timeline();
      const barsOf = endedBars(bars, to);
      const names = new Set([...(plan?.phases ?? []).map(({ name }) => name), ...Object.keys(phases)]);
      const compared = [...names].map((name): readonly [string, ComparedPhase] => {
        const phase = Object.hasOwn(phases, name) ? phases[name] : undefined;
        const own = attempts.of(name);
        return [
          name,
          {
            status: phase?.status ?? 'pending',
            attempts: own,
            outputs: phase?.outputs ?? own.at(-1)?.outputs ?? {},
            costUsd: phase?.costUsd ?? 0,
            tokens: phase?.tokens ?? 0,
            ...workTimes(barsOf.get(name) ?? []),
          },
        ];
      });
      const { runId, pipeline, status, metrics } = snapshot;
      const records = started?.forked?.records;
      return {
        runId,
        pipeline,
        fingerprint: fingerprint ?? '',
        status,
        input: started?.input,
        isMasked: started?.masked === true,
        fork: forkOf === undefined || records === undefined ? null : { of: forkOf, records },
        phases: byName(compared),
        metrics,
      };
    },
  };
}

// --- internal ---

interface Draft extends Omit<ComparedAttempt, 'outputs' | 'decisions' | 'end'> {
  readonly outputs: Map<string, unknown>;
  readonly decisions: ComparedAttempt['decisions'][number][];
  end: ComparedAttempt['end'];
}

function foldAttempts(): { apply(record: RunRecord): void; of(phase: string): readonly ComparedAttempt[] } {
  const drafts = new Map<string, Draft[]>();
  return {
    apply({ seq, event }) {
      if (!('phase' in event)) return;
      const own = drafts.get(event.phase) ?? [];
      if (event.type === 'phase.started') {
        const { generation, revision = null } = event;
        const demand = revision && { feedback: revision.feedback, requiredChange: revision.requiredChange };
        const number = own.length + 1;
        own.push({ seq, number, generation, revision: demand, outputs: new Map(), decisions: [], end: null });
        drafts.set(event.phase, own);
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
    of: (phase) => (drafts.get(phase) ?? []).map((draft) => ({ ...draft, outputs: byName(draft.outputs) })),
  };
}
