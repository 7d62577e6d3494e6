/**
 * One review of an attempt: the checks, then the reviewers.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import { reviewDelay } from '../../machines/phase/phase-reports.ts';
import type { GateOutcome, WorkLogic } from '../../machines/phase/ports.ts';
import type { PhaseWork, TaskWork, Work } from '../../model/definition/compile.ts';
import { errorInfo } from '../../model/errors/phasegate-error.ts';
import type { Verdict } from '../../model/events/event.ts';
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import type { GatePlan, TaskPlan } from '../../model/plan/plan.ts';
import { faultOf, onlyAdded } from '../../model/review/baseline.ts';
import type { FailedCheck } from '../../model/review/check.ts';
import { completed, type ReviewFinding } from '../../model/review/open-issues.ts';
import { isNameless, readAnswer, readPersonsAnswer, readThrown } from '../../model/review/read-answer.ts';
import { combine, decisionIn, isBroken, isMissing, isPermanent } from '../../model/review/verdict.ts';
import { withoutWeakApproval } from '../../model/review/weak-approval.ts';
import { byName } from '../../model/values/by-name.ts';
import { about } from '../work/report-source.ts';
import { runTask, type TaskRun, type TaskRunResult } from '../work/run-task.ts';
import type { ScopeTimer } from '../work/scope-timer.ts';
import { createStoppedWork } from '../work/stopped-work.ts';
import { droppedReport } from '../work/task-reports.ts';
import { inMemoryHost, type WorkHost } from '../work/work-host.ts';
import { fromWork } from '../work/work-logic.ts';
import { ABORT_GRACE_MS, type WorkScope } from '../work/work-scope.ts';
import { asksPerson, reportIfForPeople } from './people-time.ts';
import { findingsOf, reviewContext } from './review-context.ts';
import { checksOutcome, editsIn } from './review-outcome.ts';
import { runCheck, warnOf } from './run-check.ts';

/** Fills the `review` port with the gates of a pipeline. */
export function reviewLogic(
  work: Work,
  stopped = createStoppedWork(),
  host: WorkHost = inMemoryHost,
): WorkLogic<GateOutcome> {
  const phases = [...work.phases.keys()];
  return fromWork((scope) => {
    const { phase } = scope.input.origin;
    const functions = work.phases.get(phase.name);
    if (!phase.gate || !functions) {
      scope.done({ verdict: APPROVE, verdicts: {} });
      return;
    }
    const gate: Gate = { plan: phase.gate, work: functions, phases, scope, host, edited: undefined };
    const delay = reviewDelay(scope.input) - (scope.progress?.elapsedMs ?? 0);
    if (delay > 0) scope.pause(delay, () => judge(gate));
    else judge(gate);
  }, stopped.track);
}

// --- internal ---

/** One review by a gate. */
interface Gate {
  readonly plan: GatePlan;
  readonly work: PhaseWork;
  /** The names of all phases. */
  readonly phases: readonly string[];
  readonly scope: WorkScope<PhaseContext, GateOutcome>;
  readonly host: WorkHost;
  /** Outputs with which an approving person has replaced those of the attempt. */
  edited: Outputs | undefined;
}

const APPROVE: Verdict = { type: 'approve' };

function judge(gate: Gate): void {
  const { plan, scope } = gate;
  if (scope.isStopped) return;
  // Reviewers have answered only if the checks have passed.
  if (scope.input.review.checked || scope.progress?.verdicts || plan.checks.length === 0) askAll(gate);
  else runChecks(gate, 0, []);
}

/** Asks every reviewer that has not answered yet. If one of them is unusable, the others are aborted. */
function askAll(gate: Gate): void {
  const { plan, scope } = gate;
  const known = scope.input.review.verdicts;
  const answers = byName(Object.entries(scope.progress?.verdicts ?? {}));
  const missing = plan.reviewers.filter(({ name }) => known[name] === undefined && answers[name] === undefined);
  const open = new Set(missing);
  const isAlone = open.size === 1;
  let timer: ScopeTimer | undefined;
  let isOver = false;
  const end = () => {
    timer?.stop();
    conclude(gate, answers);
  };
  if (open.size === 0) end();
  reportIfForPeople(gate, open, answers);
  for (const reviewer of missing) {
    ask(gate, reviewer, isAlone, (answer) => {
      open.delete(reviewer);
      // Answers of aborted reviewers are ignored.
      if (!isOver) answers[reviewer.name] = answer;
      if (!isOver && isBroken(answer)) {
        isOver = true;
        if (open.size > 0) timer = scope.after(ABORT_GRACE_MS, end);
        scope.halt();
      }
      if (!isOver && !asksPerson(gate.work, reviewer)) reportIfForPeople(gate, open, answers);
      if (open.size === 0) end();
    });
  }
}

