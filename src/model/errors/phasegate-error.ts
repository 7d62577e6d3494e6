import { cutEnd, TEXT_LIMITS } from '../values/text-limits.ts';
import { retryHintOf } from './retry-hint.ts';

/** Every code a {@link PhasegateError} can carry; each has a heading in `docs/errors.md`. */
export type ErrorCode =
  | 'ACTOR_MISSING'
  | 'ANSWERED'
  | 'ANSWER_INVALID'
  | 'ANSWER_OVERDUE'
  | 'ANSWER_STALE'
  | 'APPROVAL_UNSOUND'
  | 'COMMAND_FAILED'
  | 'DECISION_INVALID'
  | 'DECISION_TARGET_INVALID'
  | 'DEFINITION_INVALID'
  | 'FILE_EXISTS'
  | 'FILE_UNREADABLE'
  | 'FORK_INVALID'
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
  | 'PIPELINE_INVALID'
  | 'PORT_UNUSABLE'
  | 'PREDECESSOR_FAILED'
  | 'REPORT_INVALID'
  | 'REQUEST_REFUSED'
  | 'REVIEW_UNAVAILABLE'
  | 'REWORK_IMPOSSIBLE'
  | 'RUN_CHANGED'
  | 'RUN_ENDED'
  | 'RUN_EXISTS'
  | 'RUN_LEASED'
  | 'RUN_NOT_ENDED'
  | 'RUN_UNKNOWN'
  | 'RUN_UNSUCCESSFUL'
  | 'SEQ_CONFLICT'
  | 'SNAPSHOT_NOT_RESTORABLE'
  | 'STORE_BUSY'
  | 'STORE_CLOSED'
  | 'STORE_FAILED'
  | 'STORE_FULL'
  | 'STORE_MISUSED'
  | 'STORE_READ_ONLY'
  | 'STORE_UNREADABLE'
  | 'TASK_FAILED'
  | 'TASK_TIMEOUT'
  | 'TEXT_TOO_LONG';

const BRAND = Symbol.for('phasegate.error');

/** Base of every error phasegate throws on purpose. Match on `code`, not on the message. */
export class PhasegateError extends Error {
  readonly code: ErrorCode;
  /** What the reader should do next, in one sentence. */
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

/** A failure as plain JSON: what events, results and snapshots carry in place of an `Error`. */
export interface ErrorInfo {
  /** A phasegate code, or the `code` the thrown error carried, or `TASK_FAILED`. */
  readonly code: string;
  /** The class of what was thrown, such as `TypeError`. */
  readonly name: string;
  readonly message: string;
  /**
   * What is behind it: what an error of another library says, such as the refused connection behind `fetch failed`; of
   * `PREDECESSOR_FAILED`, the reason or the error of the phase above.
   */
  readonly cause?: string | undefined;
  /** The stack, where the thrown value had one. */
  readonly stack?: string | undefined;
  /** Set where it said of itself that no other try helps. */
  readonly permanent?: true | undefined;
  /** Milliseconds that it said the next try should wait at least. */
  readonly retryAfterMs?: number | undefined;
}

/** Describes anything that can be thrown, `undefined` and non-errors included, as JSON. Never throws. */
export function errorInfo(thrown: unknown, fallback: ErrorCode = 'TASK_FAILED'): ErrorInfo {
  try {
    if (thrown instanceof Error || PhasegateError.is(thrown)) {
      const code: unknown = Reflect.get(thrown, 'code');
      return {
        code: typeof code === 'string' ? cutEnd(code, TEXT_LIMITS.name) : fallback,
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

/** A text as long as records keep it, with how much of it is left out. */
export function cutText(text: string): string {
  return cutEnd(text, TEXT_LIMITS.error);
}

// --- internal ---

/** What it says of another try, where it says something. */
function hintOf(thrown: unknown): Pick<ErrorInfo, 'permanent' | 'retryAfterMs'> {
  const { permanent, afterMs } = retryHintOf(thrown);
  return { ...(permanent && { permanent }), ...(afterMs > 0 && { retryAfterMs: afterMs }) };
}

/** The message, or those of the errors that an `AggregateError` without one of its own is about. */
function messageOf(error: Error): string {
  const parts: readonly unknown[] = error instanceof AggregateError && error.message === '' ? error.errors : [];
  const message = parts.length > 0 ? parts.map((part) => briefly(part)).join('; ') : String(error.message);
  return error.name === 'DataCloneError' && message.startsWith('#<Object>') ? `${message}\n${CLONE}` : message;
}

/** `inputs` is a proxy, which no structured clone can take. */
const CLONE =
  'If that is `inputs`, or has it in it: it looks outputs up when they are asked for. Clone a copy: structuredClone({ ...inputs })';

/** Causes that are told of a cause: clients of servers put their own errors around that of the connection. */
const MOST_CAUSES = 3;

function briefly(thrown: unknown, more = MOST_CAUSES): string {
  if (!(thrown instanceof Error)) return show(thrown);
  const own = `${thrown.name}: ${messageOf(thrown)}`;
  return thrown.cause instanceof Error && more > 0 ? `${own}: ${briefly(thrown.cause, more - 1)}` : own;
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value) ?? 'an object';
  return String(value);
}
