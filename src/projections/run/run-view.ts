/**
 * The fold from records to the status of a run.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import { foldRunTimes, type RunTimesFold } from '../../model/events/run-times.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { byName } from '../../model/values/by-name.ts';
import { isExhausted } from './is-exhausted.ts';
import { limitsLeft } from './limits-left.ts';
import type { PhaseResult, PhaseStatus, RunResult, RunSnapshot, RunView } from './run-result.ts';

/** Makes a view of a run before its first record: without phases, or with those of this plan. */
export function foldRun(plan?: Plan): RunView {
  const state: State = {
    runId: '',
    plan,
    status: 'running',
    phases: new Map(),
    waiting: new Set(),
    warnings: [],
    used: { attempts: 0, corrections: 0, reviews: 0, costUsd: 0, tokens: 0 },
    times: foldRunTimes(),
    end: undefined,
  };
  return {
    apply: (record) => apply(state, record),
    snapshot: (now) => snapshotOf(state, now),
  };
}

/** Makes the result of a run from its final snapshot. */
export function resultOf(snapshot: RunSnapshot): RunResult {
  const approved = Object.entries(snapshot.phases).filter(([, phase]) => phase.status === 'approved');
  const outputs = byName(approved.map(([name, phase]) => [name, phase.outputs ?? {}]));
  return { ...snapshot, status: snapshot.status === 'running' ? 'failed' : snapshot.status, outputs };
}

// --- internal ---

type RunLine = Exclude<RunEvent, { readonly phase: string } | { readonly type: 'item.changed' | 'run.suspended' }>;
type Draft = { -readonly [K in keyof PhaseResult]: PhaseResult[K] };

interface State {
  runId: string;
  plan: Plan | undefined;
  status: RunSnapshot['status'];
  readonly phases: Map<string, Draft>;
  readonly waiting: Set<string>;
  readonly warnings: { phase: string; code: string; message: string }[];
  readonly used: { attempts: number; corrections: number; reviews: number; costUsd: number; tokens: number };
  readonly times: RunTimesFold;
  end: Extract<RunEvent, { readonly type: 'run.ended' }> | undefined;
}

const UNTOUCHED: PhaseResult = {
  status: 'pending',
  attempts: 0,
  attempt: 0,
  generation: 0,
  done: [],
  decisions: [],
  outputs: null,
  version: 0,
  read: {},
  because: null,
  exhausted: false,
  stale: false,
  corrections: 0,
  costUsd: 0,
  tokens: 0,
  startedAt: null,
  endedAt: null,
  reason: null,
  error: null,
};

function apply(state: State, record: RunRecord): void {
  const { runId, time, event } = record;
  state.runId = runId;
  state.times.apply(record);
  if ('phase' in event) applyToPhase(state, event, time);
  else if (event.type !== 'item.changed' && event.type !== 'run.suspended') applyToRun(state, event);
}

function applyToRun(state: State, event: RunLine): void {
  switch (event.type) {
    case 'run.started':
      state.plan = event.plan;
      return;
    case 'limit.reached':
      if (event.holds === null && state.plan?.onLimit === 'escalate') state.waiting.add(event.limit);
      return;
    case 'limit.lifted':
      state.waiting.delete(event.limit);
      return;
    case 'run.resumed':
      state.plan = event.plan ?? state.plan;
      return;
    case 'run.reopened':
      state.status = 'running';
      state.end = undefined;
      for (const phase of state.phases.values()) if (phase.status !== 'approved') phase.status = 'pending';
      return;
    case 'run.ended':
      state.status = event.status;
      state.end = event;
      state.waiting.clear();
  }
}

