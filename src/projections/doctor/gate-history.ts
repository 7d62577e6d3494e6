/**
 * History of gates over any number of runs: a fold over records, which `diagnose` examines.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import type { GatePlan, Plan } from '../../model/plan/plan.ts';
import type { Limits } from '../../model/plan/policy-schema.ts';
import { gateDefaults } from '../../model/plan/policy.ts';
import { count, none, type Counting, type Evidence, type Occurrences } from './occurrences.ts';
import { countReview, type Reviewed } from './review-history.ts';
import { countWork, type Worked } from './work-history.ts';

/** The history of one gate, over all runs. */
export interface GateHistory {
  readonly pipeline: string;
  readonly phase: string;
  /** The gate in the latest run. */
  readonly gate: GatePlan;
  /** The limits of that run. */
  readonly limits: Limits;
  /** Reviews with a decision, without those by people. */
  readonly reviews: number;
  readonly approvals: number;
  /** Demands for changes, to the phase itself and to earlier ones. */
  readonly demands: number;
  /** Demands without a required change of one line, in themselves or in an issue. */
  readonly vague: Occurrences;
  /** Demands in the same words as the previous one, in the same run. */
  readonly repeated: Occurrences;
  /** Demands in other words with the same required change as the previous one, in the same run. */
  readonly rephrased: Occurrences;
  /** Demands in other words with an issue of the previous one. */
  readonly reopened: Occurrences;
  /** Reviews that failed, or whose answer was unreadable. */
  readonly errors: Occurrences;
  /** Attempts that were accepted because the budget was spent. */
  readonly exhausted: Occurrences;
  /** Loops that the run has detected at the gate, as an issue stayed open. */
  readonly issueLoops: Occurrences;
  /** Loops of alternating rewinds. */
  readonly rewindLoops: Occurrences;
  /** Loops of demands in the same words. */
  readonly feedbackLoops: Occurrences;
  /** Loops of attempts with unchanged outputs. */
  readonly unchangedLoops: Occurrences;
  /** Attempts that reached their review with the outputs that were sent back. */
  readonly unchanged: Occurrences;
  /** Attempts after a demand that reached their review. */
  readonly revised: number;
  /** Starts of those attempts in which no task got the demand: none read the revision or a prompt with it, or asked a person. */
  readonly unread: Occurrences;
  /** Tasks of those attempts that used a model and read the revision, but not the prompt. */
  readonly bypassed: Occurrences;
  /** Allowed growth of a prompt, as a multiple of the first: the gate's `maxPromptGrowth`, or its default if that is off. */
  readonly growth: number;
  /** Prompts that grew beyond that. */
  readonly grown: Occurrences;
  /** Characters of the longest prompt that a handler has read; 0 if none has. */
  readonly longestPrompt: number;
  /** Commands that were refused to agents of the phase. */
  readonly refused: Occurrences;
  /** Runs in which the phase began. */
  readonly runs: number;
  /** Number of starts of the phase, by the number of attempts that they took. */
  readonly attempts: ReadonlyMap<number, number>;
}

/** A history during counting. */
export type Counted = {
  -readonly [K in keyof GateHistory]: GateHistory[K] extends Occurrences
    ? Counting
    : GateHistory[K] extends ReadonlyMap<number, number>
      ? Map<number, number>
      : GateHistory[K];
};

/** A fold over the records of any number of runs. */
export interface GateHistories {
  apply(record: RunRecord): void;
  /** Histories by pipeline, then in the order of its phases. */
  all(): readonly GateHistory[];
}

/** Starts a fold. It takes the records of one run after another: the next run resets its state of a run. */
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
      if (run) applyEvent(run, event, { runId, seq });
      // The run may be reopened, so its state is still needed.
      if (event.type === 'run.ended') endRun(run);
    },
    all() {
      endRun(run);
      return [...pipelines.values()].flatMap((phases) => [...phases.values()]);
    },
  };
}

// --- internal ---

/** State of one run, by phase. */
interface RunState {
  readonly runId: string;
  gates: ReadonlyMap<string, Counted>;
  /** Number of attempts of the current start. */
  readonly open: Map<string, number>;
  readonly reviewed: Map<string, Reviewed>;
  readonly worked: Map<string, Worked>;
}

/** Returns the gates of a pipeline, updated from this plan. */
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
    refused: none(),
    runs: 0,
    attempts: new Map(),
  };
}

function applyEvent(run: RunState, event: RunEvent, at: Evidence): void {
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

/** Counts an attempt. A start of a phase ends when the next one begins with its first attempt, or when the run ends. */
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

/** Closes the open starts, and remembers that the phases have begun. */
function endRun(run: RunState | undefined): void {
  for (const [phase, taken] of run?.open ?? []) {
    const counted = run?.gates.get(phase);
    if (counted) closeStart(counted, taken);
    run?.open.set(phase, 0);
  }
}
