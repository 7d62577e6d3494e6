/**
 * What a report tells of a run, as data.
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
import type { Amounts } from '../../projections/wording/amount-words.ts';
import type { ListedRun, RunInfo } from '../../store/port.ts';
import { standingOf, type Standing } from '../../store/run-status.ts';
import { createEventLines } from '../show/event-lines.ts';

/** A judgement of an attempt. */
export interface ToldDecision {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly phase: string;
  readonly generation: number;
  /** 0-based. */
  readonly attempt: number;
  readonly by: DecidedBy;
  readonly who: string | null;
  readonly verdict: Verdict;
}

/** Something that deserves a look: a warning, a loop, a limit that is spent. */
export interface ToldRemark {
  readonly seq: number;
  readonly time: number;
  readonly event: EventOf<'phase.warned' | 'loop.detected' | 'limit.reached' | 'limit.lifted'>;
  /** As a line of plain output. */
  readonly text: string;
}

/** A report as data. */
export interface ReportData {
  readonly info: RunInfo;
  /** Milliseconds since 1970, of its first record; in a fork that is the one of the run that it was made of. */
  readonly firstAt: number;
  readonly standing: Standing;
  /** Without outputs, and without decisions, which are beside it. */
  readonly snapshot: RunSnapshot;
  /** The part of tokens and dollars that is an estimate, as nobody said what was used. */
  readonly estimated: Amounts;
  readonly decisions: readonly ToldDecision[];
  readonly defects: readonly Defect[];
  readonly measures: Measures;
  readonly remarks: readonly ToldRemark[];
}

/** The fold from the records of a run, from the first on. */
export interface ReportFold {
  apply(record: RunRecord): void;
  data(run: ListedRun): ReportData;
}

/** Begins before the first record. */
export function foldReport(): ReportFold {
  const view = foldRun();
  const quality = foldQuality();
  const decisions: ToldDecision[] = [];
  const remarks: ToldRemark[] = [];
  const say = createEventLines();
  let firstAt = 0;
  const estimated = { tokens: 0, costUsd: 0 };
  return {
    apply(record) {
      view.apply(record);
      quality.apply(record);
      const { seq, time, event } = record;
      if (seq === 1) firstAt = time;
      if (event.type === 'review.decided') {
        const { phase, generation, attempt, by, who = null, verdict } = event;
        decisions.push({ seq, time, phase, generation, attempt, by, who, verdict });
      } else if (event.type === 'task.reported' && event.estimated) {
        estimated.tokens += event.tokens ?? 0;
        estimated.costUsd += event.costUsd ?? 0;
      } else if (event.type === 'run.started' || event.type === 'run.resumed') say.recall(record);
      else if (isRemark(event)) remarks.push({ seq, time, event, text: say(record) });
    },
    data(run) {
      const { lease: _lease, lapsed: _lapsed, ...info } = run;
      const snapshot = withoutOutputs(view.snapshot());
      const measures = quality.measures();
      return {
        info,
        firstAt,
        standing: standingOf(run),
        snapshot,
        estimated: { ...estimated },
        decisions,
        defects: quality.defects(),
        measures,
        remarks,
      };
    },
  };
}

// --- internal ---

function isRemark(event: RunRecord['event']): event is ToldRemark['event'] {
  const { type } = event;
  return type === 'phase.warned' || type === 'loop.detected' || type === 'limit.reached' || type === 'limit.lifted';
}

/** A report is for others to read: what was worked on stays where it is kept. */
function withoutOutputs(snapshot: RunSnapshot): RunSnapshot {
  const phases = Object.entries(snapshot.phases).map(
    ([name, phase]) => [name, { ...phase, outputs: null, decisions: [] }] as const,
  );
  return { ...snapshot, phases: byName(phases) };
}
