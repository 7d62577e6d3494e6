/**
 * Progress and outcome of work, read from records.
 *
 * @module
 */
import type { EventOf, PhaseReport, TaskReport } from '../../model/events/event.ts';
import type { PhasePlan } from '../../model/plan/plan.ts';
import { countOf } from '../../model/plan/policy.ts';
import { byName } from '../../model/values/by-name.ts';
import type { AttemptOutcome, Baseline, GateOutcome, Progress, Reflected } from '../phase/ports.ts';
import type { RepeatBounds } from '../phase/repetition.ts';

/** Progress of one attempt, or one review, as its records come in. */
export interface ProgressFold {
  readonly startedAt: number;
  /** @param time Milliseconds since 1970. */
  note(report: TaskReport, time: number): void;
  /** @param now Milliseconds since 1970. */
  soFar(now: number): Progress;
}

/** @param startedAt The time at which it began, in milliseconds since 1970. @default 0 */
export function createProgress(startedAt = 0): ProgressFold {
  const outputs = byName();
  const tries = byName<number>();
  const begun = byName<number>();
  const due = byName<{ readonly at: number; readonly delayMs: number }>();
  let failure: AttemptOutcome | undefined;
  let baseline: Baseline | undefined;
  let reflected: Reflected | undefined;
  let verdicts: EventOf<'review.waiting'>['verdicts'];
  return {
    startedAt,
    note(report, time) {
      switch (report.type) {
        case 'task.started':
          // A process that resumes the run records the same try again.
          if (begun[report.task] === undefined || tries[report.task] !== report.try) begun[report.task] = time;
          tries[report.task] = report.try;
          delete due[report.task];
          return;
        case 'task.retrying':
          if (report.reviewer) return;
          tries[report.task] = report.try + 1;
          delete begun[report.task];
          due[report.task] = { at: time + report.delayMs, delayMs: report.delayMs };
          return;
        case 'task.completed':
          outputs[report.task] = report.output;
          return;
        case 'task.failed':
          failure ??= report.rework ? { type: 'rework', ...report.rework } : { type: 'failed', error: report.error };
          return;
        case 'check.baselined':
          baseline = report.failed.map(({ check, marks }) => (marks ? { check, marks } : { check }));
          return;
        case 'phase.reflected':
          reflected = report;
          return;
        case 'review.waiting':
          verdicts = report.verdicts;
          return;
        case 'task.asked':
        case 'task.answered':
        case 'task.reported':
        case 'phase.warned':
      }
    },
    soFar(now) {
      const waitMs = byName(Object.entries(due).map(([task, one]) => [task, left(one, now)]));
      const ranMs = byName(Object.entries(begun).map(([task, time]) => [task, Math.max(0, now - time)]));
      const elapsedMs = Math.max(0, now - startedAt);
      return { elapsedMs, outputs, tries, waitMs, ranMs, failure, baseline, reflected, verdicts };
    },
  };
}

/** True if a report is about the work of a phase, and not about the phase. */
export function isWork(report: PhaseReport): report is TaskReport {
  if (OF_WORK.has(report.type)) return true;
  return report.type.startsWith('task.') || (report.type === 'phase.warned' && !BY_PHASE.has(report.code));
}

/** Returns the outcome of work, from the next report of its phase, and the one after it. */
export function outcomeBefore(
  next: PhaseReport,
  after: PhaseReport | undefined,
  phase: PhasePlan,
  { outputs, baseline }: Pick<Progress, 'outputs' | 'baseline'>,
): AttemptOutcome | GateOutcome {
  if (next.type === 'review.decided') {
    const { verdict, verdicts, by, checked, failedChecks, edited } = next;
    if (by !== 'worker')
      return {
        verdict,
        verdicts,
        checked,
        failedChecks,
        repeats: repeatsBefore(after, phase),
        ...(edited && { edited }),
      };
    if (verdict.type === 'retryPredecessor')
      return { type: 'rework', phase: verdict.phase, feedback: verdict.feedback, ...(baseline && { baseline }) };
  }
  if (next.type === 'phase.failed') return { type: 'failed', error: next.error };
  const inOrder = phase.tasks.map(({ name }): [string, unknown] => [name, outputs[name]]);
  return { type: 'done', outputs: Object.freeze(byName(inOrder)), ...(baseline && { baseline }) };
}

// --- internal ---

/** Bounds for the equal demands before a decision, from the report after it; `undefined` if it does not tell. */
function repeatsBefore(next: PhaseReport | undefined, { gate }: PhasePlan): RepeatBounds | undefined {
  if (next?.type === 'loop.detected' && next.kind === 'unchanged') return undefined;
  if (next?.type === 'loop.detected' && next.kind === 'feedback')
    return next.times === undefined ? undefined : { least: next.times, most: next.times };
  return next && { least: 0, most: Math.max(0, countOf(gate?.loopAfter ?? 0) - 1) };
}

const OF_WORK: ReadonlySet<PhaseReport['type']> = new Set(['check.baselined', 'phase.reflected', 'review.waiting']);

/** Returns the milliseconds until a task is due: never more than its whole wait, even if the clock was set back. */
function left({ at, delayMs }: { readonly at: number; readonly delayMs: number }, now: number): number {
  return Math.min(delayMs, Math.max(0, at - now));
}

/** Warnings of phases, not of their work. */
const BY_PHASE: ReadonlySet<string> = new Set([
  'EXHAUSTED',
  'UNRECOGNISED',
  'INVALID_TARGET',
  'ISSUE_ASTRAY',
  'ISSUES_ACCEPTED',
]);
