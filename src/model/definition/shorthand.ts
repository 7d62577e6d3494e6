/**
 * A definition before validation, and readers of its short forms.
 *
 * @module
 */
import type { AnyReview, PhaseSettings } from '../handlers/phase.ts';
import type { AnyTask } from '../handlers/task.ts';
import type { Plan } from '../plan/plan.ts';
import type { Limits, Policy } from '../plan/policy-schema.ts';
import type { StandardSchemaV1 } from '../values/standard-schema.ts';

/** The argument of `definePipeline`, without its types. */
export interface Definition {
  readonly name: string;
  readonly phases: readonly { readonly name: string; readonly options: PhaseSettings }[];
  readonly input?: StandardSchemaV1 | undefined;
  readonly policy?: Policy | undefined;
  readonly limits?: Limits | undefined;
  readonly concurrency?: Plan['concurrency'] | undefined;
  readonly version?: string | undefined;
}

/** Returns the names in a list of objects and strings, each once. Empty places are skipped. */
export function namesOf(
  list: readonly ({ readonly name: string } | string | null | undefined)[] | null | undefined,
): readonly string[] {
  if (!list || list.length === 0) return NO_NAMES;
  const [only] = list;
  // Most phases have one predecessor, which needs no set.
  if (list.length === 1 && only) return [typeof only === 'string' ? only : only.name];
  return [...new Set(list.flatMap((item) => (typeof item === 'string' ? item : (item?.name ?? []))))];
}

const NO_NAMES: readonly never[] = [];

/** Returns the long form of any `review`. */
export function reviewOptions(review: PhaseSettings['review']): AnyReview | undefined {
  return review === undefined || review === null ? undefined : longReview(review);
}

/** Returns the long form of a `review` that is there. */
export function longReview(review: NonNullable<PhaseSettings['review']>): AnyReview {
  return typeof review === 'function' || 'kind' in review ? { by: review } : review;
}

/** Returns the reflect call of a gate as a named task: a task keeps its name, a function is called `reflect`. */
export function reflectorOf({ reflect }: AnyReview): AnyTask | undefined {
  return typeof reflect === 'function' ? { kind: 'task', name: 'reflect', options: { run: reflect } } : reflect;
}

/** The name of the first reviewer of a gate if it is a function. */
export const FUNCTION_REVIEWER = 'review';

/** Returns reviewers as named tasks: a task keeps its name, a function is called `review`, or `review 2` and so on. */
export function reviewersOf(options: AnyReview): readonly AnyTask[] {
  const list = options.by === undefined ? [] : Array.isArray(options.by) ? options.by : [options.by];
  return list.map((one: AnyTask | AnyTask['options']['run'], index) =>
    typeof one === 'function'
      ? { kind: 'task', name: index === 0 ? FUNCTION_REVIEWER : `review ${index + 1}`, options: { run: one } }
      : one,
  );
}
