/**
 * The context of reviewers and checks.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import { retriesLeft, rewindsLeft } from '../../machines/phase/phase-guards.ts';
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import type { ReviewFinding } from '../../model/review/open-issues.ts';
import { byName } from '../../model/values/by-name.ts';
import { contentHash } from '../../model/values/content-hash.ts';
import { HandlerContext } from '../work/handler-context.ts';
import type { Try } from '../work/single-try.ts';

/** The context of a reviewer or a check. */
class ReviewerContext extends HandlerContext implements ReviewContext {
  readonly outputs: Outputs;
  readonly #scope: PhaseContext;
  readonly #plan: TaskPlan;

  constructor(one: Try) {
    super(one);
    const { outputs, scope, plan } = one.trial;
    this.outputs = outputs;
    this.#scope = scope.input;
    this.#plan = plan;
  }

  get difference(): ReviewContext['difference'] {
    return differenceOf(this.#scope);
  }

  get unchanged(): number {
    const { origin, background } = this.#scope;
    return background.unchanged?.[origin.phase.name] ?? 0;
  }

  get findings(): ReviewContext['findings'] {
    return findingsOf(this.#scope, this.#plan);
  }

  get retriesLeft(): number {
    return retriesLeft(this.#scope);
  }

  get rewindsLeft(): Readonly<Record<string, number>> {
    const targets = this.#scope.origin.phase.gate?.targets ?? [];
    return byName(targets.map((name) => [name, rewindsLeft(this.#scope, name)]));
  }
}

/** The context of one try. */
export function reviewContext(one: Try): ReviewContext {
  return new ReviewerContext(one);
}

/** Earlier findings of a reviewer that are not known to be corrected. */
export function findingsOf({ memory: { findings } }: PhaseContext, { name }: TaskPlan): readonly ReviewFinding[] {
  return findings.length === 0 ? findings : findings.filter(({ reviewer }) => reviewer === name);
}

// --- internal ---

function differenceOf({ outputs, previous }: PhaseContext): ReviewContext['difference'] {
  if (!previous || !outputs) return {};
  const changed = Object.keys(outputs).filter((name) => contentHash(previous[name]) !== contentHash(outputs[name]));
  return byName(changed.map((name) => [name, { before: previous[name], after: outputs[name] }]));
}
