/**
 * Findings of rehearsals: runs that cannot end, gates that never open, and demands that are never granted.
 *
 * @module
 */
import { analyze, type AnalysisFinding } from '../../model/analysis/analyze.ts';
import type { RunRecord } from '../../model/events/event.ts';
import type { PhasePlan, Plan } from '../../model/plan/plan.ts';
import type { Coverage } from '../../projections/coverage/coverage.ts';
import { diagnose } from '../../projections/doctor/diagnose.ts';
import { foldGateHistories } from '../../projections/doctor/gate-history.ts';

/** A finding of rehearsals of a pipeline. */
export interface RehearsalFinding {
  /**
   * - `CANNOT_END`: a rehearsal waits for something that never happens;
   * - `NEVER_OPENS`: a phase is approved in no rehearsal;
   * - `ALWAYS_EXHAUSTS`: no demand of a gate is granted, neither a retry nor a rewind;
   * - `NEVER_SENDS_BACK`: a gate sends back no earlier phase, though it has some before it;
   * - `REVISION_UNREAD`, `REVISION_WITHHELD`, `OUTPUT_UNCHANGED`: as `phasegate doctor` says them, of the tasks that were called;
   * - all others: as `analyze` says them.
   */
  readonly code:
    | 'CANNOT_END'
    | 'NEVER_OPENS'
    | 'ALWAYS_EXHAUSTS'
    | 'NEVER_SENDS_BACK'
    | (typeof OF_WORK)[number]
    | AnalysisFinding['code'];
  /** `problem` if the pipeline does not work as it is, `notice` if somebody should look. */
  readonly severity: 'problem' | 'notice';
  /** Names of the phases that it is about. */
  readonly phases: readonly string[];
  readonly message: string;
}

/** A rehearsal that has not ended. */
export interface StuckRehearsal {
  /** The name of its story. */
  readonly name: string;
  readonly phase: string | undefined;
  readonly waitsFor: readonly string[];
}

/** The rehearsals of a pipeline. */
export interface Rehearsed {
  readonly stuck: readonly StuckRehearsal[];
  /** The records of all that have ended; first those of the one in which every gate approves. */
  readonly runs: readonly (readonly RunRecord[])[];
  readonly coverage: Coverage;
}

/** Returns the findings, problems first. */
export function findingsOf(plan: Plan, { stuck, runs, coverage }: Rehearsed): readonly RehearsalFinding[] {
  const opened = new Set(
    coverage.phases.flatMap(({ phase, status, times }) => (status === 'approved' && times > 0 ? phase : [])),
  );
  const gates = plan.phases.filter(({ name }) => opened.has(name));
  const found: readonly RehearsalFinding[] = [
    ...endless(stuck),
    ...plan.phases.flatMap((phase) => neverOpens(phase, opened, runs[0] ?? [])),
    ...gates.flatMap((phase) => neverGrants(plan, phase, coverage)),
    ...workFindings(runs),
    ...analyze(plan).findings.map((one): RehearsalFinding => ({ ...one, severity: 'notice' })),
  ];
  return [...found.filter(isProblem), ...found.filter((one) => !isProblem(one))];
}

/** True if the pipeline does not work as it is. */
export function isProblem({ severity }: RehearsalFinding): boolean {
  return severity === 'problem';
}

// --- internal ---

/** Codes of the doctor about work, which is the pipeline's own if its tasks are called. All others are about scripted gates. */
const OF_WORK = ['REVISION_UNREAD', 'REVISION_WITHHELD', 'OUTPUT_UNCHANGED'] as const;

/** One finding for all rehearsals that wait for the same. */
function endless(stuck: readonly StuckRehearsal[]): readonly RehearsalFinding[] {
  const waits = ({ waitsFor }: StuckRehearsal): string => waitsFor.join('; ');
  return [...new Set(stuck.map(waits))].map((found) => {
    const same = stuck.filter((one) => waits(one) === found);
    const others = same.length > 1 ? `, or in ${same.length - 1} more rehearsals` : '';
    return {
      code: 'CANNOT_END',
      severity: 'problem',
      phases: [...new Set(same.flatMap(({ phase }) => phase ?? []))],
      message: `A run cannot end if ${same[0]?.name ?? ''}${others}: ${found}`,
    };
  });
}

