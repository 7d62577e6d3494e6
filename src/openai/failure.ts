/**
 * Classification of API failures as transient or permanent.
 *
 * @module
 */
import { excerpt, ModelError } from '../llm/call/model-error.ts';
import { saysTooLong } from '../llm/call/too-long.ts';
import { maskKnown } from '../model/values/known-secrets.ts';

/** The known facts about a failure of the API. */
interface Failure {
  /** HTTP status of the response, or the status in its error. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** A clause that describes the failure. */
  readonly found: string;
}

/** Converts anything thrown by the client to an error that states if and when another try may help. */
export function readFailure(error: unknown, model: string): ModelError {
  if (error instanceof ModelError) return error;
  const { status, code, ...fields } = fieldsOf(error);
  const text = error instanceof Error ? error.message : String(error);
  const found =
    status === undefined
      ? `the connection failed or the server broke off: ${code === undefined ? text : `${code}: ${text}`}${reasonOf(error)}`
      : `the server answered ${text}`;
  const headers: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'headers') : undefined;
  const retryAfterMs = headers instanceof Headers ? retryAfter(headers) : undefined;
  return failureOf(model, { status: status ?? fields.named, code, retryAfterMs, found }, causeOf(error));
}

/** The error for a failure event in a stream, by its code. */
export function streamFailure(model: string, code: string | null | undefined, message: string): ModelError {
  const found = `the connection failed or the server broke off: ${code ? `${code}: ${message}` : message}`;
  return failureOf(model, { status: undefined, code: code ?? undefined, retryAfterMs: undefined, found });
}

/** The error for a response with status 200 whose body is an error, or not an answer. */
export function bodyFailure(model: string, body: { readonly error: unknown } | { readonly text: string }): ModelError {
  if ('text' in body) {
    const found = `the server answered 200 with a body that is not an answer: ${excerpt(body.text)}`;
    return failureOf(model, { status: undefined, code: undefined, retryAfterMs: undefined, found });
  }
  const { error } = body;
  const { code, named, message } = fieldsOf(error);
  const label = named ?? code;
  const text = message ?? (typeof error === 'string' ? error : (JSON.stringify(error) ?? 'it does not say why'));
  const said = excerptOf(text);
  const found = `the server answered 200 with the error${label === undefined ? '' : ` ${label}`}: ${said}`;
  return failureOf(model, { status: named, code, retryAfterMs: undefined, found });
}

/** The error for a stream that ended before the answer did. */
export function cutOff(model: string): ModelError {
  return new ModelError('MODEL_FAILED', `Cannot get an answer of model "${model}" as the stream ended in the middle`, {
    hint: 'Try again. If it happens each time, look for a proxy that ends long responses, or set `stream: false`.',
    retryable: true,
  });
}

// --- internal ---

/** Codes and types of permanent errors, whatever the status. */
const PERMANENT = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'invalid_api_key',
  'model_not_found',
  'invalid_prompt',
  'context_length_exceeded',
]);

/** Types that duplicate a status. They count only without a status. */
const REFUSED = new Set(['invalid_request_error', 'authentication_error', 'permission_error', 'not_found_error']);

/** Transient statuses under 500: timeout, conflict, too early, too many requests. */
const PASSING = new Set([408, 409, 425, 429]);

/** Most nested causes to search. */
const MOST_CAUSES = 5;

/** Longest text of a server in an error, in characters. */
const LONGEST = 4000;

function failureOf(model: string, failure: Failure, cause?: unknown): ModelError {
  const retryable = isTransient(failure);
  const { status, retryAfterMs, found } = failure;
  const clause = excerptOf(maskKnown(found));
  const tooLong = !retryable && saysTooLong(failure.code, clause);
  return new ModelError('MODEL_FAILED', `Cannot get an answer of model "${model}" as ${clause}`, {
    hint: hintFor(failure, retryable, tooLong),
    retryable,
    retryAfterMs,
    status,
    tooLong,
    cause,
  });
}

