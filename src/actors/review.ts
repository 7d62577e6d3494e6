/**
 * One review of an attempt: the checks, then the reviewers.
 *
 * @module
 */
import type { PromiseActorLogic } from 'xstate';
import { clockOf } from '../machines/actor.ts';
import { retriesLeft, rewindsLeft, type PhaseContext } from '../machines/phase-context.ts';
import { reviewDelay } from '../machines/phase-reports.ts';
import type { GateOutcome } from '../machines/ports.ts';
import { reportWork } from '../machines/uplink.ts';
import { byName } from '../model/by-name.ts';
import { DEFAULT_TIMEOUT, type CheckWork, type PhaseWork, type Work } from '../model/compile.ts';
import { errorInfo } from '../model/errors.ts';
import type { Verdict } from '../model/event.ts';
import { readCheckResult } from '../model/check.ts';
import type { ReviewContext } from '../model/phase-types.ts';
import type { Outputs } from '../model/task-types.ts';
import { contentHash, type GatePlan, type TaskPlan } from '../model/plan.ts';
import { combine, isMissing, readAnswer } from '../model/verdict.ts';
import { about, HandlerContext, type Try } from './context.ts';
import { pause, tryTask } from './try.ts';
import { unkept, type Host } from './host.ts';
import { createLingering } from './lingering.ts';
import { fromWork, type WorkScope } from './work.ts';

/** Fills the `review` port with the gates of a pipeline. */
export function reviewLogic(
  work: Work,
  lingering = createLingering(),
  host: Host = unkept,
): PromiseActorLogic<GateOutcome, PhaseContext> {
  return fromWork(async (scope) => {
    const { phase } = scope.input.origin;
    const functions = work.phases.get(phase.name);
    if (!phase.gate || !functions) return { verdict: { type: 'approve' }, verdicts: {} };
    const delay = reviewDelay(scope.input) - (scope.progress?.elapsedMs ?? 0);
    if (delay > 0) await pause(clockOf(scope.self), delay, scope.signal());
    if (scope.isStopped()) return { verdict: { type: 'approve' }, verdicts: {} };
    return lingering.watch(scope, judge(functions, phase.gate, scope, host));
  });
}

// --- internal ---

async function judge(
  work: PhaseWork,
  gate: GatePlan,
  scope: WorkScope<PhaseContext>,
  host: Host,
): Promise<GateOutcome> {
  const { verdicts: known, checked } = scope.input.review;
  const failed = checked || gate.checks.length === 0 ? [] : await runChecks(work, gate, scope, host);
  if (failed.length > 0) return { verdict: checksVerdict(failed), verdicts: {} };
  const missing = gate.reviewers.filter((one) => known[one.name] === undefined);
  const answers = await Promise.all(missing.map((one) => ask(work, gate, one, scope, host)));
  const verdicts = byName(Object.entries(known));
  missing.forEach(({ name }, at) => (verdicts[name] = answers[at] ?? APPROVE));
  const verdict = gate.reviewers.length === 0 ? APPROVE : combine(verdicts, gate);
  // Answers that have to be had again are not kept, so that only those reviewers are asked again.
  const again = isMissing(verdict, gate.onUnrecognised);
  return {
    verdict,
    checked: true,
    verdicts: again
      ? byName(Object.entries(verdicts).filter(([, one]) => !isMissing(one, gate.onUnrecognised)))
      : verdicts,
  };
}

const APPROVE: Verdict = { type: 'approve' };

async function ask(
  work: PhaseWork,
  gate: GatePlan,
  plan: TaskPlan,
  scope: WorkScope<PhaseContext>,
  host: Host,
): Promise<Verdict> {
  const reviewer = work.reviewers.get(plan.name);
  if (!reviewer) return APPROVE;
  const done = await tryTask<ReviewContext>({
    host,
    plan,
    work: reviewer,
    clock: clockOf(scope.self),
    signal: () => scope.signal(),
    onStop: scope.onStop,
    context: (signal, isOver) => reviewContext(scope, plan, signal, isOver),
    onRetry: (number, error, delayMs) =>
      reportWork(scope.self, {
        type: 'task.retrying',
        ...about(scope.input, plan),
        reviewer: true,
        try: number,
        error: errorInfo(error),
        delayMs,
      }),
  });
  return done.ok ? readAnswer(done.output, gate.minConfidence) : { type: 'unavailable', error: errorInfo(done.error) };
}

/** What a reviewer or a check is given. */
class ReviewerContext extends HandlerContext implements ReviewContext {
  readonly outputs: Outputs;
  readonly #scope: PhaseContext;

  constructor(one: Try) {
    super(one);
    this.outputs = one.outputs;
    this.#scope = one.scope;
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

function reviewContext(
  { input, self }: WorkScope<PhaseContext>,
  plan: TaskPlan,
  signal: Try['signal'],
  isOver: Try['isOver'],
  role: Try['role'] = 'review',
): ReviewContext {
  const { inputs, outputs } = input;
  return new ReviewerContext({
    scope: input,
    plan,
    role,
    self,
    inputs,
    outputs: outputs ?? {},
    signal,
    isOver,
  });
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

/** Runs every check, one after the other, so that all that is wrong is said at once. */
async function runChecks(
  work: PhaseWork,
  gate: GatePlan,
  scope: WorkScope<PhaseContext>,
  host: Host,
): Promise<readonly FailedCheck[]> {
  const failed: FailedCheck[] = [];
  for (const name of gate.checks) {
    const check = work.checks.get(name);
    if (!check || scope.isStopped()) continue;
    const result = await runCheck(check, name, scope, host);
    if (result) failed.push(result);
  }
  return failed;
}

/** @returns What is wrong, or `undefined` where the check passes. Rejects where the check throws: that is a review error. */
async function runCheck(
  check: CheckWork,
  name: string,
  scope: WorkScope<PhaseContext>,
  host: Host,
): Promise<FailedCheck | undefined> {
  const plan: TaskPlan = {
    name,
    description: '',
    after: [],
    attempts: 1,
    backoff: {},
    timeout: DEFAULT_TIMEOUT,
    estimate: {},
  };
  const done = await tryTask<ReviewContext>({
    host,
    plan,
    work: { runner: check, output: undefined, retryable: undefined },
    clock: clockOf(scope.self),
    signal: () => scope.signal(),
    onStop: scope.onStop,
    context: (signal, isOver) => reviewContext(scope, plan, signal, isOver, 'check'),
    onRetry: () => undefined,
  });
  if (!done.ok) throw done.error;
  return readCheck(name, done.output);
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
