/**
 * Validation of limits on usage: each amount that a limit counts is reported, or else estimated.
 *
 * @module
 */
import type { AnyTask, UsageAmount } from '../handlers/task.ts';
import type { Estimate } from '../plan/options.ts';
import type { Limits } from '../plan/policy-schema.ts';
import type { Problem } from './pipeline-invalid-error.ts';
import type { Path } from './places.ts';
import { reflectorOf, reviewersOf, reviewOptions, type Definition } from './shorthand.ts';

/** Reports each task and reviewer that uses an amount unseen, although a limit of the pipeline counts it. */
export function estimateProblems({ phases, policy, limits }: Definition): readonly Problem[] {
  const counted: Limits = { ...policy?.limits, ...limits };
  if (counted.tokens === undefined && counted.costUsd === undefined) return [];
  return phases.flatMap(({ name, options }, index) => {
    const review = reviewOptions(options.review);
    const reflector = review && reflectorOf(review);
    const where = `phase "${name}"`;
    const path = ['phases', index];
    return [
      ...(options.tasks ?? []).flatMap((task, at) =>
        problemsOf(counted, `${where}, task`, task, [...path, 'tasks', at]),
      ),
      ...(review ? reviewersOf(review) : []).flatMap((one, at) =>
        problemsOf(counted, `${where}, reviewer`, one, [...path, 'review', 'by', at]),
      ),
      ...(reflector ? problemsOf(counted, `${where}, reflect call`, reflector, [...path, 'review', 'reflect']) : []),
    ];
  });
}

/** Returns the limited amounts that are neither reported nor estimated. */
export function uncounted(
  limits: Limits,
  unreported: readonly UsageAmount[] = [],
  estimate: Estimate = {},
): readonly UsageAmount[] {
  return unreported.filter((amount) => limits[amount] !== undefined && !((estimate[amount] ?? 0) > 0));
}

/** Advice about an amount that is neither reported nor estimated. */
export function estimateHint(amount: UsageAmount): string {
  const [unit, option] = amount === 'tokens' ? ['tokens', '--estimate-tokens'] : ['US dollars', '--estimate-cost'];
  return `Give \`estimate: { ${amount}: … }\` with the most ${unit} that one try may use (${option} of \`phasegate fleet\`), or remove the limit.`;
}

// --- internal ---

function problemsOf(limits: Limits, where: string, { name, options }: AnyTask, path: Path): readonly Problem[] {
  return uncounted(limits, options.unreported, options.estimate).map((amount) => ({
    code: 'ESTIMATE_MISSING',
    where: `${where} "${name}"`,
    message: `a limit counts \`${amount}\`, which it neither reports nor estimates`,
    hint: estimateHint(amount),
    path,
  }));
}
