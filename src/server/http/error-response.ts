/**
 * Refusals as HTTP responses.
 *
 * @module
 */
import { InputInvalidError } from '../../model/errors/input-invalid-error.ts';
import { PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';
import { problemText } from '../../projections/wording/error-words.ts';
import type { InputProblem, Refusal } from './refusal.ts';

/** A refusal and its HTTP status. */
export interface Refused {
  readonly status: number;
  readonly body: Refusal;
}

/** A request that the server refuses whatever the store contains. */
export class RequestRefused extends PhasegateError {
  readonly status: number;

  constructor(status: number, problem: string, hint?: string) {
    super('REQUEST_REFUSED', problem, hint === undefined ? {} : { hint });
    this.status = status;
  }
}

/** Turns a thrown error into a refusal. The text of unexpected errors is withheld, as it may contain anything. */
export function refused(thrown: unknown): Refused {
  if (!PhasegateError.is(thrown)) {
    return { status: 500, body: { error: { code: 'INTERNAL', message: UNEXPECTED, hint: SEE_REPORT } } };
  }
  const { code, hint } = thrown;
  const status = thrown instanceof RequestRefused ? thrown.status : (STATUS[code] ?? 500);
  const problems = thrown instanceof InputInvalidError ? bounded(thrown.problems) : undefined;
  return { status, body: { error: { code, message: problemOf(thrown), hint, problems } } };
}

/** Creates the refusal of a request, for reasons that do not depend on the store. */
export function refusalOf(message: string, hint?: string): Refusal {
  return { error: { code: 'REQUEST_REFUSED', message, hint } };
}

// --- internal ---

const UNEXPECTED = 'Cannot answer as an unexpected error occurred';
const SEE_REPORT = 'The process that serves the dashboard has reported the error.';

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  ANSWER_INVALID: 400,
  DECISION_INVALID: 400,
  DECISION_TARGET_INVALID: 400,
  FORK_INVALID: 400,
  INPUT_INVALID: 400,
  INPUT_MASKED: 409,
  STORE_MISUSED: 400,
  TAG_INVALID: 400,
  STORE_READ_ONLY: 403,
  ITEM_UNKNOWN: 404,
  RUN_UNKNOWN: 404,
  ANSWERED: 409,
  DEFINITION_INVALID: 409,
  FILE_UNREADABLE: 409,
  GIT_FAILED: 409,
  JOURNAL_DIVERGED: 409,
  NOT_ESCALATED: 409,
  PIPELINE_INVALID: 409,
  REPOSITORY_UNUSABLE: 409,
  ANSWER_STALE: 409,
  LEASE_LOST: 409,
  RUN_CHANGED: 409,
  RUN_ENDED: 409,
  RUN_EXISTS: 409,
  RUN_HAS_PARENT: 409,
  RUN_LEASED: 409,
  RUN_NOT_ENDED: 409,
  SEQ_CONFLICT: 409,
  WORKSPACE_REFUSED: 409,
  STORE_BUSY: 503,
  STORE_CLOSED: 503,
  STORE_FULL: 503,
  STORE_UNREADABLE: 503,
};

const MOST_PROBLEMS = 100;
const LONGEST_PATH = 10;
const LONGEST_SEGMENT = 200;
const LONGEST_PROBLEM = 500;

/** Paths and messages may repeat texts of the input. */
function bounded(problems: InputInvalidError['problems']): readonly InputProblem[] {
  return problems.slice(0, MOST_PROBLEMS).map(({ path, message }) => ({
    path: path.slice(0, LONGEST_PATH).map((segment) => segment.slice(0, LONGEST_SEGMENT)),
    message: message.slice(0, LONGEST_PROBLEM),
  }));
}

/** The message without the hint and the link to the docs that follow it. */
function problemOf({ message, hint }: PhasegateError): string {
  const said = problemText(message);
  return hint !== undefined && said.endsWith(`\n${hint}`) ? said.slice(0, -hint.length - 1) : said;
}
