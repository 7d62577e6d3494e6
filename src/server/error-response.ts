/**
 * Why something was not done, as an answer.
 *
 * @module
 */
import { PhasegateError, type ErrorCode } from '../model/errors/phasegate-error.ts';
import { problemText } from '../projections/wording/error-words.ts';
import type { Refusal } from './api.ts';

/** A refusal with the status that fits. */
export interface Refused {
  readonly status: number;
  readonly body: Refusal;
}

/** A request that is refused for what it is, whatever is kept. */
export class RequestRefused extends PhasegateError {
  readonly status: number;

  constructor(status: number, problem: string, hint?: string) {
    super('REQUEST_REFUSED', problem, hint === undefined ? {} : { hint });
    this.status = status;
  }
}

/** What was thrown, as a refusal. Of errors that nobody has foreseen nothing is told: they may say anything. */
export function refused(thrown: unknown): Refused {
  if (!PhasegateError.is(thrown)) {
    return { status: 500, body: { error: { code: 'INTERNAL', message: UNFORESEEN, hint: WHERE_IT_IS_TOLD } } };
  }
  const { code, hint } = thrown;
  const status = thrown instanceof RequestRefused ? thrown.status : (STATUS[code] ?? 500);
  return { status, body: { error: { code, message: problemOf(thrown), hint } } };
}

/** Why a request is refused for what it is, where that is always the same. */
export function refusalOf(message: string, hint?: string): Refusal {
  return { error: { code: 'REQUEST_REFUSED', message, hint } };
}

// --- internal ---

const UNFORESEEN = 'Cannot answer as an error has happened that was not foreseen';
const WHERE_IT_IS_TOLD = 'Whoever has started the dashboard is told what it was.';

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  ANSWER_INVALID: 400,
  DECISION_INVALID: 400,
  DECISION_TARGET_INVALID: 400,
  FORK_INVALID: 400,
  INPUT_INVALID: 400,
  INPUT_MASKED: 409,
  STORE_MISUSED: 400,
  STORE_READ_ONLY: 403,
  ITEM_UNKNOWN: 404,
  RUN_UNKNOWN: 404,
  ANSWERED: 409,
  DEFINITION_INVALID: 409,
  FILE_UNREADABLE: 409,
  JOURNAL_DIVERGED: 409,
  NOT_ESCALATED: 409,
  PIPELINE_INVALID: 409,
  ANSWER_STALE: 409,
  LEASE_LOST: 409,
  RUN_CHANGED: 409,
  RUN_ENDED: 409,
  RUN_EXISTS: 409,
  RUN_LEASED: 409,
  RUN_NOT_ENDED: 409,
  SEQ_CONFLICT: 409,
  STORE_BUSY: 503,
  STORE_CLOSED: 503,
  STORE_FULL: 503,
  STORE_UNREADABLE: 503,
};

/** The message without what stands below it: advice, and where it is documented. */
function problemOf({ message, hint }: PhasegateError): string {
  const said = problemText(message);
  return hint !== undefined && said.endsWith(`\n${hint}`) ? said.slice(0, -hint.length - 1) : said;
}
