/**
 * A second implementation of the phase, from `docs/semantics.md` as plain functions.
 *
 * @module
 */
import type { GatePlan, Verdict } from '../src/records.ts';

/** The state of a phase in terms of the page. */
export interface Model {
  readonly state:
    'running' | 'reviewing' | 'retrying' | 'rewinding' | 'escalated' | 'approved' | 'rejected' | 'failed' | 'cancelled';
  readonly attempt: number;
  /** Retries since the last fresh start. */
  readonly retries: number;
  /** Rewinds of the predecessor `p` in the whole run. */
  readonly rewinds: number;
  /** Review errors of this attempt. */
  readonly errors: number;
  /** True if this attempt has outputs. */
  readonly outputs: boolean;
  /** The source of the latest verdict on this attempt. */
  readonly by: 'gate' | 'worker' | 'person';
}

/** Events of a phase, without the types of XState. */
export type Stimulus =
  | { readonly type: 'work'; readonly outcome: 'done' | 'failed' | 'crashed' | 'rework p' | 'rework elsewhere' }
  | { readonly type: 'verdict'; readonly verdict: Verdict | 'crashed' }
  | { readonly type: 'restart' | 'hold' | 'cancel' }
  | { readonly type: 'decide'; readonly decision: Verdict };

/** One row of the decision table, or another transition. */
export interface Step {
  readonly model: Model;
  /** Types of the reports, in order, with their relevant fields. */
  readonly reports: readonly string[];
  /** The row of the decision table, if one applied. */
  readonly row?: string;
}

/** The inputs of a decision other than the verdict. */
export interface Rules {
  readonly gate: GatePlan;
  readonly attended: boolean;
  readonly gated: boolean;
}

/** A phase that has just started. */
export const BORN: Model = {
  state: 'running',
  attempt: 0,
  retries: 0,
  rewinds: 0,
  errors: 0,
  outputs: false,
  by: 'gate',
};

/** Returns the step that follows an event. */
export function follow(model: Model, stimulus: Stimulus, rules: Rules): Step {
  switch (stimulus.type) {
    case 'cancel':
      return { model: { ...model, state: 'cancelled' }, reports: [] };
    case 'hold':
      return { model: { ...refund(model), state: 'escalated' }, reports: ['phase.escalated limit'] };
    case 'restart':
      return restart(model);
    case 'work':
      return work(model, stimulus.outcome, rules);
    case 'verdict': {
      const unavailable = { type: 'unavailable', error: { code: '', name: '', message: '' } } as const;
      return judge(model, stimulus.verdict === 'crashed' ? unavailable : stimulus.verdict, 'gate', rules);
    }
    case 'decide':
      return judge(model, stimulus.decision, 'person', rules);
  }
}

// --- internal ---

/** Rule 21: a correction that a limit refuses spends nothing. A correction by a person spends nothing either. */
function refund(model: Model): Model {
  if (model.by === 'person') return model;
  return model.state === 'retrying'
    ? { ...model, retries: model.retries - 1 }
    : { ...model, rewinds: model.rewinds - 1 };
}

/** Rules 11 and 17: a retry continues with the same state, the end of a rewind is a fresh start. */
function restart(model: Model): Step {
  const fresh = model.state === 'rewinding';
  const attempt = fresh ? 0 : model.attempt + 1;
  return {
    model: {
      ...model,
      state: 'running',
      attempt,
      errors: 0,
      outputs: false,
      by: 'gate',
      retries: fresh ? 0 : model.retries,
    },
    reports: [`phase.started ${attempt}`],
  };
}

function work(model: Model, outcome: string, rules: Rules): Step {
  if (outcome === 'failed' || outcome === 'crashed') return end(model, 'failed');
  if (outcome !== 'done') {
    const phase = outcome.replace('rework ', '');
    return judge(model, { type: 'retryPredecessor', phase, feedback: 'rework' }, 'worker', rules);
  }
  const done = { ...model, outputs: true };
  if (!rules.gated) return end(done, 'approved', 'unreviewed');
  return { model: { ...done, state: 'reviewing' }, reports: ['review.started 1'] };
}

