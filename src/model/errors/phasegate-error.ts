import { cutEnd, TEXT_LIMITS } from '../values/text-limits.ts';
import { retryHintOf } from './retry-hint.ts';

/** Every code that a {@link PhasegateError} can carry; each has a heading in `docs/errors.md`. */
export type ErrorCode =
  | 'ACTOR_MISSING'
  | 'AGENT_FAILED'
  | 'AGENT_STOPPED'
  | 'ANSWERED'
  | 'ANSWER_INVALID'
  | 'ANSWER_OVERDUE'
  | 'ANSWER_STALE'
  | 'APPROVAL_UNSOUND'
  | 'BOUND_EXCEEDED'
  | 'COMMAND_FAILED'
  | 'DECISION_INVALID'
  | 'DECISION_TARGET_INVALID'
  | 'DEFINITION_INVALID'
  | 'FILE_EXISTS'
  | 'FILE_UNREADABLE'
  | 'FORK_INVALID'
  | 'GIT_FAILED'
  | 'HUMAN_UNREACHABLE'
  | 'INPUT_INVALID'
  | 'INPUT_MASKED'
  | 'INTERNAL'
  | 'ITEM_UNKNOWN'
  | 'JOURNAL_DIVERGED'
  | 'LEASE_LOST'
  | 'MODEL_ANSWER_INVALID'
  | 'MODEL_FAILED'
  | 'NOT_ESCALATED'
  | 'OUTPUT_INVALID'
  | 'OUTPUT_NOT_JSON'
  | 'PACKAGE_MISSING'
  | 'PATHS_TOO_MANY'
  | 'PATHS_UNKNOWN'
  | 'PIPELINE_INVALID'
  | 'PIPELINE_UNSUPPORTED'
  | 'PLAN_INVALID'
  | 'PORT_UNUSABLE'
  | 'PREDECESSOR_FAILED'
  | 'PROPERTY_BROKEN'
  | 'RECORDS_INCOMPLETE'
  | 'REHEARSAL_STUCK'
  | 'REPORT_INVALID'
  | 'REPOSITORY_UNUSABLE'
  | 'REQUEST_REFUSED'
  | 'RESTATE_FAILED'
  | 'REVIEW_UNAVAILABLE'
  | 'REWORK_IMPOSSIBLE'
  | 'RUN_CHANGED'
  | 'RUN_ENDED'
  | 'RUN_EXISTS'
  | 'RUN_HAS_PARENT'
  | 'RUN_LEASED'
  | 'RUN_NOT_ENDED'
  | 'RUN_TOO_LARGE'
  | 'RUN_UNKNOWN'
  | 'RUN_UNSUCCESSFUL'
  | 'SCRIPT_INVALID'
  | 'SEQ_CONFLICT'
  | 'SNAPSHOT_NOT_RESTORABLE'
  | 'STORE_BUSY'
  | 'STORE_CLOSED'
  | 'STORE_FAILED'
  | 'STORE_FULL'
  | 'STORE_MISUSED'
  | 'STORE_READ_ONLY'
  | 'STORE_UNREADABLE'
  | 'TAG_INVALID'
  | 'TASK_FAILED'
  | 'TASK_TIMEOUT'
  | 'TEXT_TOO_LONG'
  | 'WORKSPACE_REFUSED';

const BRAND = Symbol.for('phasegate.error');

/** Base of every error that phasegate throws on purpose. Match on `code`, not on the message. */
export class PhasegateError extends Error {
  readonly code: ErrorCode;
  /** The next step for the reader, in one sentence. */
  readonly hint: string | undefined;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, problem: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    const text = [problem, options.hint, `Docs: docs/errors.md#${code}`]
      .filter((line) => line !== undefined)
      .join('\n');
    super(text, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = options.hint;
  }

