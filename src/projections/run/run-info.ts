/**
 * The status of a run, as a row for lists.
 *
 * @module
 */
import type { RunRecord, RunStatus } from '../../model/events/event.ts';
import { shownTags } from '../../model/events/run-tags.ts';
import { foldRunTimes, type RunTimesFold } from '../../model/events/run-times.ts';

/** The status of a run after its latest record. */
export interface RunInfo {
  readonly runId: string;
  /** The name of its pipeline. */
  readonly pipeline: string;
  /** The fingerprint of its plan. */
  readonly fingerprint: string;
  /** `running` also if no process works on it: see `lease`. */
  readonly status: RunStatus | 'running';
  /** The start in milliseconds since 1970: the time of its first record; for a fork, the time at which it was made. */
  readonly startedAt: number;
  /** Milliseconds since 1970, of its latest record; never before `startedAt`, as all records of a fork may be older than the fork. */
  readonly updatedAt: number;
  /** The number of its latest record. */
  readonly seq: number;
  /** Number of phases that are approved now, and of phases of the plan. */
  readonly approved: number;
  readonly phases: number;
  /** US dollars and tokens, as far as reported. */
  readonly costUsd: number;
  readonly tokens: number;
  /** Milliseconds of work up to its latest record, without waiting for people. Absent if an earlier version wrote the row. */
  readonly workedMs?: number | undefined;
  /** Its tags, such as `team=search`, in the order of their keys. Absent if there are none. */
  readonly tags?: readonly string[] | undefined;
  /** Phases and limits that wait for a person. */
  readonly waiting: readonly string[];
  /** The run that it was forked from. */
  readonly forkOf?: string | undefined;
  /** The source of its definition, such as the path of a file. */
  readonly source?: string | undefined;
}

/** The origin of a run, which its records do not have. `startedAt` is needed if its first record was copied from another run. */
export interface RunOrigin extends Pick<RunInfo, 'forkOf' | 'source'> {
  readonly startedAt?: number | undefined;
}

/** A fold over the records of a run. */
export interface RunInfoFold {
  apply(record: RunRecord): void;
  /** @param waiting Names of items that wait for a person, as `openItems` returns them. */
  info(waiting: readonly string[]): RunInfo;
  /** Returns the times of its work, as a fold that goes on by itself. */
  times(): RunTimesFold;
}

/** Starts a fold before the first record. */
export function foldRunInfo({ forkOf, source, startedAt: begunAt }: RunOrigin = {}): RunInfoFold {
  const approved = new Set<string>();
  // A list may be edited, and records are sealed: a run that is no fork has its deadline by its records.
  const times = foldRunTimes(forkOf === undefined ? undefined : begunAt);
  const used = { costUsd: 0, tokens: 0 };
  const state = { runId: '', pipeline: '', fingerprint: '', startedAt: 0, updatedAt: 0, seq: 0, phases: 0 };
  let status: RunInfo['status'] = 'running';
  let tags: readonly string[] = [];
  return {
    apply(record) {
      const { runId, seq, time, event } = record;
      times.apply(record);
      state.updatedAt = time;
      state.seq = seq;
      if (event.type === 'run.started') {
        const { plan, fingerprint } = event;
        Object.assign(state, { runId, fingerprint, pipeline: plan.name, phases: plan.phases.length });
        state.startedAt = begunAt ?? time;
        tags = shownTags(event.tags);
      } else if (event.type === 'run.resumed' && event.plan) {
        Object.assign(state, { fingerprint: event.fingerprint, phases: event.plan.phases.length });
      } else if (event.type === 'run.reopened') status = 'running';
      else if (event.type === 'run.ended') ({ status } = event);
      else if (event.type === 'phase.approved') approved.add(event.phase);
      else if (event.type === 'phase.started' || event.type === 'phase.invalidated') approved.delete(event.phase);
      else if (event.type === 'task.reported') {
        used.costUsd += event.costUsd ?? 0;
        used.tokens += event.tokens ?? 0;
      }
    },
    info(waiting) {
      const { runId, pipeline, fingerprint, startedAt, updatedAt, seq, phases } = state;
      const { costUsd, tokens } = used;
      // Fields are written out, as V8 would make a class per spread object, and every batch writes one of these.
      return {
        runId,
        pipeline,
        fingerprint,
        status,
        startedAt,
        updatedAt: Math.max(startedAt, updatedAt),
        seq,
        approved: approved.size,
        phases,
        costUsd,
        tokens,
        workedMs: times.at().durationMs,
        tags: tags.length === 0 ? undefined : tags,
        waiting,
        forkOf,
        source,
      };
    },
    times: () => times.copy(),
  };
}
