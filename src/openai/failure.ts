/**
 * Which failures of the API pass, and which do not.
 *
 * @module
 */
import { ModelError } from '../llm/model-error.ts';

/** What is known of a failure of the API. */
interface Failure {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly text: string;
}

/** Whatever the client has thrown, as a failure that says whether and when another try may help. */
export function readFailure(error: unknown, model: string): ModelError {
  if (error instanceof ModelError) return error;
  const failure = failureOf(error);
  const retryable = isTransient(failure);
  return new ModelError('MODEL_FAILED', `Cannot have an answer of model "${model}" as ${found(failure)}`, {
    hint: hintFor(failure, retryable),
    retryable,
    retryAfterMs: failure.retryAfterMs,
    cause: error,
  });
}

/** A failure that is told within the stream, by its code. */
export function streamFailure(model: string, code: string | null | undefined, message: string): ModelError {
  const failure: Failure = { status: undefined, code: code ?? undefined, retryAfterMs: undefined, text: message };
  const retryable = isTransient(failure);
  const problem = `Cannot have an answer of model "${model}" as ${found(failure)}`;
  return new ModelError('MODEL_FAILED', problem, { hint: hintFor(failure, retryable), retryable });
}

/** The stream has ended before the answer has. */
export function cutOff(model: string): ModelError {
  return new ModelError('MODEL_FAILED', `Cannot have an answer of model "${model}" as the stream ended in the middle`, {
    hint: 'Try again. Where it happens each time, look for a proxy that ends long responses.',
    retryable: true,
  });
}

// --- internal ---

/** Codes that no waiting changes, whatever the status. */
const PERMANENT = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'invalid_api_key',
  'model_not_found',
  'invalid_prompt',
  'context_length_exceeded',
]);

/** Statuses under 500 that pass: timeout, conflict, too early, too many requests. */
const PASSING = new Set([408, 409, 425, 429]);

function isTransient({ status, code }: Failure): boolean {
  if (code !== undefined && PERMANENT.has(code)) return false;
  // Without a status the connection failed, or the server broke off.
  return status === undefined || status >= 500 || PASSING.has(status);
}

function failureOf(error: unknown): Failure {
  const fields: object = typeof error === 'object' && error !== null ? error : {};
  const [status, code, type, headers] = ['status', 'code', 'type', 'headers'].map((name): unknown =>
    Reflect.get(fields, name),
  );
  const known = [code, type].find((one) => typeof one === 'string' && PERMANENT.has(one)) ?? code;
  return {
    status: typeof status === 'number' ? status : undefined,
    code: typeof known === 'string' ? known : undefined,
    retryAfterMs: headers instanceof Headers ? retryAfter(headers) : undefined,
    text: error instanceof Error ? error.message : String(error),
  };
}

/** Milliseconds, from the exact header that OpenAI sends, or from that of HTTP: seconds or a date. */
function retryAfter(headers: Headers): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact)) return exact;
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : undefined;
}

function found({ status, code, text }: Failure): string {
  if (status !== undefined) return `the server answered ${text}`;
  return `the connection failed or the server broke off: ${code === undefined ? text : `${code}: ${text}`}`;
}

function hintFor({ status, code }: Failure, retryable: boolean): string {
  if (code === 'insufficient_quota' || code?.startsWith('billing_'))
    return 'Check the plan and the billing of the account.';
  if (status === 401 || status === 403) return 'Check the API key, and what it may do.';
  if (status === 404 || code === 'model_not_found') return 'Check `model`, `baseURL` and `api`.';
  if (retryable) return 'Try again, with more `retry.attempts` or a longer `retry.backoff` where that is not enough.';
  return 'Change the request: `params`, `structured`, the schema, or the length of what is sent.';
}
