/**
 * The fold that counts what the records of runs show of their pipeline.
 *
 * @module
 */
import type { EventOf, RunEvent, RunRecord, Verdict } from '../../model/events/event.ts';
import { CLOCK } from '../../model/plan/inbox-policy.ts';
import type { GatePlan, PhasePlan, Plan } from '../../model/plan/plan.ts';
import { isBroken, isMissing } from '../../model/review/verdict.ts';
import { countChecks, type CheckState } from './check-counts.ts';
import type { CoveredDecision, CoveredOutcome, CoveredStatus } from './coverage-entry.ts';
import type { CoverageTables } from './coverage-tables.ts';

/** A fold over the records of one run. */
export interface RunCoverage {
  /** Sets the definition that the run follows from now on. */
  follow(plan: Plan): void;
  apply(record: RunRecord): void;
}

/** Starts a fold over one run. @param known Names of the phases that count. */
export function coverRun(tables: CoverageTables, known: ReadonlySet<string>): RunCoverage {
  const phases = new Map<string, PhaseState>();
  const items = new Map<number, string>();
  let gates: ReadonlyMap<string, PhasePlan['gate']> = new Map();

  function stateOf(phase: string): PhaseState {
    const state = phases.get(phase) ?? newState();
    phases.set(phase, state);
    return state;
  }

  return {
    follow(plan) {
      gates = new Map(plan.phases.map(({ name, gate }) => [name, gate]));
    },
    apply({ seq, event }) {
      if (event.type === 'run.ended') tables.ends.count({ status: event.status });
      if (event.type === 'limit.reached') countLimit(tables, event);
      if (event.type === 'phase.escalated' || (event.type === 'task.asked' && event.reviewer))
        items.set(seq, event.phase);
      const phase = phaseOf(event, items);
      if (phase === undefined || !known.has(phase)) return;
      const state = stateOf(phase);
      const gate = gates.get(phase) ?? null;
      const status = STATUSES[event.type];
      if (status) tables.phases.count({ phase, status });
      if (gate) countChecks(tables.checks, phase, gate, state.checks, event);
      if (event.type === 'review.decided') decide(tables, gate, state, event);
      else settle(tables, phase, state, event);
      if (event.type === 'phase.rewinding') countRewinds(tables, known, event);
    },
  };
}

// --- internal ---

/** The demand, or the review without an answer, of which the next records tell what becomes of it. */
type Pending =
  | { readonly type: 'retry' }
  | { readonly type: 'retryPredecessor'; readonly target: string }
  | { readonly type: 'reviewAgain' };

interface PhaseState {
  pending: Pending | null;
  /** True if a person was asked about the phase, and has not answered. */
  escalated: boolean;
  readonly checks: CheckState;
}

function newState(): PhaseState {
  return { pending: null, escalated: false, checks: { counted: false, preexisting: false, baseline: null } };
}

/** Returns the phase that an event is about. An item of a limit has none, and that of a task is no matter of a gate. */
function phaseOf(event: RunEvent, items: ReadonlyMap<number, string>): string | undefined {
  if (event.type === 'item.changed') return items.get(event.item);
  return 'phase' in event ? event.phase : undefined;
}

function countLimit({ limits }: CoverageTables, { limit }: EventOf<'limit.reached'>): void {
  limits.count({ limit, max: null });
}

const STATUSES: Partial<Record<RunEvent['type'], CoveredStatus>> = {
  'phase.started': 'ran',
  'phase.approved': 'approved',
  'phase.rejected': 'rejected',
  'phase.failed': 'failed',
  'phase.skipped': 'skipped',
  'phase.cancelled': 'cancelled',
};

function countRewinds(
  { rewinds }: CoverageTables,
  known: ReadonlySet<string>,
  { phase: from, target, riders = [] }: EventOf<'phase.rewinding'>,
): void {
  const sent = [target, ...riders.map(({ phase }) => phase)];
  // A rider of the phase itself is told to it, and sends nothing back.
  for (const to of sent) if (known.has(to) && to !== from) rewinds.count({ from, to });
}

