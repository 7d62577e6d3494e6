/**
 * What can be wrong with a definition, and the error that lists all of it.
 *
 * @module
 */
import { PhasegateError } from '../errors/phasegate-error.ts';

/** Kinds of problems a definition can have; each has an entry in `docs/errors.md#PIPELINE_INVALID`. */
export type ProblemCode =
  | 'CYCLE'
  | 'NAME_DUPLICATE'
  | 'NAME_INVALID'
  | 'NAME_RESERVED'
  | 'NOT_UPSTREAM'
  | 'OPTION_INVALID'
  | 'PREDECESSOR_UNKNOWN'
  | 'QUORUM_IMPOSSIBLE'
  | 'REFLECT_MISSING'
  | 'REFLECT_UNUSED'
  | 'REVIEW_EMPTY'
  | 'REWIND_IMPOSSIBLE'
  | 'TASKS_EMPTY';

/** One problem of a definition. */
export interface Problem {
  readonly code: ProblemCode;
  /** Where it is, such as `phase "writing", task "draft"`. */
  readonly where: string;
  /** What was found. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
  /**
   * Where that is in the definition, such as `['phases', 1, 'tasks', 0, 'after', 2]`. Options stand beside the name, as one
   * writes them. Absent where that cannot be said, as many phases have no name.
   */
  readonly path?: readonly PropertyKey[] | undefined;
}

/** Thrown by `definePipeline` with everything that is wrong, so that one look is enough to fix it. */
export class PipelineInvalidError extends PhasegateError {
  readonly problems: readonly Problem[];

  /** @param pipeline Its name, where it has one. */
  constructor(pipeline: unknown, problems: readonly Problem[]) {
    const subject = typeof pipeline === 'string' ? `pipeline "${pipeline}"` : 'the pipeline';
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    const lines = problems
      .slice(0, MOST_LINES)
      .map(({ code, where, message, hint }) => `  ${code} in ${where}: ${message}. ${hint}`);
    const more = problems.length > MOST_LINES ? [`  and ${problems.length - MOST_LINES} more, in \`problems\``] : [];
    super('PIPELINE_INVALID', `Cannot define ${subject} as it has ${count}:\n${[...lines, ...more].join('\n')}`);
    this.problems = problems;
  }
}

// --- internal ---

const MOST_LINES = 100;
