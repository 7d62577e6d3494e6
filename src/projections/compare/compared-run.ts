/**
 * The fold from the records of one run to what a comparison needs of it.
 *
 * @module
 */
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import { byName, ofName } from '../../model/values/by-name.ts';
import { foldAttempts, type Attempt } from '../run/attempts.ts';
import { foldRun } from '../run/run-view.ts';
import type { PhaseStatus, RunMetrics, RunSnapshot } from '../run/run-result.ts';
import { foldTimeline } from '../timeline/timeline.ts';
import { barsByPhase, endBars, workTimes, type WorkTimes } from '../timeline/work-times.ts';

/** One phase of a run. */
export interface ComparedPhase extends WorkTimes {
  readonly status: PhaseStatus;
  readonly attempts: readonly Attempt[];
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
      const barsOf = barsByPhase(bars);
      const attemptsOf = attempts.attempts();
      const names = new Set([...(plan?.phases ?? []).map(({ name }) => name), ...Object.keys(phases)]);
      const compared = [...names].map((name): readonly [string, ComparedPhase] => {
        const phase = ofName(phases, name);
        const own = attemptsOf.get(name) ?? [];
        return [
          name,
          {
            status: phase?.status ?? 'pending',
            attempts: own,
            outputs: phase?.outputs ?? own.at(-1)?.outputs ?? {},
            costUsd: phase?.costUsd ?? 0,
            tokens: phase?.tokens ?? 0,
            ...workTimes(endBars(barsOf.get(name) ?? [], to)),
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
