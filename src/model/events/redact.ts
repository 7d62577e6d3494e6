/**
 * Removal of secrets from records. Errors and feedback often quote them.
 *
 * Inputs and outputs stay as they are, because the run itself works with them.
 *
 * @module
 */
import type { Issue } from '../decision/issue-schema.ts';
import type { ErrorInfo } from '../errors/phasegate-error.ts';
import type { Correction, Revision, Rider } from '../revision/revision.ts';
import { MASK } from '../values/known-secrets.ts';
import type { RunEvent, Verdict } from './event.ts';
import { maskSecrets, SECRET_FIELD } from './secrets.ts';

/** Changes the texts of an event before it becomes a record. It must change nothing else. */
export type Redact = (event: RunEvent) => RunEvent;

/**
 * Masks obvious secrets in errors, feedback, reasons, progress, warnings, and reported artifacts. Obvious are keys such as `sk-…`,
 * `ghp_…` and `AKIA…`, bearer tokens, `password=…`, credentials in URLs, and private keys. It also masks the keys and headers that
 * model clients send. On the command line, it masks values of environment variables with names like those of secrets.
 *
 * @returns The same event if it has no secrets.
 */
export function redactSecrets(event: RunEvent): RunEvent {
  return mapTexts(event, maskSecrets);
}

type Mask = (text: string) => string;

/** Replaces the free texts of an event; returns the same event if none changes. */
export function mapTexts(event: RunEvent, mask: Mask): RunEvent {
  switch (event.type) {
    case 'task.reported': {
      const { progress, artifact, observation } = event;
      const changed = {
        ...(typeof progress === 'string' && { progress: mask(progress) }),
        ...(observation !== undefined && { observation: mask(observation) }),
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
        ...(event.failedChecks && {
          failedChecks: mapItems(event.failedChecks, (one) => changedFields(one, { details: mask(one.details) })),
        }),
      });
    case 'review.waiting':
      return event.verdicts
        ? changedFields(event, { verdicts: mapFields(event.verdicts, (verdict) => maskVerdict(verdict, mask)) })
        : event;
    case 'phase.retrying':
    case 'phase.rewinding':
      return changedFields(event, {
        correction: maskDemand(event.correction, mask),
        ...('riders' in event && event.riders && { riders: mapItems(event.riders, (one) => maskRider(one, mask)) }),
      });
    case 'phase.escalated':
    case 'phase.rejected':
      return changedFields(event, { reason: mask(event.reason) });
    case 'phase.warned':
      return changedFields(event, { message: mask(event.message) });
    case 'phase.reflected':
      return changedFields(event, {
        ...(event.reflection !== undefined && { reflection: mask(event.reflection) }),
        ...(event.recalled && {
          recalled: mapItems(event.recalled, (one) => changedFields(one, { reflection: mask(one.reflection) })),
        }),
      });
    case 'check.baselined':
      return changedFields(event, {
        failed: mapItems(event.failed, (one) => changedFields(one, { details: mask(one.details) })),
      });
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
    case 'run.suspended':
    case 'run.resumed':
    case 'run.reopened':
    case 'limit.reached':
    case 'limit.lifted':
    case 'phase.approved':
    case 'attempt.unchanged':
    case 'loop.detected':
    case 'phase.invalidated':
    case 'phase.read':
    case 'phase.unaffected':
    case 'phase.stale':
    case 'review.started':
    case 'task.started':
    case 'task.asked':
    case 'task.answered':
    case 'task.completed':
    case 'task.dropped':
      return event;
  }
}

// --- internal ---

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
      return maskIssues(verdict, mask);
    case 'retry':
    case 'retryPredecessor':
      return maskDemand(verdict, mask);
    case 'reject':
    case 'escalate':
      return changedFields(maskIssues(verdict, mask), { reason: mask(verdict.reason) });
    case 'unrecognised':
      return changedFields(verdict, { text: mask(verdict.text) });
    case 'inconclusive':
      return changedFields(verdict, { decision: maskVerdict(verdict.decision, mask) });
    case 'unavailable':
      return changedFields(verdict, { error: maskError(verdict.error, mask) });
  }
}

function maskRider(rider: Rider, mask: Mask): Rider {
  return changedFields(rider, { correction: maskDemand(rider.correction, mask) });
}

/** Masks the issues of anything that has some. */
function maskIssues<T extends { readonly issues?: readonly Issue[] | undefined }>(holder: T, mask: Mask): T {
  return holder.issues
    ? changedFields(holder, { issues: mapItems(holder.issues, (issue) => maskIssue(issue, mask)) })
    : holder;
}

function maskIssue(issue: Issue, mask: Mask): Issue {
  const { evidence, impact, requiredChange } = issue;
  return changedFields(issue, {
    description: mask(issue.description),
    ...(evidence !== undefined && { evidence: mask(evidence) }),
    ...(impact !== undefined && { impact: mask(impact) }),
    ...(requiredChange !== undefined && { requiredChange: mask(requiredChange) }),
  });
}

function maskRevision(revision: Revision, mask: Mask): Revision {
  const history = mapItems(revision.history, (one) => maskDemand(one, mask));
  return changedFields(maskDemand(revision, mask), { history });
}

/** Masks anything that demands a change. */
function maskDemand<T extends Pick<Correction, 'feedback' | 'requiredChange' | 'issues'>>(demand: T, mask: Mask): T {
  const { feedback, requiredChange } = demand;
  return changedFields(maskIssues(demand, mask), {
    feedback: mask(feedback),
    ...(requiredChange !== undefined && { requiredChange: mask(requiredChange) }),
  });
}

/** Masks the texts of a JSON value at any depth. Fields with the name of a secret are masked as a whole. */
/** Replaces all texts in a JSON value; returns the same value if none changes. */
export function maskValue(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return mapItems(value, (item: unknown) => maskValue(item, mask));
  }
  return mapFields(value, (field: unknown, name) =>
    typeof field === 'string' && SECRET_FIELD.test(name) ? MASK : maskValue(field, mask),
  );
}

/** Changes the items; returns the same list if none changes. */
function mapItems<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  const changed = items.map(change);
  return changed.every((item, at) => item === items[at]) ? items : changed;
}

/** Changes the fields; returns the same object if none changes. */
export function mapFields<T extends object>(record: T, change: (value: T[keyof T], name: string) => unknown): T {
  let changed: T | undefined;
  const fields: readonly [string, T[keyof T]][] = Object.entries(record);
  for (const [name, value] of fields) {
    const next = change(value, name);
    if (next === value) continue;
    changed ??= { ...record };
    Reflect.set(changed, name, next);
  }
  return changed ?? record;
}

/** Sets fields of a record; returns the record itself if it has them already. */
function changedFields<T extends object>(record: T, fields: object): T {
  for (const name of Object.keys(fields)) {
    if (Reflect.get(record, name) !== Reflect.get(fields, name)) return { ...record, ...fields };
  }
  return record;
}
