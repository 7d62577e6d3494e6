/**
 * Rules for records of the work of one phase: of its tasks, and of the reviews behind the verdicts of its gate.
 *
 * The machine of a phase takes the outcome of its work as it is given. So a replay with that machine alone would accept outputs of
 * tasks that never ran, and a verdict that no reviewer gave.
 *
 * @module
 */
import { isSameExceptMasks } from '../../model/events/event-equality.ts';
import type { EventOf } from '../../model/events/event.ts';
import type { PhasePlan, TaskPlan } from '../../model/plan/plan.ts';
import { countOf } from '../../model/plan/policy.ts';
import { combine, isBroken, isMissing } from '../../model/review/verdict.ts';
import type { WorkRules } from './restore-phases.ts';

/** Options of {@link rulesOf}. */
export interface RulesOptions {
  readonly phase: PhasePlan;
  /** Number of records that were copied from another run. Such a copy may end with a decision that was replaced. @default 0 */
  readonly copied?: number | undefined;
  /** Numbers of the records at which another process has gone on. It begins what was at work again. @default none */
  readonly resumed?: readonly number[] | undefined;
}

/** Creates the rules for one phase in one generation. */
export function rulesOf({ phase, copied = 0, resumed = [] }: RulesOptions): WorkRules {
  const tasks = new Map(phase.tasks.map((task) => [task.name, task]));
  const reviewers = new Map((phase.gate?.reviewers ?? []).map((one) => [one.name, one]));
  let attempt = newAttempt(0);

  function taskStarted({ task, try: number }: EventOf<'task.started'>, seq: number): string | undefined {
    const plan = tasks.get(task);
    if (!plan) return NO_TASK;
    if (attempt.ended.has(task)) return 'the task has ended already';
    if (attempt.isFailed) return 'a task has failed before';
    const open = plan.after.find((name) => !attempt.ended.has(name));
    if (open !== undefined) return `task "${open}" has not ended`;
    if (number !== (attempt.next.get(task) ?? 1)) return `try ${attempt.next.get(task) ?? 1} is due`;
    const since = attempt.begun.get(task);
    if (since !== undefined && !resumed.some((at) => at > since && at < seq)) return 'that try is at work already';
    attempt.next.set(task, number);
    attempt.begun.set(task, seq);
    return undefined;
  }

  function taskEnded({ task, try: number }: EventOf<'task.completed' | 'task.failed'>): string | undefined {
    if (!attempt.begun.has(task)) return 'the task has not begun';
    if (attempt.ended.has(task)) return 'the task has ended already';
    if (number !== undefined && number !== attempt.next.get(task)) return `try ${attempt.next.get(task)} is at work`;
    attempt.ended.add(task);
    return undefined;
  }

  function retried({ task, try: number, reviewer }: EventOf<'task.retrying'>): string | undefined {
    const { reflect } = phase.gate ?? {};
    const isReflection = !reviewer && reflect?.name === task && !tasks.has(task);
    const plan = reviewer ? reviewers.get(task) : isReflection ? reflect : tasks.get(task);
    if (!plan) return reviewer ? undefined : NO_TASK;
    if (number >= countOf(plan.attempts)) return `it has ${countOf(plan.attempts)} tries only`;
    if (reviewer || isReflection) return undefined;
    if (!attempt.begun.delete(task)) return 'the task has not begun';
    if (number !== attempt.next.get(task)) return `try ${attempt.next.get(task)} is at work`;
    attempt.next.set(task, number + 1);
    return undefined;
  }

  function asked({ task, reviewer }: EventOf<'task.asked' | 'task.answered'>): string | undefined {
    const isKnown = reviewer ? reviewers.has(task) : tasks.has(task);
    return isKnown ? undefined : NO_WORK;
  }

  function answered(report: EventOf<'task.answered'>): string | undefined {
    return attempt.asked.delete(nameOf(report)) ? undefined : 'nothing was asked';
  }

  function demanded({ verdict }: EventOf<'review.decided'>): string | undefined {
    const { rework } = attempt;
    if (!rework || verdict.type !== 'retryPredecessor') return undefined;
    return isSameExceptMasks({ phase: verdict.phase, feedback: verdict.feedback }, rework)
      ? undefined
      : 'its task asks for another';
  }

  function attemptEnded(): string | undefined {
    const open = phase.tasks.find(({ name }) => !attempt.ended.has(name));
    return open && `task "${open.name}" has no output`;
  }

  return (report, seq) => {
    if (report.type !== 'phase.started' && report.attempt !== attempt.number)
      return `attempt ${attempt.number} is at work`;
    switch (report.type) {
      case 'phase.started':
        attempt = newAttempt(report.attempt);
        return undefined;
      case 'task.started':
        return taskStarted(report, seq);
      case 'task.completed':
        return taskEnded(report);
      case 'task.failed':
        attempt.isFailed = true;
        attempt.rework ??= report.rework;
        // A try that was still waiting fails with the others.
        return attempt.begun.has(report.task) ? taskEnded(report) : undefined;
      case 'task.retrying':
        return retried(report);
      case 'review.started':
        return attemptEnded();
      case 'phase.approved':
        return report.because === 'unreviewed' ? attemptEnded() : undefined;
      case 'phase.failed':
        return attempt.rework && !attempt.isJudged ? 'what its task asks for is not decided' : undefined;
      case 'review.decided':
        attempt.isJudged = true;
        if (report.by === 'worker') return demanded(report);
        return report.by === 'gate' ? whyNotGiven(report, phase, seq <= copied) : undefined;
      case 'task.asked':
        attempt.asked.add(nameOf(report));
        return asked(report);
      case 'task.answered':
        return asked(report) ?? answered(report);
      case 'review.waiting':
        return Object.keys(report.verdicts ?? {}).every((name) => reviewers.has(name)) ? undefined : NO_WORK;
      case 'phase.warned':
      case 'phase.retrying':
      case 'phase.rewinding':
      case 'phase.rejected':
      case 'phase.escalated':
      case 'phase.reflected':
      case 'check.baselined':
      case 'loop.detected':
      case 'attempt.unchanged':
      case 'task.reported':
        return undefined;
    }
  };
}

