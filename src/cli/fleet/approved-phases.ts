/**
 * The approved phases of a run that has handed nothing over, from its records.
 *
 * @module
 */
import type { ApprovedPart } from '../../fleet/approved-work.ts';
import { earlierIntegration } from '../../fleet/level-outputs.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { HAND_OVER, OWN_TASKS } from '../../model/plan/level.ts';
import type { PhasePlan, Plan } from '../../model/plan/plan.ts';
import { graphOf, topologicalOrder } from '../../model/values/graph.ts';
import type { PhaseResult } from '../../projections/run/run-result.ts';
import { foldRun } from '../../projections/run/run-view.ts';
import type { RunStore } from '../../store/port.ts';
import { readPlans, readRun } from '../../store/read-run.ts';

/** A phase whose work is not taken. */
export interface OtherPhase {
  readonly phase: string;
  /** Reason, such as its status. */
  readonly because: string;
}

/** The work of a run as far as it is approved. */
export interface ApprovedPhases {
  /** Names of the phases whose work can be taken, in the order of the plan. */
  readonly taken: readonly string[];
  /** Those of them whose work is not part of that of another one. They have the work of all. */
  readonly heads: readonly ApprovedPart[];
  /** Approved phases whose work is not taken, as it has work in it that is not approved any more. */
  readonly left: readonly OtherPhase[];
  /** Phases that are not approved. */
  readonly unapproved: readonly OtherPhase[];
}

/**
 * Reads the approved phases of a run. An approved phase counts only if the phases before it count, and have not changed since.
 *
 * @returns `undefined` if the run has handed its work over, or its phases have no folders.
 * @throws PhasegateError `STORE_UNREADABLE`
 */
export async function readApprovedPhases(
  store: Pick<RunStore, 'read' | 'artifact'>,
  runId: string,
): Promise<ApprovedPhases | undefined> {
  // A large output that is damaged is no reason to refuse work that was handed over.
  const state = stateIn(await readPlans(store, runId));
  if (!state.plan?.phases.some(hasFolders) || state.phases[HAND_OVER]?.status === 'approved') return undefined;
  const { plan, phases } = stateIn(await readRun(store, runId));
  return plan && approvedIn(plan, phases);
}

// --- internal ---

type Phases = Readonly<Record<string, PhaseResult>>;

function stateIn(records: readonly RunRecord[]): { readonly plan: Plan | undefined; readonly phases: Phases } {
  const view = foldRun();
  let plan: Plan | undefined;
  for (const record of records) {
    view.apply(record);
    const { event } = record;
    if (event.type === 'run.started' || event.type === 'run.resumed') plan = event.plan ?? plan;
  }
  return { plan, phases: view.snapshot().phases };
}

/** True for a phase that starts from a commit, and ends with one. */
function hasFolders({ tasks }: PhasePlan): boolean {
  return Object.values(OWN_TASKS).every((own) => tasks.some(({ name }) => name === own));
}

function approvedIn(plan: Plan, phases: Phases): ApprovedPhases {
  const plans = topologicalOrder(graphOf(plan.phases)).flatMap((at) => plan.phases[at] ?? []);
  /** Reasons why the work of a phase does not count; of phases that count, none. */
  const reasons = new Map<string, string>();
  const commits = new Map<string, string>();
  for (const one of plans) {
    const reason = reasonAgainst(one, phases[one.name], reasons);
    const work = hasFolders(one) ? earlierIntegration(phases[one.name]?.outputs?.[OWN_TASKS.integrate]) : undefined;
    if (reason !== undefined) reasons.set(one.name, reason);
    else if (work) commits.set(one.name, work.commit);
    else if (hasFolders(one)) reasons.set(one.name, 'its commit is not known');
  }
  const own = plan.phases.filter(hasFolders).map(({ name }) => name);
  const others = own.filter((phase) => !commits.has(phase));
  const isApproved = (phase: string) => phases[phase]?.status === 'approved';
  const inOthers = new Set(plan.phases.flatMap(({ name, after }) => (commits.has(name) ? after : [])));
  const because = (phase: string): OtherPhase => ({ phase, because: reasons.get(phase) ?? '' });
  return {
    taken: own.filter((phase) => commits.has(phase)),
    heads: own.flatMap((name) => {
      const commit = commits.get(name);
      return commit === undefined || inOthers.has(name) ? [] : [{ name, commit }];
    }),
    left: others.filter(isApproved).map(because),
    unapproved: others.filter((phase) => !isApproved(phase)).map(because),
  };
}

function reasonAgainst(
  { after }: PhasePlan,
  phase: PhaseResult | undefined,
  reasons: ReadonlyMap<string, string>,
): string | undefined {
  if (phase?.status !== 'approved') return phase?.status ?? 'pending';
  const before = after.find((name) => reasons.has(name));
  if (before !== undefined) return `it builds on ${before}`;
  return phase.stale ? 'it builds on work that has changed since' : undefined;
}
