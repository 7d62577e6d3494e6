/**
 * One review of an attempt: the checks, then the reviewers.
 *
 * @module
 */
import { retriesLeft, rewindsLeft, type PhaseContext } from '../machines/phase-context.ts';
import { reviewDelay } from '../machines/phase-reports.ts';
import type { GateOutcome } from '../machines/ports.ts';
import { byName } from '../model/by-name.ts';
import { DEFAULT_TIMEOUT, type CheckWork, type PhaseWork, type Work } from '../model/compile.ts';
import { errorInfo } from '../model/errors.ts';
import type { Verdict } from '../model/event.ts';
import { readCheckResult } from '../model/check.ts';
import type { ReviewContext } from '../model/phase-types.ts';
import type { Outputs } from '../model/task-types.ts';
import { contentHash, type GatePlan, type TaskPlan } from '../model/plan.ts';
import { combine, isMissing, readAnswer } from '../model/verdict.ts';
import { about, HandlerContext } from './context.ts';
import { unkept, type Host } from './host.ts';
import { createLingering } from './lingering.ts';
import type { WorkScope } from './scope.ts';
import { tryTask, type Trial, type Trialled, type Try } from './try.ts';
import { fromWork, type WorkLogic } from './work.ts';

/** Fills the `review` port with the gates of a pipeline. */
export function reviewLogic(
  work: Work,
  lingering = createLingering(),
  host: Host = unkept,
): WorkLogic<GateOutcome, PhaseContext> {
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
  }, lingering.linger);
}

// --- internal ---

/** One review by a gate. */
interface Gate {
  readonly plan: GatePlan;
  readonly work: PhaseWork;
  /** The names of all phases. */
  readonly phases: readonly string[];
  readonly scope: WorkScope<PhaseContext, GateOutcome>;
  readonly host: Host;
  /** Outputs that a person who approves has put in the place of those of the attempt. */
  edited: Outputs | undefined;
}

const APPROVE: Verdict = { type: 'approve' };

function judge(gate: Gate): void {
  const { plan, scope } = gate;
  if (scope.isStopped) return;
  if (scope.input.review.checked || plan.checks.length === 0) askAll(gate);
  else runChecks(gate, 0, []);
}

/** Asks every reviewer that has not answered yet. */
function askAll(gate: Gate): void {
  const { plan, scope } = gate;
  const known = scope.input.review.verdicts;
  const missing = plan.reviewers.filter((one) => known[one.name] === undefined);
  const answers = byName<Verdict>();
  let waitsFor = missing.length;
  const isAlone = waitsFor === 1;
  if (waitsFor === 0) conclude(gate, answers);
  for (const reviewer of missing) {
    ask(gate, reviewer, isAlone, (answer) => {
      answers[reviewer.name] = answer;
      waitsFor -= 1;
      if (waitsFor === 0) conclude(gate, answers);
    });
  }
}

function conclude({ plan, scope, edited }: Gate, answers: Readonly<Record<string, Verdict>>): void {
  const verdicts = byName(Object.entries(scope.input.review.verdicts));
  for (const { name } of plan.reviewers) {
    const answer = answers[name];
    if (answer) verdicts[name] = answer;
  }
  const verdict = plan.reviewers.length === 0 ? APPROVE : combine(verdicts, plan);
  // Answers that have to be had again are not kept, so that only those reviewers are asked again.
  const again = isMissing(verdict, plan.onUnrecognised);
  const kept = again
    ? byName(Object.entries(verdicts).filter(([, one]) => !isMissing(one, plan.onUnrecognised)))
    : verdicts;
  const outcome: GateOutcome = { verdict, checked: true, verdicts: kept };
  scope.done(edited && verdict.type === 'approve' ? { ...outcome, edited } : outcome);
}

function ask(gate: Gate, plan: TaskPlan, isAlone: boolean, answer: (verdict: Verdict) => void): void {
  const { work, scope } = gate;
  const reviewer = work.reviewers.get(plan.name);
  if (!reviewer) {
    answer(APPROVE);
    return;
  }
  const onRetry: Trial<ReviewContext>['onRetry'] = (number, error, delayMs) =>
    scope.report({
      type: 'task.retrying',
      ...about(scope.input, plan),
      reviewer: true,
      try: number,
      error: errorInfo(error),
      delayMs,
    });
  const onEnd = (done: Trialled) => {
    if (done.ok && reviewer.mayEdit) gate.edited = editsIn(done.output);
    answer(
      done.ok
        ? readAnswer(done.output, gate.plan.minConfidence, gate.phases)
        : { type: 'unavailable', error: errorInfo(done.error) },
    );
  };
  tryTask(trialOf(gate, plan, reviewer, 'review', isAlone, onRetry, onEnd));
}