function neverOpens(
  { name, gate, after }: PhasePlan,
  opened: ReadonlySet<string>,
  records: readonly RunRecord[],
): readonly RehearsalFinding[] {
  // A phase that never starts is no news if one before it never opens.
  if (opened.has(name) || after.some((one) => !opened.has(one))) return [];
  const message = `${gate ? 'The gate of ' : ''}"${name}" never ${gate ? 'opens' : 'completes'}: ${reasonIn(records, name)}`;
  return [{ code: 'NEVER_OPENS', severity: 'problem', phases: [name], message }];
}

/** The reason why a phase was not approved. */
function reasonIn(records: readonly RunRecord[], phase: string): string {
  for (const { event } of records.toReversed()) {
    if (event.type === 'phase.failed' && event.phase === phase) return event.error.message;
    if (event.type === 'phase.rejected' && event.phase === phase) return event.reason;
    if (event.type === 'limit.reached') {
      const { limit, used, max, refused } = event;
      return refused?.estimate === undefined
        ? `limits.${limit} is spent, ${used} of ${max}`
        : `"${refused.task}" may use ${refused.estimate}, and limits.${limit} is ${max}`;
    }
  }
  return 'no rehearsal comes to it';
}

function neverGrants(plan: Plan, { name, gate, after }: PhasePlan, { rows }: Coverage): readonly RehearsalFinding[] {
  if (!gate) return [];
  const granted = rows.filter(({ phase, outcome, times }) => phase === name && outcome === 'granted' && times > 0);
  const { corrections, perPair, attemptsPerPhase } = plan.limits;
  const limits = [
    corrections === 0 && 'limits.corrections is 0',
    attemptsPerPhase === 1 && 'limits.attemptsPerPhase is 1',
  ];
  const notice = (code: 'ALWAYS_EXHAUSTS' | 'NEVER_SENDS_BACK', what: string, why: readonly (string | false)[]) => {
    const reasons = why.filter((one) => one !== false);
    const message = `The gate of "${name}" ${what}${reasons.length > 0 ? `: ${reasons.join(', ')}` : ''}`;
    return [{ code, severity: 'notice', phases: [name], message }] as const;
  };
  if (!granted.some(({ decision }) => decision === 'retry' || decision === 'retryPredecessor'))
    return notice('ALWAYS_EXHAUSTS', 'always exhausts, as its first demand is refused', [
      ...limits,
      gate.maxRetries === 0 && 'maxRetries is 0',
    ]);
  if (after.length === 0 || gate.reviewers.length === 0) return [];
  if (granted.some(({ decision }) => decision === 'retryPredecessor')) return [];
  return notice('NEVER_SENDS_BACK', 'never sends back an earlier phase', [
    gate.targets.length === 0 && 'rewindTo names none',
    gate.maxPredecessorRetries === 0 && 'maxPredecessorRetries is 0',
    perPair === 0 && 'limits.perPair is 0',
  ]);
}

/** Findings about the tasks of the pipeline, if they were called: scripted tasks read their prompts and put out new values. */
function workFindings(runs: readonly (readonly RunRecord[])[]): readonly RehearsalFinding[] {
  const histories = foldGateHistories();
  // Each rehearsal is a run of its own.
  for (const [index, records] of runs.entries())
    for (const record of records) histories.apply({ ...record, runId: String(index) });
  return diagnose(histories.all(), []).flatMap(({ code: given, severity, phase, found, advice }) => {
    const code = OF_WORK.find((one) => one === given);
    return code ? [{ code, severity, phases: [phase], message: `"${phase}": ${found}. ${advice}` }] : [];
  });
}
