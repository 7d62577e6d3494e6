/**
 * The fold from records to defects, without the cost of their corrections.
 *
 * @module
 */
import { issueId } from '../../model/decision/issue.ts';
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { findingsAfter, type ReviewFinding } from '../../model/review/open-issues.ts';
import { decisionIn } from '../../model/review/verdict.ts';
import type { CorrectionEvent } from './correction-causes.ts';
import { finderOf, originOf, phasesIn, statementsIn } from './defect-origin.ts';
import type { Attribution, Defect, Detection, Disposition } from './defect.ts';
import { impliedIssue, withImpliedIssues, WORKER } from './implied-issues.ts';

/** A defect with its history so far. */
export interface TrackedDefect extends Pick<Defect, 'number' | 'id' | 'type' | 'description'> {
  /** The id of its findings at its gate. */
  readonly key: string;
  severity: Defect['severity'];
  injected: string;
  disposition: Disposition;
  removed: Defect['removed'];
  fix: Defect['fix'];
  readonly attribution: Attribution[];
  readonly found: [Detection, ...Detection[]];
  /** Records of corrections that include it. */
  readonly corrections: number[];
  /** The phase that was last asked to correct it, and the version of that phase at that time. */
  corrector: { readonly phase: string; readonly version: number } | undefined;
}

/** The fold. */
export interface DefectLog {
  readonly defects: readonly TrackedDefect[];
  apply(record: RunRecord): void;
  /** Applies a correction. @returns The defects that it includes. */
  correct(correction: CorrectionEvent, seq: number): readonly TrackedDefect[];
}

/** Starts a fold before the first record. */
export function foldDefectLog(): DefectLog {
  const log: Log = { plan: undefined, gates: new Map(), defects: [], passed: new Map() };
  return {
    defects: log.defects,
    apply(record) {
      const { event } = record;
      if (event.type === 'run.started' || event.type === 'run.resumed') log.plan = event.plan ?? log.plan;
      else if (event.type === 'review.decided') judge(log, event, record);
      else if (event.type === 'phase.approved') pass(log, event, record);
    },
    correct(correction, seq) {
      const defects = defectsIn(log, correction);
      for (const [defect, phase] of defects) {
        defect.corrections.push(seq);
        defect.corrector = { phase, version: gateOf(log, phase).version };
      }
      return [...defects.keys()];
    },
  };
}

// --- internal ---

interface Log {
  plan: Plan | undefined;
  readonly gates: Map<string, Gate>;
  readonly defects: TrackedDefect[];
  /** Accepted defects, by id and phase: a gate that finds one of these again finds the same defect. */
  readonly passed: Map<string, TrackedDefect>;
}

interface Gate {
  /** The open findings, as the gate itself has them. */
  findings: readonly ReviewFinding[];
  /** The defects of these findings, by id. */
  readonly defects: Map<string, TrackedDefect>;
  /** Findings of the latest judgement. */
  raised: readonly Raised[];
  /** Defects that the next commit corrects. */
  fixed: TrackedDefect[];
  /** The version of the latest commit. */
  version: number;
}

interface Raised {
  readonly defect: TrackedDefect;
  readonly finding: ReviewFinding;
}

/** The place and time of a statement. */
type Moment = Pick<Detection, 'phase' | 'generation' | 'attempt' | 'seq' | 'time'>;

function gateOf({ gates }: Log, phase: string): Gate {
  const known = gates.get(phase) ?? { findings: [], defects: new Map(), raised: [], fixed: [], version: 0 };
  gates.set(phase, known);
  return known;
}

function judge(log: Log, event: EventOf<'review.decided'>, { seq, time }: RunRecord): void {
  const { phase, generation, attempt, verdict, by } = event;
  const gate = gateOf(log, phase);
  gate.raised = [];
  if (!decisionIn(verdict)) return;
  const judgement = withImpliedIssues(event, gate.findings);
  const statements = statementsIn(judgement);
  const { open, closed } = findingsAfter(gate.findings, judgement);
  const known = new Set(open.map(({ id }) => id));
  gate.findings = by === 'person' ? [...open, ...statements.filter(({ id }) => !known.has(id))] : open;
  const moment = { phase, generation, attempt, seq, time };
  const dispositions = new Map<TrackedDefect, Disposition>();
  const raised: Raised[] = [];
  for (const { finding, as } of [...closed, ...gate.findings.map((one) => ({ finding: one, as: 'open' as const }))]) {
    const defect = gate.defects.get(finding.id) ?? follow(log, finding, { ...moment, ...finderOf(finding, event) });
    gate.defects.set(finding.id, defect);
    dispositions.set(defect, worse(dispositions.get(defect), as));
    if (statements.some(({ id, reviewer }) => id === finding.id && (by === 'person' || reviewer === finding.reviewer)))
      raised.push({ defect, finding });
  }
  gate.raised = raised;
  for (const { defect } of raised) attribute(log, defect, raised, event, moment);
  for (const [defect, as] of dispositions) settle(log, defect, as, moment);
  for (const { finding } of closed) if (!known.has(finding.id)) gate.defects.delete(finding.id);
}