/** The outputs that an answer brings, where it brings some. */
function editsIn(answer: unknown): Outputs | undefined {
  if (typeof answer !== 'object' || answer === null || !('outputs' in answer)) return undefined;
  const { outputs } = answer;
  return typeof outputs === 'object' && outputs !== null ? byName(Object.entries(outputs)) : undefined;
}

function trialOf(
  { scope, host }: Gate,
  plan: TaskPlan,
  work: Trial<ReviewContext>['work'],
  role: 'review' | 'check',
  isAlone: boolean,
  onRetry: Trial<ReviewContext>['onRetry'],
  onEnd: Trial<ReviewContext>['onEnd'],
): Trial<ReviewContext> {
  const { inputs, outputs } = scope.input;
  return { scope, host, plan, work, role, inputs, outputs: outputs ?? {}, isAlone, context, onRetry, onEnd };
}

function context(one: Try): ReviewContext {
  return new ReviewerContext(one);
}

/** What a reviewer or a check is given. */
class ReviewerContext extends HandlerContext implements ReviewContext {
  readonly outputs: Outputs;
  readonly #scope: PhaseContext;

  constructor(one: Try) {
    super(one);
    const { outputs, scope } = one.trial;
    this.outputs = outputs;
    this.#scope = scope.input;
  }

  get difference(): ReviewContext['difference'] {
    return differenceOf(this.#scope);
  }

  get retriesLeft(): number {
    return retriesLeft(this.#scope);
  }

  get rewindsLeft(): Readonly<Record<string, number>> {
    const targets = this.#scope.origin.phase.gate?.targets ?? [];
    return byName(targets.map((name) => [name, rewindsLeft(this.#scope, name)]));
  }
}

function differenceOf({ outputs, previous }: PhaseContext): ReviewContext['difference'] {
  if (!previous || !outputs) return {};
  const changed = Object.keys(outputs).filter((name) => contentHash(previous[name]) !== contentHash(outputs[name]));
  return byName(changed.map((name) => [name, { before: previous[name], after: outputs[name] }]));
}

interface FailedCheck {
  readonly requiredChange: string;
  readonly details: string;
}

/** Runs every check, one after the other, so that all that is wrong is said at once. One that throws is a review error. */
function runChecks(gate: Gate, from: number, failed: readonly FailedCheck[]): void {
  const { plan, work, scope } = gate;
  const name = plan.checks[from];
  if (scope.isStopped) {
    scope.done({ verdict: APPROVE, verdicts: {} });
    return;
  }
  if (name === undefined) {
    if (failed.length > 0) scope.done({ verdict: checksVerdict(failed), verdicts: {} });
    else askAll(gate);
    return;
  }
  const check = work.checks.get(name);
  if (!check) {
    runChecks(gate, from + 1, failed);
    return;
  }
  runCheck(gate, check, name, (result) => runChecks(gate, from + 1, result ? [...failed, result] : failed));
}

function runCheck(gate: Gate, check: CheckWork, name: string, then: (failed: FailedCheck | undefined) => void): void {
  const plan: TaskPlan = {
    name,
    description: '',
    after: [],
    attempts: 1,
    backoff: {},
    timeout: DEFAULT_TIMEOUT,
    estimate: {},
  };
  const work = { runner: check, output: undefined, retryable: undefined };
  const onEnd = (done: Trialled) => {
    if (!done.ok) throw done.error;
    then(readCheck(name, done.output));
  };
  tryTask(trialOf(gate, plan, work, 'check', true, () => undefined, onEnd));
}

function readCheck(name: string, result: unknown): FailedCheck | undefined {
  if (result === true || result === null) return undefined;
  const change = `Make check "${name}" pass.`;
  if (result === false) return { requiredChange: change, details: `Check "${name}" failed.` };
  if (typeof result === 'string') return { requiredChange: result, details: `Check "${name}" failed: ${result}` };
  const { passed, requiredChange = change, details } = readCheckResult(name, result);
  return passed ? undefined : { requiredChange, details: `Check "${name}" failed${details ? `: ${details}` : '.'}` };
}

function checksVerdict(failed: readonly FailedCheck[]): Verdict {
  return {
    type: 'retry',
    feedback: failed.map((one) => one.details).join('\n\n'),
    requiredChange: failed.map((one) => one.requiredChange).join(' '),
  };
}