function conclude({ plan, scope, edited }: Gate, answers: Readonly<Record<string, Verdict>>): void {
  const verdicts = byName(Object.entries(scope.input.review.verdicts));
  for (const { name } of plan.reviewers) {
    const answer = answers[name];
    if (answer) verdicts[name] = answer;
  }
  const verdict = plan.reviewers.length === 0 ? APPROVE : combine(verdicts, plan, scope.input.origin.phase.name);
  // Missing answers are discarded if asking again may help, so that only those reviewers are asked again.
  const again = isMissing(verdict, plan.onUnrecognised);
  const answered = again
    ? byName(Object.entries(verdicts).filter(([, one]) => !isMissing(one, plan.onUnrecognised) || isPermanent(one)))
    : verdicts;
  const outcome: GateOutcome = { verdict, checked: true, verdicts: answered };
  scope.done(edited && verdict.type === 'approve' ? { ...outcome, edited } : outcome);
}

function ask(gate: Gate, plan: TaskPlan, isAlone: boolean, answer: (verdict: Verdict) => void): void {
  const { work, scope } = gate;
  const reviewer = work.reviewers.get(plan.name);
  if (!reviewer) {
    answer(APPROVE);
    return;
  }
  const onRetry: TaskRun<ReviewContext>['onRetry'] = (number, error, delayMs) =>
    scope.report({
      type: 'task.retrying',
      ...about(scope.input, plan),
      reviewer: true,
      try: number,
      error: errorInfo(error),
      delayMs,
    });
  const found = findingsOf(scope.input, plan);
  const onEnd = (done: TaskRunResult) => {
    if (done.ok && scope.isStopped) scope.reportLate(droppedReport(scope.input, plan, true, done.tries));
    if (done.ok && reviewer.mayEdit) gate.edited = editsIn(done.output);
    answer(done.ok ? verdictOf(gate, plan, reviewer, done.output, found) : readThrown(done.error));
  };
  runTask(taskRunOf(gate, plan, reviewer, isAlone, onRetry, onEnd));
}

/** The verdict in a reviewer's answer. A person's answer was validated when it was given. */
function verdictOf(
  { plan, scope, phases }: Gate,
  { name }: TaskPlan,
  { byPerson }: TaskWork,
  answer: unknown,
  found: readonly ReviewFinding[],
): Verdict {
  const seat = { reviewer: name, phase: scope.input.origin.phase.name, phases, gate: plan };
  if (byPerson) return withFindings(readPersonsAnswer(answer, seat), found);
  const verdict = withFindings(readAnswer(answer, seat), found);
  if (isNameless(answer, verdict, seat))
    warnOf({ scope }, 'PREDECESSOR_UNNAMED', `Taken as a retry, as "${name}" sends back a phase and does not name it.`);
  return withoutWeakApproval(verdict, plan.approval, name);
}

function withFindings(verdict: Verdict, found: readonly ReviewFinding[]): Verdict {
  const decision = decisionIn(verdict);
  return decision ? completed(decision, found) : verdict;
}

function taskRunOf(
  { scope, host }: Gate,
  plan: TaskPlan,
  work: TaskRun<ReviewContext>['work'],
  isAlone: boolean,
  onRetry: TaskRun<ReviewContext>['onRetry'],
  onEnd: TaskRun<ReviewContext>['onEnd'],
): TaskRun<ReviewContext> {
  const { inputs, outputs } = scope.input;
  return {
    scope,
    host,
    plan,
    work,
    role: 'review',
    inputs,
    outputs: outputs ?? {},
    isAlone,
    context: reviewContext,
    onRetry,
    onEnd,
  };
}

/** Runs all checks, one after the other, so that the feedback covers all failures. A check that throws is a review error. */
function runChecks(gate: Gate, from: number, failed: readonly FailedCheck[]): void {
  const { plan, work, scope, host } = gate;
  const name = plan.checks[from];
  if (scope.isStopped) {
    scope.done({ verdict: APPROVE, verdicts: {} });
    return;
  }
  if (name === undefined) {
    if (failed.length > 0) scope.done(checksOutcome(failed));
    else askAll(gate);
    return;
  }
  const check = work.checks.get(name);
  if (!check) {
    runChecks(gate, from + 1, failed);
    return;
  }
  const outputs = scope.input.outputs ?? {};
  runCheck({ scope, host, name, check, role: 'check', outputs }, (checked) => {
    if (checked.type === 'broken') throw checked.error;
    const own = checked.type === 'failed' ? ownFailureOf(gate, checked.failed) : undefined;
    runChecks(gate, from + 1, own ? [...failed, own] : failed);
  });
}

/** The part of a failure that the attempt has caused; `undefined` if the check failed before the phase began. */
function ownFailureOf({ scope }: Gate, failed: FailedCheck): FailedCheck | undefined {
  const fault = faultOf(failed, scope.input.background.baseline);
  switch (fault.type) {
    case 'own':
      return failed;
    case 'added':
      return onlyAdded(failed, fault.added);
    case 'preexisting':
      warnOf(
        { scope },
        'CHECK_PREEXISTING',
        `No change is required, as the check failed before this phase began. ${failed.details}`,
      );
      return undefined;
  }
}