/** The table under rule 8, from top to bottom. */
function judge(before: Model, verdict: Verdict, by: Model['by'], { gate, attended }: Rules): Step {
  const model = { ...before, by };
  const decided = `review.decided ${verdict.type} ${by}`;
  const take = (row: string, { model: next, reports }: Step): Step => ({
    model: next,
    reports: [decided, ...reports],
    row,
  });
  if (verdict.type === 'unavailable' && verdict.error.code === 'DECISION_INVALID')
    return take('no decision of code', end(model, 'failed'));
  const strays = by === 'gate' && verdict.type === 'retryPredecessor' && verdict.phase !== 'p';
  const missing =
    (strays && gate.onInvalidTarget === 'ask') ||
    verdict.type === 'unavailable' ||
    verdict.type === 'inconclusive' ||
    (verdict.type === 'unrecognised' && gate.onUnrecognised === 'ask');
  if (missing && model.errors < Number(gate.maxReviewErrors)) {
    const errors = model.errors + 1;
    const reports = [`review.started ${errors + 1}`];
    return take('missing, ask again', { model: { ...model, state: 'reviewing', errors }, reports });
  }
  if (missing && attended) return take('missing, ask a person', escalated(model, 'reviewUnavailable'));
  if (missing) return take('missing, fail', end(model, 'failed'));
  if (verdict.type === 'approve' && !model.outputs) return take('approve nothing', end(model, 'failed'));
  if (verdict.type === 'approve') return take('approve', end(model, 'approved', 'approved'));
  if (verdict.type === 'unrecognised') return take('no verdict in the text', warned(model, 'unrecognised'));
  if (verdict.type === 'retry' && (by === 'person' || model.retries < Number(gate.maxRetries))) {
    const retries = model.retries + (by === 'person' ? 0 : 1);
    return take('retry', { model: { ...model, state: 'retrying', retries }, reports: ['phase.retrying'] });
  }
  const target = verdict.type === 'retryPredecessor' ? verdict.phase : undefined;
  const allowed = target === 'p';
  const affordable = allowed && model.rewinds < Number(gate.maxPredecessorRetries);
  if (target !== undefined && (by === 'person' || affordable)) {
    const rewinds = model.rewinds + (by === 'person' ? 0 : 1);
    return take('rewind', { model: { ...model, state: 'rewinding', rewinds }, reports: [`phase.rewinding ${target}`] });
  }
  if (verdict.type === 'reject') return take('reject', end(model, 'rejected'));
  if (verdict.type === 'escalate') return take('escalate', escalated(model, 'requested'));
  if (by === 'worker') return take('rework impossible', end(model, 'failed'));
  if (target !== undefined && !allowed) {
    return gate.onInvalidTarget === 'escalate'
      ? take('target not allowed, escalate', escalated(model, 'invalidTarget'))
      : take('target not allowed, approve', warned(model, 'invalidTarget'));
  }
  if (gate.onExhausted === 'escalate') return take('exhausted, escalate', escalated(model, 'exhausted'));
  if (gate.onExhausted === 'reject') return take('exhausted, reject', end(model, 'rejected'));
  return take('exhausted, accept', warned(model, 'exhausted'));
}

function end(model: Model, state: 'approved' | 'rejected' | 'failed', because = ''): Step {
  return { model: { ...model, state }, reports: [`phase.${state} ${because}`.trim()] };
}

function warned(model: Model, because: string): Step {
  return { model: { ...model, state: 'approved' }, reports: ['phase.warned', `phase.approved ${because}`] };
}

function escalated(model: Model, because: string): Step {
  return { model: { ...model, state: 'escalated' }, reports: [`phase.escalated ${because}`] };
}