  /** Like `instanceof`, but true across duplicate installs of phasegate. */
  static is(value: unknown): value is PhasegateError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

/** True for a phasegate error with this code. */
export function hasCode(thrown: unknown, code: ErrorCode): thrown is PhasegateError {
  return PhasegateError.is(thrown) && thrown.code === code;
}

/** The code of any thrown value, such as `ENOENT`; empty if it has none. */
export function codeOf(thrown: unknown): string {
  const code: unknown = Reflect.get(Object(thrown), 'code');
  return typeof code === 'string' ? code : '';
}

/** True if an import has failed as the package, or a part of it, is not installed. Its name begins after a quote; paths may contain it, too. */
export function isMissing(thrown: unknown, name: string): boolean {
  return ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(codeOf(thrown)) && String(thrown).includes(`'${name}`);
}

/**
 * Makes the `catch` of an import of an optional package. It throws `PACKAGE_MISSING` if that is not installed, else the given error.
 *
 * @param action Purpose of the package, such as `open a Postgres store`.
 * @param install Argument of `npm install`. @default the name
 */
export function refuseMissing(name: string, action: string, install = name): (thrown: unknown) => never {
  return (thrown) => {
    if (!isMissing(thrown, name)) throw thrown;
    throw new PhasegateError('PACKAGE_MISSING', `Cannot ${action} as the package "${name}" is not installed`, {
      hint: `Run \`npm install ${install}\`.`,
      cause: thrown,
    });
  };
}

/** A failure as plain JSON: events, results and snapshots carry it in place of an `Error`. */
export interface ErrorInfo {
  /** A phasegate code, or the `code` the thrown error carried, or `TASK_FAILED`. */
  readonly code: string;
  /** The class of the thrown value, such as `TypeError`. */
  readonly name: string;
  readonly message: string;
  /**
   * The underlying cause, such as the refused connection behind `fetch failed`. For `PREDECESSOR_FAILED`, the reason or the error of
   * the phase above.
   */
  readonly cause?: string | undefined;
  /** The stack, if the thrown value had one. */
  readonly stack?: string | undefined;
  /** Set if the error itself rules out another try. */
  readonly permanent?: true | undefined;
  /** Least milliseconds to wait before the next try, if the error gives them. */
  readonly retryAfterMs?: number | undefined;
}

/** Describes any thrown value as JSON, `undefined` and non-errors included. Never throws. */
export function errorInfo(thrown: unknown, fallback: ErrorCode = 'TASK_FAILED'): ErrorInfo {
  try {
    if (thrown instanceof Error || PhasegateError.is(thrown)) {
      return {
        code: cutEnd(codeOf(thrown), TEXT_LIMITS.name) || fallback,
        name: cutEnd(String(thrown.name), TEXT_LIMITS.name),
        message: cutText(messageOf(thrown)),
        ...(thrown.cause !== undefined && { cause: cutText(briefly(thrown.cause)) }),
        ...(typeof thrown.stack === 'string' && { stack: cutText(thrown.stack) }),
        ...hintOf(thrown),
      };
    }
    const message = cutText(`Thrown value was not an Error: ${show(thrown)}`);
    return { code: fallback, name: typeof thrown, message, ...hintOf(thrown) };
  } catch {
    return { code: fallback, name: 'unknown', message: 'Thrown value could not be described' };
  }
}

/** Cuts a text to the length that records store, and notes the length of the cut. */
export function cutText(text: string): string {
  return cutEnd(text, TEXT_LIMITS.error);
}

// --- internal ---

/** Returns the retry hints of a thrown value, if it has any. */
function hintOf(thrown: unknown): Pick<ErrorInfo, 'permanent' | 'retryAfterMs'> {
  const { permanent, afterMs } = retryHintOf(thrown);
  return { ...(permanent && { permanent }), ...(afterMs > 0 && { retryAfterMs: afterMs }) };
}

/** Returns the message, or for an `AggregateError` without one, the messages of its errors. */
function messageOf(error: Error, more = MOST_CAUSES): string {
  const isList = more > 0 && error instanceof AggregateError && error.message === '';
  const parts: readonly unknown[] = isList ? error.errors.slice(0, MOST_ERRORS) : [];
  const message = parts.length > 0 ? parts.map((part) => briefly(part, more - 1)).join('; ') : String(error.message);
  return error.name === 'DataCloneError' && message.startsWith('#<Object>') ? `${message}\n${CLONE}` : message;
}

/** Explains a failed clone: `inputs` is a proxy, which no structured clone can take. */
const CLONE =
  'If the value is `inputs` or contains it: that is a proxy, which cannot be cloned. Clone a copy: structuredClone({ ...inputs })';

/** Most nested causes in a text: HTTP clients wrap the error of the connection in their own. */
const MOST_CAUSES = 3;

/** Most errors of one `AggregateError` in a text. */
const MOST_ERRORS = 10;

function briefly(thrown: unknown, more = MOST_CAUSES): string {
  if (!(thrown instanceof Error)) return show(thrown);
  const own = `${thrown.name}: ${messageOf(thrown, more)}`;
  return thrown.cause instanceof Error && more > 0 ? `${own}: ${briefly(thrown.cause, more - 1)}` : own;
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  // Shows each part once: objects may contain themselves, or share parts at many levels.
  const shown = new Set<unknown>();
  const text: string | undefined = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return String(part);
    if (typeof part !== 'object' || part === null) return part;
    return shown.has(part) ? '…' : (shown.add(part), part);
  });
  return text ?? 'an object';
}