// --- internal ---

const NO_WORK = 'the phase has no such work';
const NO_TASK = 'the phase has no such task';

/** The tasks of an attempt. */
interface Attempt {
  readonly number: number;
  /** Tasks with a try at work, and the number of the record of its start. */
  readonly begun: Map<string, number>;
  /** The current or next try of each task that has begun. */
  readonly next: Map<string, number>;
  readonly ended: Set<string>;
  /** Work that waits for an answer. */
  readonly asked: Set<string>;
  isFailed: boolean;
  isJudged: boolean;
  /** The rework that the first failed task has asked for. */
  rework: EventOf<'task.failed'>['rework'];
}

function newAttempt(number: number): Attempt {
  const [begun, next, ended, asked] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Set<string>(),
    new Set<string>(),
  ];
  return { number, begun, next, ended, asked, isFailed: false, isJudged: false, rework: undefined };
}

function nameOf({ task, reviewer }: EventOf<'task.asked' | 'task.answered'>): string {
  return `${reviewer ? 'reviewer' : 'task'} ${task}`;
}

/** Returns why the reviewers, or the checks, did not give a verdict; `undefined` if they did. */
function whyNotGiven(
  { verdict, verdicts, checked, failedChecks }: EventOf<'review.decided'>,
  { name, gate }: PhasePlan,
  isCopied: boolean,
): string | undefined {
  if (!gate) return 'the phase has no gate';
  if (failedChecks)
    return ofChecks(
      failedChecks.map((one) => one.name),
      verdict.type,
      gate.checks,
    );
  // Answers that are asked for again are not recorded.
  if (isMissing(verdict, gate.onUnrecognised)) return undefined;
  if (isCopied && Object.keys(verdicts).length === 0) return undefined;
  // Earlier versions did not record the names of failed checks.
  if (gate.checks.length > 0 && verdict.type === 'retry' && Object.keys(verdicts).length === 0) return undefined;
  if (gate.checks.length > 0 && checked !== true) return 'its checks have not passed';
  const stranger = Object.keys(verdicts).find((one) => !isAmong(gate.reviewers, one));
  if (stranger !== undefined) return `"${stranger}" is none of its reviewers`;
  const silent = gate.reviewers.find((one) => verdicts[one.name] === undefined);
  if (silent && !isBroken(verdict)) return `reviewer "${silent.name}" has not answered`;
  const combined = gate.reviewers.length === 0 ? { type: 'approve' } : combine(verdicts, gate, name);
  return isSameExceptMasks(combined, verdict) ? undefined : `its reviewers have said ${combined.type}`;
}

function ofChecks(failed: readonly string[], verdict: string, checks: readonly string[]): string | undefined {
  if (verdict !== 'retry') return 'failed checks ask for a retry';
  const stranger = failed.find((one) => !checks.includes(one));
  return stranger === undefined ? undefined : `"${stranger}" is none of its checks`;
}

function isAmong(reviewers: readonly TaskPlan[], name: string): boolean {
  return reviewers.some((one) => one.name === name);
}