function follow(log: Log, finding: ReviewFinding, found: Detection): TrackedDefect {
  const { kind, id } = impliedIssue(finding.id);
  const [issue] = finding.issues;
  const injected = originOf(log.plan, found.phase, phasesIn(finding));
  const same = log.passed.get(keyOf(finding.id, injected));
  if (same) {
    same.found.push(found);
    return same;
  }
  const { by, name, seq, time } = found;
  const defect: TrackedDefect = {
    number: log.defects.length + 1,
    id,
    key: finding.id,
    type: kind ?? issue?.category ?? 'issue',
    description: issue?.description ?? '',
    severity: kind === undefined ? (issue?.severity ?? null) : null,
    injected,
    disposition: 'open',
    removed: null,
    fix: null,
    attribution: [{ phase: injected, by, name, seq, time }],
    found: [found],
    corrections: [],
    corrector: undefined,
  };
  log.defects.push(defect);
  return defect;
}

/** Updates the phase of a defect. If several reviewers report it, the earliest phase that one of them names counts. */
function attribute(
  { plan }: Log,
  defect: TrackedDefect,
  raised: readonly Raised[],
  event: EventOf<'review.decided'>,
  { phase: own, seq, time }: Moment,
): void {
  const findings = raised.flatMap((one) => (one.defect === defect ? one.finding : []));
  const injected = originOf(plan, own, findings.flatMap(phasesIn));
  const first = findings.find((one) => originOf(plan, own, phasesIn(one)) === injected);
  const [issue] = first?.issues ?? [];
  if (defect.severity !== null && issue) defect.severity = issue.severity;
  // A phase after the gate that first found the defect cannot have made it, even if a later gate names it.
  const couldBe = originOf(plan, defect.found[0].phase, [injected]) === injected;
  if (!first || defect.injected === injected || !couldBe) return;
  defect.injected = injected;
  defect.attribution.push({ phase: injected, ...finderOf(first, event), seq, time });
}

function settle(log: Log, defect: TrackedDefect, as: Disposition, { phase, seq, time }: Moment): void {
  defect.disposition = as;
  defect.removed = null;
  defect.fix = null;
  if (as === 'accepted') log.passed.set(keyOf(defect.key, defect.injected), defect);
  if (as !== 'fixed') return;
  // The gate that found it last had it corrected, even if an earlier gate reports the correction first.
  defect.removed = { phase: (defect.found.at(-1) ?? defect.found[0]).phase, seq, time };
  const owner = defect.corrector?.phase ?? phase;
  const { version } = gateOf(log, owner);
  if (owner !== phase && version > (defect.corrector?.version ?? 0)) defect.fix = { phase: owner, version };
  else gateOf(log, phase).fixed.push(defect);
}

/** Accepts the open findings of an approved phase. Demands of its tasks count as fixed, as the tasks could work after all. */
function pass(log: Log, event: EventOf<'phase.approved'>, { seq, time }: RunRecord): void {
  const { phase, generation, attempt, version } = event;
  const gate = gateOf(log, phase);
  const moment = { phase, generation, attempt, seq, time };
  for (const { id, reviewer } of gate.findings) {
    const defect = gate.defects.get(id);
    if (defect) settle(log, defect, reviewer === WORKER ? 'fixed' : 'accepted', moment);
  }
  gate.findings = gate.findings.filter(({ reviewer }) => reviewer !== WORKER);
  gate.version = version;
  for (const defect of gate.fixed) if (defect.disposition === 'fixed') defect.fix ??= { phase, version };
  gate.fixed = [];
}

/** Returns the defects that a correction includes, each with the earliest phase that has to correct it. */
function defectsIn(log: Log, event: CorrectionEvent): ReadonlyMap<TrackedDefect, string> {
  const { raised } = gateOf(log, event.phase);
  const first = event.type === 'phase.retrying' ? event.phase : event.target;
  const riders = event.type === 'phase.rewinding' ? (event.riders ?? []) : [];
  const groups = [{ phase: first, correction: event.correction }, ...riders];
  const found = new Map<TrackedDefect, string>();
  for (const { defect, finding } of raised) {
    const isPlain = impliedIssue(finding.id).kind !== undefined;
    const group = isPlain
      ? groups.find(({ phase }) => phase === first && phase === (finding.issues[0]?.affectedPhase ?? event.phase))
      : groups.find(({ correction }) => (correction.issues ?? []).some((one) => issueId(one) === finding.id));
    if (group && !found.has(defect)) found.set(defect, group.phase);
  }
  return found.size > 0 ? found : new Map(raised.map(({ defect }) => [defect, first]));
}

const RANKS: readonly Disposition[] = ['withdrawn', 'fixed', 'accepted', 'open'];

/** Returns the worse disposition, if reviewers of one gate disagree. */
function worse(one: Disposition | undefined, other: Disposition): Disposition {
  return one !== undefined && RANKS.indexOf(one) > RANKS.indexOf(other) ? one : other;
}

function keyOf(id: string, phase: string): string {
  return JSON.stringify([id, phase]);
}