function isTransient({ status, code }: Failure): boolean {
  if (code !== undefined && PERMANENT.has(code)) return false;
  // Without a status the connection failed, or the server ended it.
  if (status === undefined) return code === undefined || !REFUSED.has(code);
  return status >= 500 || PASSING.has(status);
}

/** Fields of an error, as the client throws it or as a server writes it. */
function fieldsOf(error: unknown) {
  const fields: object = typeof error === 'object' && error !== null ? error : {};
  const [status, code, type, message] = ['status', 'code', 'type', 'message'].map((name): unknown =>
    Reflect.get(fields, name),
  );
  const words = [code, type].filter((one) => typeof one === 'string');
  const known = words.find((one) => PERMANENT.has(one)) ?? words[0];
  return {
    status: typeof status === 'number' ? status : undefined,
    code: known === undefined ? undefined : maskKnown(known.slice(0, 100)),
    /** Some servers write the status in place of the code. */
    named: typeof code === 'number' && code >= 400 && code < 600 ? code : undefined,
    message: typeof message === 'string' && message !== '' ? message : undefined,
  };
}

/** Delay in milliseconds, from OpenAI's exact header, or from the standard HTTP one: seconds or a date. */
function retryAfter(headers: Headers): number | undefined {
  const exact = numberIn(headers.get('retry-after-ms'));
  if (exact !== undefined) return Math.ceil(exact);
  const value = headers.get('retry-after') ?? '';
  const seconds = numberIn(value);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const ms = Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : undefined;
}

/** A number from 0 in digits; `undefined` for an empty header. */
function numberIn(text: string | null): number | undefined {
  return text !== null && /^\s*\d{1,15}(?:\.\d{1,15})?\s*$/u.test(text) ? Number(text) : undefined;
}

/**
 * The network's reason for a failed connection, such as `connect ECONNREFUSED 127.0.0.1:80`: the message of the innermost cause.
 */
function reasonOf(error: unknown): string {
  let inner = error;
  for (let deep = 0; deep < MOST_CAUSES && inner instanceof Error && inner.cause instanceof Error; deep++)
    inner = inner.cause;
  if (inner === error || !(inner instanceof Error)) return '';
  // A host name with several addresses has one error for each.
  const all: readonly unknown[] = inner instanceof AggregateError ? inner.errors : [inner];
  const said = [...new Set(all.map((one) => (one instanceof Error ? one.message : '')))].filter((one) => one !== '');
  return said.length === 0 ? '' : ` (${said.join('; ')})`;
}

/** A copy of the error without parts that may quote a key: body, headers and request are omitted. */
function causeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? maskKnown(error) : undefined;
  const { name, message, stack, cause } = error;
  const copy = new Error(maskKnown(message), cause === undefined ? undefined : { cause: causeOf(cause) });
  copy.name = name === 'Error' ? error.constructor.name : name;
  if (stack !== undefined) copy.stack = maskKnown(stack);
  for (const field of ['status', 'code', 'type', 'requestID'] as const) {
    const value: unknown = Reflect.get(error, field);
    if (typeof value === 'number') Reflect.set(copy, field, value);
    else if (typeof value === 'string') Reflect.set(copy, field, maskKnown(value));
  }
  return copy;
}

function excerptOf(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function hintFor({ status, code }: Failure, retryable: boolean, tooLong: boolean): string {
  if (code === 'insufficient_quota' || code?.startsWith('billing_'))
    return 'Check the plan and the billing of the account.';
  if (status === 401 || status === 403) return 'Check the API key, and what it may do.';
  if (status === 404 || code === 'model_not_found') return 'Check `model`, `baseURL` and `api`.';
  if (tooLong) return 'Show the model less: `material`, or a smaller `maxMaterial` (characters).';
  if (retryable) return 'Try again, with more `retry.attempts` or a longer `retry.backoff` if that is not enough.';
  return 'Change the request: `params`, `structured`, the schema, or the length of what is sent.';
}
