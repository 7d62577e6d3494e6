/**
 * Attributes of spans from records. They have names of the GenAI conventions if there are any, else names under `phasegate.`
 *
 * @module
 */
import type { Attributes } from '@opentelemetry/api';
import type { ErrorInfo } from '../model/errors/phasegate-error.ts';
import type { EventOf, Verdict } from '../model/events/event.ts';
import { decisionIn } from '../model/review/verdict.ts';

/** Cuts a text to the length that backends accept. */
export function brief(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

/** Attributes of an `exception` event, as the conventions for exceptions name them. */
export function exceptionAttributes({ name, message, stack }: ErrorInfo): Attributes {
  return {
    'exception.type': name,
    'exception.message': brief(message),
    ...(stack !== undefined && { 'exception.stacktrace': brief(stack) }),
  };
}

/** Attributes that every span of a run has. */
export function common(kind: string, runId: string, pipeline: string | undefined): Attributes {
  return {
    'phasegate.kind': kind,
    'phasegate.run.id': runId,
    ...(pipeline !== undefined && { 'phasegate.pipeline': pipeline }),
  };
}

/** Attributes of a demand for changes, for an event of the attempt that is sent back, or that sends another back. */
export function correctionAttributes({
  correction,
  by,
  spent,
}: Pick<EventOf<'phase.retrying'>, 'correction' | 'by' | 'spent'>): Attributes {
  const { feedback, requiredChange, issues } = correction;
  return {
    'phasegate.by': by,
    'phasegate.feedback': brief(feedback),
    ...(requiredChange !== undefined && { 'phasegate.required_change': brief(requiredChange) }),
    ...(issues && { 'phasegate.issues': issues.length }),
    'phasegate.spent': spent,
  };
}

/**
 * Attributes of `gen_ai.evaluation.result` events, one for each verdict. They include the verdict of the gate, if it was made
 * without reviewers, or because one of them gave none.
 */
export function evaluations(event: EventOf<'review.decided'>): readonly Attributes[] {
  const { by, who } = event;
  return named(event).map(([name, verdict]) => ({
    'gen_ai.evaluation.name': name,
    'gen_ai.evaluation.score.label': verdict.type,
    ...verdictAttributes(verdict),
    'phasegate.by': by,
    ...(who !== undefined && { 'phasegate.who': who }),
  }));
}

/** Drops attributes that are undefined. */
export function present(attributes: Readonly<Record<string, string | number | boolean | undefined>>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, typeof value === 'string' ? brief(value) : value]],
    ),
  );
}

// --- internal ---

/** Characters of a text. Backends refuse much longer ones, with the whole batch. */
const LONGEST = 4096;

/** Pairs verdicts with their authors. A person or a task decides after the reviewers, whose verdicts have events already. */
function named({ verdict, verdicts, by }: EventOf<'review.decided'>): readonly (readonly [string, Verdict])[] {
  if (by !== 'gate') return [[by, verdict]];
  const given = Object.entries(verdicts);
  if (given.length === 0) return [[verdict.type === 'retry' ? 'checks' : 'gate', verdict]];
  const isGiven = decisionIn(verdict) !== undefined || given.some(([, one]) => one.type === verdict.type);
  return isGiven ? given : [...given, ['gate', verdict]];
}

function verdictAttributes(verdict: Verdict): Attributes {
  switch (verdict.type) {
    case 'unavailable':
      return { 'error.type': verdict.error.code, 'gen_ai.evaluation.explanation': brief(verdict.error.message) };
    case 'unrecognised':
      return { 'gen_ai.evaluation.explanation': brief(verdict.text) };
    case 'inconclusive':
      return { ...verdictAttributes(verdict.decision), 'phasegate.decision': verdict.decision.type };
    case 'approve':
      return shared(verdict);
    case 'retry':
      return { ...shared(verdict), ...demand(verdict) };
    case 'retryPredecessor':
      return { ...shared(verdict), ...demand(verdict), 'phasegate.target': verdict.phase };
    case 'reject':
    case 'escalate':
      return { ...shared(verdict), 'gen_ai.evaluation.explanation': brief(verdict.reason) };
  }
}

function shared({
  score,
  confidence,
  issues,
}: Pick<Extract<Verdict, { readonly type: 'approve' }>, 'score' | 'confidence' | 'issues'>): Attributes {
  return {
    ...(score !== undefined && { 'gen_ai.evaluation.score.value': score }),
    ...(confidence !== undefined && { 'phasegate.confidence': confidence }),
    ...(issues && { 'phasegate.issues': issues.length }),
  };
}

function demand({
  feedback,
  requiredChange,
  issues = [],
}: Extract<Verdict, { readonly feedback: string }>): Attributes {
  const found = issues.map(({ description }) => description).join('\n');
  return {
    'gen_ai.evaluation.explanation': brief(feedback.trim() === '' ? found : feedback),
    ...(requiredChange !== undefined && { 'phasegate.required_change': brief(requiredChange) }),
  };
}
