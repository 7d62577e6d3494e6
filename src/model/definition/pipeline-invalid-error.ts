/**
 * Problems of a definition, and the error that lists them all.
 *
 * @module
 */
import { PhasegateError } from '../errors/phasegate-error.ts';
import { counted } from '../values/counts.ts';

/** Kinds of problems of a definition; each has an entry in `docs/errors.md#PIPELINE_INVALID`. */
export type ProblemCode =
  | 'CYCLE'
  | 'ESTIMATE_MISSING'
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
  /** The place, such as `phase "writing", task "draft"`. */
  readonly where: string;
  /** The finding. */
  readonly message: string;
  /** The remedy. */
  readonly hint: string;
  /**
   * The path in the definition, such as `['phases', 1, 'tasks', 0, 'after', 2]`. Options are next to the name, as in the call of
   * `phase()`. Absent if the path is unknown.
   */
  readonly path?: readonly PropertyKey[] | undefined;
}

/** Thrown by `definePipeline` with every problem, so that the user can fix all at once. */
export class PipelineInvalidError extends PhasegateError {
  readonly problems: readonly Problem[];

  /** @param pipeline Its name, if it has one. */
  constructor(pipeline: unknown, problems: readonly Problem[]) {
    const subject = typeof pipeline === 'string' ? `pipeline "${pipeline}"` : 'the pipeline';
    const lines = problems
      .slice(0, MOST_LINES)
      .map(({ code, where, message, hint }) => `  ${code} in ${where}: ${message}. ${hint}`);
    const more = problems.length > MOST_LINES ? [`  and ${problems.length - MOST_LINES} more, in \`problems\``] : [];
    super(
      'PIPELINE_INVALID',
      `Cannot define ${subject} as it has ${counted(problems.length, 'problem')}:\n${[...lines, ...more].join('\n')}`,
    );
    this.problems = problems;
  }
}

// --- internal ---

const MOST_LINES = 100;
