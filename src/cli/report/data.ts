/**
 * The data of a report on a run.
 *
 * @module
 */
import type { DecidedBy, EventOf, RunRecord, Verdict } from '../../model/events/event.ts';
import { byName } from '../../model/values/by-name.ts';
import type { Defect } from '../../projections/quality/defect.ts';
import type { Measures } from '../../projections/quality/measures.ts';
import { foldQuality } from '../../projections/quality/quality.ts';
import type { RunSnapshot } from '../../projections/run/run-result.ts';
import { foldRun } from '../../projections/run/run-view.ts';
import { foldTimeline, type Timeline } from '../../projections/timeline/timeline.ts';
import { barsByPhase, endBars, workTimes, type WorkTimes } from '../../projections/timeline/work-times.ts';
import type { Amounts } from '../../projections/wording/amount-words.ts';
import type { ListedRun, RunInfo } from '../../store/port.ts';
import { standingOf, type Standing } from '../../store/run-status.ts';
import { createEventLines } from '../show/event-lines.ts';

/** A decision on an attempt. */
export interface ReportDecision {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly phase: string;
  readonly generation: number;
  /** 0-based. */
  /** The index in its generation, from 0. */
  readonly attempt: number;
  /** The number of the attempt in the whole run, from 1. */
  readonly number: number;
  readonly by: DecidedBy;
  readonly who: string | null;
  readonly verdict: Verdict;
}

/** An event that deserves attention: a warning, a loop, or a limit that was reached or lifted. */
export interface ReportRemark {
  readonly seq: number;
  readonly time: number;
  readonly event: EventOf<'phase.warned' | 'loop.detected' | 'limit.reached' | 'limit.lifted'>;
  /** The event as a line of plain output. */
  readonly text: string;
}

/** The data of a report. */
export interface ReportData {
  readonly info: RunInfo;
  /** The time of the first record, in milliseconds since 1970. The first record of a fork is a copy from the original run. */
  readonly firstAt: number;
  readonly standing: Standing;
  /** The seal of the records; `null` if a large value is damaged. */
  readonly seal: string | null;
  /** The snapshot without outputs, and without decisions, which `decisions` has. */
  readonly snapshot: RunSnapshot;
  /** The estimated part of tokens and dollars, from tasks that reported no usage. */
  readonly estimated: Amounts;
  /** The times of each phase that has begun, by name, up to the latest record. */
  readonly times: Readonly<Record<string, WorkTimes>>;
  /** Phases that wait for a person, by name. */
  readonly asking: readonly string[];
  readonly decisions: readonly ReportDecision[];
  readonly defects: readonly Defect[];
  readonly measures: Measures;
  readonly remarks: readonly ReportRemark[];
}

/** The fold from all records of a run to the data of a report. */
export interface ReportFold {
  apply(record: RunRecord): void;
  data(run: ListedRun, seal: string | null): ReportData;
}

/** Creates a fold, which needs every record from the first. */
export function foldReport(): ReportFold {
  const view = foldRun();
  const quality = foldQuality();
  const timeline = foldTimeline();
  const decisions: ReportDecision[] = [];
  const remarks: ReportRemark[] = [];
  const lineOf = createEventLines();
  const numbers = new Map<string, number>();
  let firstAt = 0;
  const estimated = { tokens: 0, costUsd: 0 };
  return {
    apply(record) {
      view.apply(record);
      quality.apply(record);
      timeline.apply(record);
      const { seq, time, event } = record;
      if (seq === 1) firstAt = time;
      if (event.type === 'phase.started') numbers.set(event.phase, (numbers.get(event.phase) ?? 0) + 1);
      if (event.type === 'review.decided') {
        const { phase, generation, attempt, by, who = null, verdict } = event;
        const number = numbers.get(phase) ?? 0;
        decisions.push({ seq, time, phase, generation, attempt, number, by, who, verdict });
      } else if (event.type === 'task.reported' && event.estimated) {
        estimated.tokens += event.tokens ?? 0;
        estimated.costUsd += event.costUsd ?? 0;
      } else if (event.type === 'run.started' || event.type === 'run.resumed') lineOf.recall(record);
      else if (isRemark(event)) remarks.push({ seq, time, event, text: lineOf(record) });
    },
    data(run, seal) {
      const { lease: _lease, lapsed: _lapsed, ...info } = run;
      const snapshot = withoutOutputs(view.snapshot());
      const measures = quality.measures();
      return {
        info,
        firstAt,
        standing: standingOf(run),
        seal,
        snapshot,
        estimated: { ...estimated },
        ...timesIn(timeline.timeline(), snapshot),
        decisions,
        defects: quality.defects(),
        measures,
        remarks,
      };
    },
  };
}

// --- internal ---

function timesIn({ bars, to }: Timeline, { waiting, phases }: RunSnapshot): Pick<ReportData, 'times' | 'asking'> {
  const open = bars.filter((bar) => bar.kind === 'person' && bar.to === null).map(({ phase }) => phase);
  return {
    times: byName([...barsByPhase(bars)].map(([phase, all]) => [phase, workTimes(endBars(all, to))] as const)),
    asking: [...new Set([...waiting, ...open])].filter((name) => phases[name] !== undefined),
  };
}

function isRemark(event: RunRecord['event']): event is ReportRemark['event'] {
  const { type } = event;
  return type === 'phase.warned' || type === 'loop.detected' || type === 'limit.reached' || type === 'limit.lifted';
}

/** Removes outputs: other people read a report, and outputs stay in the store. */
function withoutOutputs(snapshot: RunSnapshot): RunSnapshot {
  const phases = Object.entries(snapshot.phases).map(
    ([name, phase]) => [name, { ...phase, outputs: null, decisions: [] }] as const,
  );
  return { ...snapshot, phases: byName(phases) };
}
