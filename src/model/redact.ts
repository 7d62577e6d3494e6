/**
 * Secrets that must not get into records: where people and programs say what went wrong, they quote what they saw.
 *
 * Inputs and outputs are left as they are, as the run itself works with them.
 *
 * @module
 */
import type { ErrorInfo } from './errors.ts';
import type { RunEvent, Verdict } from './event.ts';
import type { Correction, Revision } from './revision.ts';

/** Changes an event before it becomes a record: texts of it, and nothing else. */
export type Redact = (event: RunEvent) => RunEvent;

/** Stands for what was taken out. */
export const MASK = '[redacted]';

/**
 * Masks obvious secrets in errors, feedback, reasons, progress, warnings, and artifacts that were reported: keys such as
 * `sk-…`, `ghp_…` and `AKIA…`, bearer tokens, `password=…`, credentials in URLs, private keys.
 *
 * @returns The same event where it has none.
 */
export function redactSecrets(event: RunEvent): RunEvent {
  return mapTexts(event, maskSecrets);
}

/** A function that applies `redact` and never throws: where that does, or makes another event, every text is masked. */
export function guardRedact(redact: Redact): Redact {
  return (event) => {
    try {
      const redacted: unknown = redact(event);
      if (isOfType(redacted, event.type)) return redacted;
    } catch {
      // What cannot be looked through is not let through.
    }
    return mapTexts(event, () => MASK);
  };
}

/** The text with every obvious secret masked. */
export function maskSecrets(text: string): string {
  if (text.length < SHORTEST) return text;
  const lower = text.toLowerCase();
  return SECRETS.reduce(
    (left, { hints, pattern, mask }) =>
      hints.some((hint) => lower.includes(hint)) ? left.replace(pattern, mask) : left,
    text,
  );
}

// --- internal ---

type Mask = (text: string) => string;

/** Shorter texts have no secret in them. */
const SHORTEST = 10;

/** What a secret is called. */
const NAMES = '(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)';
const IN_NAMES = ['passw', 'passphrase', 'secret', 'token', 'key'];

/** What stands before a secret stays: the group. */
const AFTER = `$1${MASK}`;

interface Secret {
  /** Texts in lower case, one of which is there wherever the pattern is: looking for them is quick. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  readonly mask: string;
}

const SECRETS: readonly Secret[] = [
  {
    hints: ['private key-----'],
    pattern:
      /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY-----(?:(?:[^-]|-(?!-)){0,8192}-----END [A-Z\d ]{0,40}PRIVATE KEY-----|(?:\s{1,4}[A-Za-z\d+/=]{16,100})*)/gu,
    mask: MASK,
  },
  { hints: ['sk-'], pattern: /\bsk-[\w-]{14,}\w/gu, mask: MASK },
  { hints: ['gh'], pattern: /\bgh[opsur]_\w{20,}/gu, mask: MASK },
  { hints: ['github_pat_'], pattern: /\bgithub_pat_\w{20,}/gu, mask: MASK },
  { hints: ['glpat-'], pattern: /\bglpat-[\w-]{16,}\w/gu, mask: MASK },
  { hints: ['xox'], pattern: /\bxox[abeoprs]-[\w-]{9,}\w/gu, mask: MASK },
  { hints: ['npm_'], pattern: /\bnpm_\w{30,}/gu, mask: MASK },
  { hints: ['akia', 'asia'], pattern: /\bA[KS]IA[A-Z\d]{16}\b/gu, mask: MASK },
  { hints: ['aiza'], pattern: /\bAIza[\w-]{34}\w/gu, mask: MASK },
  { hints: ['eyj'], pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*\w/gu, mask: MASK },
  {
    hints: ['bearer'],
    pattern: /(\bbearer\s{1,4})(?=\S{0,200}\d)[\w.~+/-]{7,}[\w+/]=*/giu,
    mask: AFTER,
  },
  { hints: ['basic'], pattern: /(\bbasic\s{1,4})[A-Za-z\d+/]{12,}={1,2}/giu, mask: AFTER },
  {
    hints: IN_NAMES,
    pattern: new RegExp(String.raw`(${NAMES}\s{0,4}=\s{0,4}["']?)(?!\[redacted\])[^\s"',;&)\]}]+`, 'giu'),
    mask: AFTER,
  },
  {
    hints: IN_NAMES,
    pattern: new RegExp(String.raw`(${NAMES}\\{0,4}["']\s{0,4}:\s{0,4}\\{0,4}["'])(?!\[redacted\])[^"'\\]+`, 'giu'),
    mask: AFTER,
  },
  { hints: ['://'], pattern: /(:\/\/[^\s/:@]{1,200}:)(?!\[redacted\])[^\s/@]{1,200}(?=@)/gu, mask: AFTER },
];

/** Names of fields whose texts are secrets. */
const SECRET_FIELD = new RegExp(NAMES, 'iu');

