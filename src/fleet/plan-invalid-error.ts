/**
 * Problems of a work plan, and the error that lists them all.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { counted } from '../model/values/counts.ts';
import { elided } from '../model/values/text-limits.ts';

/** Kinds of problems of a work plan; each has an entry in `docs/errors.md#PLAN_INVALID`. */
export type PlanProblemCode =
  | 'DEPENDENCY_CYCLE'
  | 'DEPENDENCY_UNKNOWN'
  | 'FILES_OVERLAP'
  | 'ID_DUPLICATE'
  | 'ID_INVALID'
  | 'PATH_INVALID'
  | 'PHASES_DIFFER'
  | 'SHAPE_INVALID'
  | 'SUBTASKS_TOO_MANY';

/** One problem of a work plan. */
export interface PlanProblem {
  readonly code: PlanProblemCode;
  /** The finding, as a sentence without a full stop. */
  readonly message: string;
  /** The remedy, as one imperative sentence. */
  readonly hint: string;
}

/** Thrown with every problem of a plan, so that its author can correct all at once. */
export class PlanInvalidError extends PhasegateError {
  readonly problems: readonly PlanProblem[];

  constructor(problems: readonly PlanProblem[]) {
    const lines = problems.slice(0, MOST_LINES).map((one) => `  ${problemLine(one)}`);
    const more = problems.length > MOST_LINES ? [`  and ${problems.length - MOST_LINES} more, in \`problems\``] : [];
    super(
      'PLAN_INVALID',
      `Cannot use the plan as it has ${counted(problems.length, 'problem')}:\n${[...lines, ...more].join('\n')}`,
    );
    this.problems = problems;
  }
}

/** Writes a problem as one line, for people and for the author of the plan. */
export function problemLine({ code, message, hint }: PlanProblem): string {
  return elided(`${code}: ${message}. ${hint}`, LONGEST_LINE);
}

// --- internal ---

const MOST_LINES = 100;
const LONGEST_LINE = 1000;