/** Counts a decision, and notes what is still to come of it. */
function decide(
  tables: CoverageTables,
  gate: GatePlan | null,
  state: PhaseState,
  { phase, verdict, verdicts, by, who }: EventOf<'review.decided'>,
): void {
  state.pending = null;
  if (by === 'person') {
    if (who !== CLOCK) row(tables, phase, 'question', 'answered');
    return;
  }
  const seen = new Set([verdict, ...Object.values(verdicts)].flatMap((one) => UNDECIDED[one.type] ?? []));
  if (isBroken(verdict)) {
    row(tables, phase, 'brokenAnswer');
    return;
  }
  for (const decision of seen) row(tables, phase, decision);
  if (verdict.type === 'approve' || verdict.type === 'reject' || verdict.type === 'escalate')
    row(tables, phase, verdict.type);
  state.pending = pendingOf(tables, gate, phase, verdict, by === 'gate');
}

const UNDECIDED: Partial<Record<Verdict['type'], CoveredDecision>> = {
  unavailable: 'reviewError',
  unrecognised: 'unreadable',
  inconclusive: 'inconclusive',
};

function pendingOf(
  tables: CoverageTables,
  gate: GatePlan | null,
  phase: string,
  verdict: Verdict,
  byGate: boolean,
): Pending | null {
  if (isMissing(verdict, gate?.onUnrecognised ?? 'ask')) return { type: 'reviewAgain' };
  if (verdict.type === 'retry') return { type: 'retry' };
  if (verdict.type !== 'retryPredecessor' || !gate) return null;
  if (gate.targets.includes(verdict.phase)) return { type: 'retryPredecessor', target: verdict.phase };
  row(tables, phase, 'invalidTarget');
  return byGate && gate.onInvalidTarget === 'ask' ? { type: 'reviewAgain' } : null;
}

/** Counts what has become of a demand, or of a review without an answer; and of a question. */
function settle(tables: CoverageTables, phase: string, state: PhaseState, event: RunEvent): void {
  const { pending } = state;
  if (event.type === 'task.answered' && event.reviewer && event.who !== CLOCK)
    row(tables, phase, 'question', 'answered');
  if (event.type === 'item.changed' && event.change === 'expired') row(tables, phase, 'question', 'expired');
  // Only a person skips a phase that waits for one.
  if (event.type === 'phase.skipped' && state.escalated) row(tables, phase, 'question', 'answered');
  if (event.type.startsWith('phase.') && event.type !== 'phase.warned')
    state.escalated = event.type === 'phase.escalated';
  if (!pending || !SETTLING.has(event.type)) return;
  state.pending = null;
  const outcome = outcomeOf(pending, event);
  if (outcome) row(tables, phase, pending.type, outcome, pending.type === 'retryPredecessor' ? pending.target : null);
}

/** Events after which a demand, or a review without an answer, is over. */
const SETTLING: ReadonlySet<RunEvent['type']> = new Set<RunEvent['type']>([
  'review.started',
  'phase.started',
  'phase.retrying',
  'phase.rewinding',
  'phase.rejected',
  'phase.approved',
  'phase.escalated',
  'phase.failed',
  'phase.invalidated',
  'phase.skipped',
  'phase.cancelled',
]);

/** Returns the outcome that the budgets have decided; `undefined` if something else has. */
function outcomeOf({ type }: Pending, event: RunEvent): CoveredOutcome | undefined {
  if (event.type === 'review.started') return type === 'reviewAgain' ? 'granted' : undefined;
  if (event.type === 'phase.retrying' || event.type === 'phase.rewinding') return 'granted';
  if (event.type === 'phase.rejected' || event.type === 'phase.approved') return 'refused';
  // A demand that a limit of the run refuses is an entry of the limits.
  if (event.type === 'phase.escalated') return event.because === 'limit' ? undefined : 'refused';
  const isRefused = type === 'reviewAgain' || ('error' in event && event.error?.code === 'REWORK_IMPOSSIBLE');
  return event.type === 'phase.failed' && isRefused ? 'refused' : undefined;
}

function row(
  { rows }: CoverageTables,
  phase: string,
  decision: CoveredDecision,
  outcome: CoveredOutcome | null = null,
  target: string | null = null,
): void {
  rows.count({ phase, decision, target, outcome });
}
