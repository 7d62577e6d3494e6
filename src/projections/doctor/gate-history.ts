/**
 * What the gates of pipelines have done in any number of runs: a fold over records, to be judged by `diagnose`.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import type { GatePlan, Plan } from '../../model/plan/plan.ts';
import { gateDefaults, type Limits } from '../../model/plan/policy.ts';
import { count, none, type Counting, type Evidence, type Occurrences } from './occurrences.ts';
import { countReview, type Reviewed } from './review-history.ts';
import { countWork, type Worked } from './work-history.ts';

/** What one gate has done, in all runs together. */
export interface GateHistory {
  readonly pipeline: string;
  readonly phase: string;
  /** As in the run that was read last. */
  readonly gate: GatePlan;
  /** Those of that run. */
  readonly limits: Limits;
  /** Reviews that came to a decision, without those by people. */
  readonly reviews: number;
  readonly approvals: number;
  /** Demands for changes, of the phase itself and of earlier ones. */
  readonly demands: number;
  /** Demands that named no change on one line, in themselves or in an issue. */
  readonly vague: Occurrences;
  /** Demands in the same words as the one before, in the same run. */
  readonly repeated: Occurrences;
  /** Demands in other words that named the same required change as the one before, in the same run. */
  readonly rephrased: Occurrences;
  /** Demands in other words that had an issue of the one before. */
  readonly reopened: Occurrences;
  /** Reviews that could not be had, or could not be read. */
  readonly errors: Occurrences;
  /** Attempts that stood because the budget was spent. */
  readonly exhausted: Occurrences;
  /** Times that the run has found the gate to go round in a loop, as an issue stayed open. */
  readonly issueLoops: Occurrences;
  /** The same, as rewinds take turns. */
  readonly rewindLoops: Occurrences;
  /** The same, as it has demanded the same in the same words. */
  readonly feedbackLoops: Occurrences;
  /** The same, as what it sends back puts out the same. */
  readonly unchangedLoops: Occurrences;
  /** Attempts that came to their review with the outputs that were sent back. */
  readonly unchanged: Occurrences;
  /** Attempts after a demand that came to their review. */
  readonly revised: number;
  /** Starts of those in which nobody was told: no task has read a prompt with the revision, or the revision, or asked a person. */
  readonly unread: Occurrences;
  /** Tasks of those that asked a model and had read the revision, but not the prompt. */
  readonly bypassed: Occurrences;
  /** How many times as long as the first a prompt may be: the gate's `maxPromptGrowth`, or its default where that is off. */
  readonly growth: number;
  /** Prompts that had grown past that. */
  readonly grown: Occurrences;
  /** Characters of the longest prompt that a handler has read; 0 where none has. */
  readonly longestPrompt: number;
  /** Runs in which the phase began. */
  readonly runs: number;
  /** For each number of attempts that one start of the phase took, how many took so many. */
  readonly attempts: ReadonlyMap<number, number>;
}

/** A history that is being written. */
export type Counted = {
  -readonly [K in keyof GateHistory]: GateHistory[K] extends Occurrences
    ? Counting
    : GateHistory[K] extends ReadonlyMap<number, number>
      ? Map<number, number>
      : GateHistory[K];
};

/** The fold. */
export interface GateHistories {
  apply(record: RunRecord): void;
  /** By pipeline, then in the order of its phases. */
  all(): readonly GateHistory[];
}

/** Begins with no records. Takes those of one run after another: what it has to remember of a run, it forgets with the next one. */
export function foldGateHistories(): GateHistories {
  const pipelines = new Map<string, Map<string, Counted>>();
  let run: RunState | undefined;
  return {
    apply({ runId, seq, event }) {
      if (run && run.runId !== runId) {
        endRun(run);
        run = undefined;
      }
      if ((event.type === 'run.started' || event.type === 'run.resumed') && event.plan) {
        run ??= { runId, gates: new Map(), open: new Map(), reviewed: new Map(), worked: new Map() };
        run.gates = gatesOf(pipelines, event.plan);
      }
      if (run) heed(run, event, { runId, seq });
      // It may be reopened, so the rest is still to be known.
      if (event.type === 'run.ended') endRun(run);
    },
    all() {
      endRun(run);
      return [...pipelines.values()].flatMap((phases) => [...phases.values()]);
    },
  };
}

// --- internal ---

/** What has to be remembered of one run, by phase. */
interface RunState {
  readonly runId: string;
  gates: ReadonlyMap<string, Counted>;
  /** The attempts of the current start. */
  readonly open: Map<string, number>;
  readonly reviewed: Map<string, Reviewed>;
  readonly worked: Map<string, Worked>;
}

/** The gates of a pipeline, as this plan has them. */
function gatesOf(pipelines: Map<string, Map<string, Counted>>, plan: Plan): RunState['gates'] {
  const known = pipelines.get(plan.name) ?? new Map<string, Counted>();
  pipelines.set(plan.name, known);
  for (const { name, gate } of plan.phases) {
    if (!gate) continue;
    const counted = known.get(name) ?? emptyHistory(plan.name, name, gate);
    counted.gate = gate;
    counted.limits = plan.limits;
    counted.growth = gate.maxPromptGrowth || gateDefaults.maxPromptGrowth;
    known.set(name, counted);
  }
  return known;
}

function emptyHistory(pipeline: string, phase: string, gate: GatePlan): Counted {
  return {
    pipeline,
    phase,
    gate,
    limits: {},
    reviews: 0,
    approvals: 0,
    demands: 0,
    vague: none(),
    repeated: none(),
    rephrased: none(),
    reopened: none(),
    errors: none(),
    exhausted: none(),
    issueLoops: none(),
    rewindLoops: none(),
    feedbackLoops: none(),
    unchangedLoops: none(),
    unchanged: none(),
    revised: 0,
    unread: none(),
    bypassed: none(),
    growth: 0,
    grown: none(),
    longestPrompt: 0,
    runs: 0,
    attempts: new Map(),
  };
}

function heed(run: RunState, event: RunEvent, at: Evidence): void {
  const counted = 'phase' in event ? run.gates.get(event.phase) : undefined;
  if (!counted) return;
  const { phase } = counted;
  run.worked.set(phase, countWork(counted, run.worked.get(phase), event, at));
  if (event.type === 'phase.started') countAttempt(run, counted, event.attempt);
  else if (event.type === 'review.decided')
    run.reviewed.set(phase, countReview(counted, run.reviewed.get(phase), event, at));
  else if (event.type === 'loop.detected') count(counted[`${event.kind}Loops`], at);
  else if (event.type === 'attempt.unchanged') count(counted.unchanged, at);
  else if (event.type === 'phase.approved' && event.because === 'exhausted') count(counted.exhausted, at);
}

/** A start of a phase is over when its next one begins, which is its first attempt, or when the run ends. */
function countAttempt({ open }: RunState, counted: Counted, attempt: number): void {
  const { phase } = counted;
  const before = open.get(phase);
  if (before === undefined) counted.runs += 1;
  else if (attempt === 0) closeStart(counted, before);
  open.set(phase, attempt === 0 ? 1 : (before ?? 0) + 1);
}

function closeStart({ attempts }: Counted, taken: number): void {
  if (taken > 0) attempts.set(taken, (attempts.get(taken) ?? 0) + 1);
}

/** Closes what is open, and remembers that it has begun. */
function endRun(run: RunState | undefined): void {
  for (const [phase, taken] of run?.open ?? []) {
    const counted = run?.gates.get(phase);
    if (counted) closeStart(counted, taken);
    run?.open.set(phase, 0);
  }
}