/** An event with its free texts replaced; the same one where none is. */
function mapTexts(event: RunEvent, mask: Mask): RunEvent {
  switch (event.type) {
    case 'task.reported': {
      const { progress, artifact } = event;
      const changed = {
        ...(typeof progress === 'string' && { progress: mask(progress) }),
        ...(artifact && { artifact: changedFields(artifact, { content: maskValue(artifact.content, mask) }) }),
      };
      return changedFields(event, changed);
    }
    case 'task.retrying':
    case 'phase.failed':
      return changedFields(event, { error: maskError(event.error, mask) });
    case 'task.failed':
      return changedFields(event, {
        error: maskError(event.error, mask),
        ...(event.rework && { rework: changedFields(event.rework, { feedback: mask(event.rework.feedback) }) }),
      });
    case 'phase.started':
      return event.revision ? changedFields(event, { revision: maskRevision(event.revision, mask) }) : event;
    case 'review.decided':
      return changedFields(event, {
        verdict: maskVerdict(event.verdict, mask),
        verdicts: mapFields(event.verdicts, (verdict) => maskVerdict(verdict, mask)),
      });
    case 'phase.retrying':
    case 'phase.rewinding':
      return changedFields(event, { correction: maskCorrection(event.correction, mask) });
    case 'phase.escalated':
    case 'phase.rejected':
      return changedFields(event, { reason: mask(event.reason) });
    case 'phase.warned':
      return changedFields(event, { message: mask(event.message) });
    case 'phase.cancelled':
    case 'phase.skipped':
      return changedFields(event, { because: mask(event.because) });
    case 'item.changed':
      return event.reason === undefined ? event : changedFields(event, { reason: mask(event.reason) });
    case 'run.ended':
      return changedFields(event, {
        ...(event.reason !== undefined && { reason: mask(event.reason) }),
        ...(event.error && { error: maskError(event.error, mask) }),
      });
    case 'run.started':
    case 'run.resumed':
    case 'run.reopened':
    case 'limit.reached':
    case 'limit.lifted':
    case 'phase.approved':
    case 'phase.invalidated':
    case 'phase.read':
    case 'phase.stale':
    case 'review.started':
    case 'task.started':
    case 'task.asked':
    case 'task.answered':
    case 'task.completed':
      return event;
  }
}

function maskError(error: ErrorInfo, mask: Mask): ErrorInfo {
  const { message, cause, stack } = error;
  return changedFields(error, {
    message: mask(message),
    ...(cause !== undefined && { cause: mask(cause) }),
    ...(stack !== undefined && { stack: mask(stack) }),
  });
}

function maskVerdict(verdict: Verdict, mask: Mask): Verdict {
  switch (verdict.type) {
    case 'approve':
      return verdict;
    case 'retry':
    case 'retryPredecessor':
      return maskDemand(verdict, mask);
    case 'reject':
    case 'escalate':
      return changedFields(verdict, { reason: mask(verdict.reason) });
    case 'unrecognised':
      return changedFields(verdict, { text: mask(verdict.text) });
    case 'inconclusive':
      return changedFields(verdict, { decision: maskVerdict(verdict.decision, mask) });
    case 'unavailable':
      return changedFields(verdict, { error: maskError(verdict.error, mask) });
  }
}

function maskCorrection(correction: Correction, mask: Mask): Correction {
  return maskDemand(correction, mask);
}

function maskRevision(revision: Revision, mask: Mask): Revision {
  const history = revision.history.map((one) => maskCorrection(one, mask));
  const isSame = history.every((one, at) => one === revision.history[at]);
  return changedFields(maskDemand(revision, mask), isSame ? {} : { history });
}

/** Anything that asks for a change. */
function maskDemand<T extends { readonly feedback: string; readonly requiredChange?: string | undefined }>(
  demand: T,
  mask: Mask,
): T {
  const { feedback, requiredChange } = demand;
  return changedFields(demand, {
    feedback: mask(feedback),
    ...(requiredChange !== undefined && { requiredChange: mask(requiredChange) }),
  });
}

/** Texts of a JSON value, however deep; those of fields with a telling name as a whole. */
function maskValue(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => maskValue(item, mask));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  return mapFields(value, (field: unknown, name) =>
    typeof field === 'string' && SECRET_FIELD.test(name) ? MASK : maskValue(field, mask),
  );
}

function mapFields<T extends object>(record: T, change: (value: T[keyof T], name: string) => unknown): T {
  const fields: readonly [string, T[keyof T]][] = Object.entries(record);
  return changedFields(record, Object.fromEntries(fields.map(([name, value]) => [name, change(value, name)])));
}

/** The record with such fields; itself where it has them already. */
function changedFields<T extends object>(record: T, fields: object): T {
  const isSame = Object.entries(fields).every(([name, value]) => Reflect.get(record, name) === value);
  return isSame ? record : { ...record, ...fields };
}

function isOfType(value: unknown, type: RunEvent['type']): value is RunEvent {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type;
}
