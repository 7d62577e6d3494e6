/**
 * What the gates of pipelines have done in any number of runs: a fold over records, to be judged by `diagnose`.
 *
 * @module
 */
import type { RunEvent, RunRecord } from './event.ts';
import type { GatePlan, Plan } from './plan.ts';
import { isMissing } from './verdict.ts';

/** A record that shows something, by its run and number. */
export interface Evidence {
  readonly runId: string;
  readonly seq: number;
}

/** What one gate has done, in all runs together. */
export interface GateHistory {
  readonly pipeline: string;
  readonly phase: string;
  /** As in the run that was read last. */
  readonly gate: GatePlan;
  /** Whether a limit of the run bounds how often a phase is sent back, where the gate itself sets no bound. */
  readonly isLimited: boolean;
  /** Reviews that came to a decision, without those by people. */
  readonly reviews: number;
  readonly approvals: number;
  /** Demands for changes, of the phase itself and of earlier ones. */
  readonly demands: number;
  /** Demands, as far as no change was named as one sentence. */
  readonly vague: readonly Evidence[];
  /** Demands in the same words as the one before, in the same run. */
  readonly repeated: readonly Evidence[];
  /** Reviews that could not be had, or could not be read. */
  readonly errors: readonly Evidence[];
  /** Attempts that stood because the budget was spent. */
  readonly exhausted: readonly Evidence[];
  /** Prompts that had grown past the gate's `maxPromptGrowth`. */
  readonly grown: readonly Evidence[];
  /** Characters of the longest prompt that a handler has read; 0 where none has. */
  readonly longestPrompt: number;
  /** Times that a later phase has sent this one back. */
  readonly sentBack: readonly Evidence[];
  /** Runs in which the phase began. */
  readonly runs: number;
  /** For each number of attempts that one start of the phase took, how many took so many. */
  readonly attempts: ReadonlyMap<number, number>;
}

/** The fold. */
export interface GateHistories {
  apply(record: RunRecord): void;
  /** By pipeline, then in the order of its phases. */
  all(): readonly GateHistory[];
}

/** Begins with no records. Runs may come in any order, the records of one run in theirs. */
export function foldGateHistories(): GateHistories {
  const pipelines = new Map<string, Map<string, Counted>>();
  const runs = new Map<string, RunState>();
  return {
    apply({ runId, seq, event }) {
      if ((event.type === 'run.started' || event.type === 'run.resumed') && event.plan) {
        const gates = gatesOf(pipelines, event.plan);
        runs.set(runId, { open: new Map(), words: new Map(), seen: new Set(), ...runs.get(runId), gates });
      }
      const run = runs.get(runId);
      if (run) heed(run, event, { runId, seq });
      if (event.type === 'run.ended') endRun(run);
    },
    all() {
      for (const run of runs.values()) endRun(run);
      return [...pipelines.values()].flatMap((phases) => [...phases.values()]);
    },
  };
}

// --- internal ---

/** A history that is being written. */
interface Counted {
  pipeline: string;
  phase: string;
  gate: GatePlan;
  isLimited: boolean;
  reviews: number;
  approvals: number;
  demands: number;
  longestPrompt: number;
  runs: number;
  readonly vague: Evidence[];
  readonly repeated: Evidence[];
  readonly errors: Evidence[];
  readonly exhausted: Evidence[];
  readonly grown: Evidence[];
  readonly sentBack: Evidence[];
  readonly attempts: Map<number, number>;
}

/** What has to be remembered of one run. */
interface RunState {
  readonly gates: ReadonlyMap<string, Counted>;
  /** The attempts of the current start of each phase. */
  readonly open: Map<string, number>;
  /** The words of the latest demand of each phase. */
  readonly words: Map<string, string>;
  readonly seen: Set<string>;
}

/** The gates of a pipeline, as this plan has them. */
function gatesOf(pipelines: Map<string, Map<string, Counted>>, plan: Plan): RunState['gates'] {
  const known = pipelines.get(plan.name) ?? new Map<string, Counted>();
  pipelines.set(plan.name, known);
  const isLimited = plan.limits.corrections !== undefined || plan.limits.attemptsPerPhase !== undefined;
  for (const { name, gate } of plan.phases) {
    if (!gate) continue;
    const counted = known.get(name) ?? emptyHistory(plan.name, name, gate);
    counted.gate = gate;
    counted.isLimited = isLimited;
    known.set(name, counted);
  }
  return known;
}

function emptyHistory(pipeline: string, phase: string, gate: GatePlan): Counted {
  return {
    pipeline,
    phase,
    gate,
    isLimited: false,
    reviews: 0,
    approvals: 0,
    demands: 0,
    longestPrompt: 0,
    runs: 0,
    vague: [],
    repeated: [],
    errors: [],
    exhausted: [],
    grown: [],
    sentBack: [],
    attempts: new Map(),
  };
}

function heed(run: RunState, event: RunEvent, at: Evidence): void {
  if (event.type === 'phase.rewinding') run.gates.get(event.target)?.sentBack.push(at);
  const counted = 'phase' in event ? run.gates.get(event.phase) : undefined;
  if (!counted) return;
  if (event.type === 'phase.started') countAttempt(run, counted, event.attempt);
  else if (event.type === 'review.decided') countReview(run, counted, event, at);
  else if (event.type === 'phase.warned' && event.code === 'PROMPT_GREW') counted.grown.push(at);
  else if (event.type === 'phase.approved' && event.because === 'exhausted') counted.exhausted.push(at);
  else if (event.type === 'task.completed' || event.type === 'task.failed') {
    counted.longestPrompt = Math.max(counted.longestPrompt, event.prompt?.chars ?? 0);
  }
}

/** A start of a phase is over when its next one begins, which is its first attempt, or when the run ends. */
function countAttempt(run: RunState, counted: Counted, attempt: number): void {
  const { phase } = counted;
  if (!run.seen.has(phase)) counted.runs += 1;
  run.seen.add(phase);
  const before = run.open.get(phase);
  if (before !== undefined && attempt === 0) closeStart(counted, before);
  run.open.set(phase, attempt === 0 ? 1 : (before ?? 0) + 1);
}

function closeStart({ attempts }: Counted, taken: number): void {
  attempts.set(taken, (attempts.get(taken) ?? 0) + 1);
}

function endRun(run: RunState | undefined): void {
  for (const [phase, taken] of run?.open ?? []) {
    const counted = run?.gates.get(phase);
    if (counted) closeStart(counted, taken);
  }
  run?.open.clear();
}

function countReview(
  { words }: RunState,
  counted: Counted,
  { verdict, by }: Extract<RunEvent, { readonly type: 'review.decided' }>,
  at: Evidence,
): void {
  if (by !== 'gate') return;
  if (isMissing(verdict, counted.gate.onUnrecognised)) {
    counted.errors.push(at);
    return;
  }
  switch (verdict.type) {
    case 'retry':
    case 'retryPredecessor':
      counted.demands += 1;
      if ((verdict.requiredChange ?? '').trim() === '') counted.vague.push(at);
      if (words.get(counted.phase) === wordsOf(verdict.feedback)) counted.repeated.push(at);
      words.set(counted.phase, wordsOf(verdict.feedback));
      break;
    case 'approve':
    case 'unrecognised':
      counted.approvals += 1;
      break;
    case 'reject':
    case 'escalate':
    case 'unavailable':
    case 'inconclusive':
  }
  counted.reviews += 1;
}

/** A text without what does not make it another: spaces, and capital letters. */
function wordsOf(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim().toLowerCase();
}