function applyToPhase(state: State, event: Extract<RunEvent, { readonly phase: string }>, time: number): void {
  const phase = state.phases.get(event.phase) ?? { ...UNTOUCHED };
  state.phases.set(event.phase, phase);
  switch (event.type) {
    case 'phase.started':
      state.used.attempts += 1;
      phase.startedAt ??= time;
      phase.attempts += 1;
      Object.assign(phase, { attempt: event.attempt, generation: event.generation });
      Object.assign(phase, { done: [], endedAt: null, reason: null, error: null });
      setStatus(state, event.phase, phase, 'running');
      return;
    case 'task.completed':
      phase.done = [...phase.done, event.task];
      return;
    case 'task.reported':
      for (const used of [phase, state.used]) {
        used.tokens += event.tokens ?? 0;
        used.costUsd += event.costUsd ?? 0;
      }
      return;
    case 'review.started':
      setStatus(state, event.phase, phase, 'reviewing');
      return;
    case 'review.decided':
      state.used.reviews += 1;
      state.waiting.delete(event.phase);
      phase.decisions = [
        ...phase.decisions,
        { generation: event.generation, attempt: event.attempt, verdict: event.verdict, by: event.by },
      ];
      return;
    case 'phase.retrying':
      correct(state, event.phase);
      setStatus(state, event.phase, phase, 'retrying');
      return;
    case 'phase.rewinding':
      correct(state, event.target);
      for (const rider of event.riders ?? []) correct(state, rider.phase);
      setStatus(state, event.phase, phase, 'rewinding');
      return;
    case 'phase.escalated':
      state.waiting.add(event.phase);
      phase.reason = event.reason;
      setStatus(state, event.phase, phase, 'escalated');
      return;
    case 'phase.approved':
      Object.assign(phase, { outputs: event.outputs, version: event.version, read: event.read });
      Object.assign(phase, { because: event.because, stale: false });
      if (event.readTasks ?? phase.readTasks) phase.readTasks = event.readTasks;
      finish(state, event.phase, phase, 'approved', time);
      return;
    case 'phase.unaffected':
      phase.read = { ...phase.read, [event.source]: event.version };
      phase.stale &&= Object.entries(phase.read).some(([name, read]) => read !== state.phases.get(name)?.version);
      return;
    case 'phase.stale':
      phase.stale = true;
      if (phase.status !== 'approved') finish(state, event.phase, phase, 'approved', time);
      return;
    case 'phase.invalidated':
      phase.generation = event.generation;
      setStatus(state, event.phase, phase, 'pending');
      return;
    case 'phase.rejected':
      phase.reason = event.reason;
      finish(state, event.phase, phase, 'rejected', time);
      return;
    case 'phase.failed':
      phase.error = event.error;
      finish(state, event.phase, phase, 'failed', time);
      return;
    case 'phase.skipped':
      phase.reason = event.because;
      setStatus(state, event.phase, phase, 'skipped');
      return;
    case 'phase.cancelled':
      phase.reason = event.because;
      finish(state, event.phase, phase, 'cancelled', time);
      return;
    case 'phase.warned':
      state.warnings.push({ phase: event.phase, code: event.code, message: event.message });
      return;
    case 'task.started':
    case 'task.retrying':
    case 'task.failed':
    case 'task.asked':
    case 'task.answered':
    case 'task.dropped':
    case 'check.baselined':
    case 'phase.reflected':
    case 'phase.read':
    case 'attempt.unchanged':
    case 'review.waiting':
    case 'loop.detected':
  }
}

function setStatus(state: State, name: string, phase: Draft, status: PhaseStatus): void {
  phase.status = status;
  if (status !== 'escalated') state.waiting.delete(name);
}

function finish(state: State, name: string, phase: Draft, status: PhaseStatus, time: number): void {
  phase.endedAt = time;
  setStatus(state, name, phase, status);
}

function correct(state: State, target: string): void {
  state.used.corrections += 1;
  const phase = state.phases.get(target) ?? { ...UNTOUCHED };
  phase.corrections += 1;
  state.phases.set(target, phase);
}

function snapshotOf(state: State, now?: number): RunSnapshot {
  const { plan, end, used, times } = state;
  const phases = (plan?.phases ?? []).map(({ name }): [string, PhaseResult] => {
    const phase = state.phases.get(name) ?? UNTOUCHED;
    return [name, { ...phase, exhausted: isExhausted(phase) }];
  });
  const metrics = { ...used, ...times.at(now) };
  return {
    runId: state.runId,
    pipeline: plan?.name ?? '',
    status: state.status,
    phases: byName(phases),
    waiting: [...state.waiting],
    metrics,
    limitsLeft: limitsLeft(plan?.limits ?? {}, metrics),
    reason: end?.reason ?? null,
    limit: end?.limit ?? null,
    error: end?.error ?? null,
    warnings: [...state.warnings],
  };
}
