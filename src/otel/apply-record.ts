/**
 * Applies records to the spans of a run.
 *
 * @module
 */
import type { EventOf, RunEvent } from '../model/events/event.ts';
import { applyReflection, interruptReflections } from './apply-reflection.ts';
import { applyWorkRecord } from './apply-work-record.ts';
import { correctionAttributes, present } from './attributes.ts';
import {
  addLink,
  closeAttempt,
  closePhase,
  closeRun,
  addEvent,
  openAttempt,
  phaseOf,
  startAttempt,
  type RunSpans,
} from './run-spans.ts';
import { linkTo, type End } from './span.ts';

/** Applies one record. @returns True if it ends the run. */
export function applyRecord(spans: RunSpans, event: RunEvent, time: number): boolean {
  switch (event.type) {
    case 'run.suspended':
      addEvent(spans, undefined, 'phasegate.run.suspended', {}, time);
      return false;
    case 'run.started':
    case 'run.resumed':
      if (event.plan) rememberPlan(spans, event.plan);
      if (event.type === 'run.resumed') {
        spans.cut = spans.last;
        interruptReflections(spans, time);
        addEvent(spans, undefined, 'phasegate.run.resumed', {}, time);
      }
      return false;
    case 'run.reopened':
      addEvent(spans, undefined, 'phasegate.run.reopened', {}, time);
      return false;
    case 'run.ended':
      closeRun(spans, time, endOfRun(spans, event));
      return true;
    case 'limit.reached': {
      const { limit, used, max, holds } = event;
      const attributes = { 'phasegate.limit': limit, 'phasegate.used': used, 'phasegate.max': max };
      addEvent(spans, holds ?? undefined, 'phasegate.limit.reached', attributes, time);
      return false;
    }
    case 'limit.lifted': {
      const attributes = present({ 'phasegate.limit': event.limit, 'phasegate.who': event.who });
      addEvent(spans, undefined, 'phasegate.limit.lifted', attributes, time);
      return false;
    }
    case 'item.changed': {
      const { item, change, reason, who } = event;
      const attributes = { 'phasegate.item': item, 'phasegate.change': change, 'phasegate.reason': reason };
      addEvent(spans, undefined, 'phasegate.item.changed', present({ ...attributes, 'phasegate.who': who }), time);
      return false;
    }
    case 'task.started':
    case 'task.reported':
    case 'task.completed':
    case 'task.retrying':
    case 'task.failed':
    case 'task.asked':
    case 'task.answered':
    case 'review.started':
    case 'review.waiting':
    case 'review.decided':
      applyWorkRecord(spans, event, time);
      return false;
    case 'task.dropped': {
      const { task, reviewer, generation, attempt } = event;
      const attributes = { 'phasegate.task': task, 'phasegate.reviewer': reviewer };
      const where = { 'phasegate.generation': generation, 'phasegate.attempt': attempt };
      addEvent(spans, event.phase, 'phasegate.task.dropped', { ...attributes, ...where }, time);
      return false;
    }
    case 'phase.started':
    case 'phase.read':
    case 'phase.reflected':
    case 'phase.retrying':
    case 'phase.rewinding':
    case 'phase.escalated':
    case 'phase.approved':
    case 'phase.rejected':
    case 'phase.failed':
    case 'phase.warned':
    case 'phase.stale':
    case 'phase.unaffected':
    case 'phase.invalidated':
    case 'phase.skipped':
    case 'phase.cancelled':
    case 'attempt.unchanged':
    case 'loop.detected':
    case 'check.baselined':
      applyPhaseRecord(spans, event, time);
      return false;
    default:
      return event satisfies never;
  }
}

// --- internal ---

type PhaseEvent = Extract<
  RunEvent,
  { readonly type: `phase.${string}` | `attempt.${string}` | 'loop.detected' | 'check.baselined' }
>;

function applyPhaseRecord(spans: RunSpans, event: PhaseEvent, time: number): void {
  switch (event.type) {
    case 'phase.started':
      startAttempt(spans, event, time);
      return;
    case 'phase.retrying':
      spans.corrections += 1;
      addEvent(spans, event.phase, 'phasegate.phase.retrying', correctionAttributes(event), time);
      closeAttempt(spans, phaseOf(spans, event, time), time, { outcome: 'retrying' });
      return;
    case 'phase.rewinding':
      sendBack(spans, event, time);
      return;
    case 'phase.approved':
      phaseOf(spans, event, time);
      closePhase(spans, event.phase, time, {
        outcome: 'approved',
        attributes: { 'phasegate.because': event.because, 'phasegate.version': event.version },
      });
      return;
    case 'phase.rejected':
      phaseOf(spans, event, time);
      closePhase(spans, event.phase, time, {
        outcome: 'rejected',
        failure: { type: 'rejected', message: event.reason },
      });
      return;
    case 'phase.failed': {
      const { code, message } = event.error;
      phaseOf(spans, event, time);
      closePhase(spans, event.phase, time, { outcome: 'failed', failure: { type: code, message } });
      return;
    }
    case 'phase.invalidated':
      invalidate(spans, event, time);
      return;
    case 'phase.skipped':
    case 'phase.cancelled': {
      const attributes = { 'phasegate.because': event.because };
      const outcome = event.type === 'phase.skipped' ? 'skipped' : 'cancelled';
      if (spans.phases.has(event.phase)) closePhase(spans, event.phase, time, { outcome, attributes });
      else addEvent(spans, event.phase, `phasegate.${event.type}`, present(attributes), time);
      return;
    }
    case 'phase.escalated': {
      const attributes = { 'phasegate.because': event.because, 'phasegate.reason': event.reason };
      addEvent(spans, event.phase, 'phasegate.phase.escalated', present(attributes), time);
      return;
    }
    case 'phase.warned': {
      const attributes = { 'phasegate.code': event.code, 'phasegate.message': event.message };
      addEvent(spans, event.phase, 'phasegate.phase.warned', present(attributes), time);
      return;
    }
    case 'phase.read':
      addEvent(spans, event.phase, 'phasegate.phase.read', { 'phasegate.source': event.source }, time);
      return;
    case 'phase.reflected': {
      const attributes = { 'phasegate.reflection': event.reflection, 'phasegate.recalled': event.recalled?.length };
      applyReflection(spans, event, time);
      addEvent(spans, event.phase, 'phasegate.phase.reflected', present(attributes), time);
      return;
    }
    case 'phase.stale':
      addEvent(spans, event.phase, 'phasegate.phase.stale', { 'phasegate.because': event.because }, time);
      return;
    case 'phase.unaffected': {
      const attributes = { 'phasegate.source': event.source, 'phasegate.version': event.version };
      addEvent(spans, event.phase, 'phasegate.phase.unaffected', attributes, time);
      return;
    }
    case 'attempt.unchanged':
      addEvent(spans, event.phase, 'phasegate.attempt.unchanged', { 'phasegate.times': event.times }, time);
      return;
    case 'loop.detected': {
      const { kind, issues, rewinds, times } = event;
      const pairs = rewinds.map(({ from, to }) => `${from} → ${to}`);
      const attributes = { 'phasegate.loop': kind, 'phasegate.issues': [...issues], 'phasegate.rewinds': pairs };
      const counted = times === undefined ? attributes : { ...attributes, 'phasegate.times': times };
      addEvent(spans, event.phase, 'phasegate.loop.detected', counted, time);
      return;
    }
    case 'check.baselined': {
      const failed = event.failed.map(({ check }) => check);
      const attributes = { 'phasegate.passed': [...event.passed], 'phasegate.failed': failed };
      const attempt = openAttempt(spans, event);
      if (attempt) attempt.ready = time;
      addEvent(spans, event.phase, 'phasegate.check.baselined', attributes, time);
      return;
    }
    default:
      return event satisfies never;
  }
}

function rememberPlan(spans: RunSpans, plan: NonNullable<EventOf<'run.resumed'>['plan']>): void {
  spans.askAgain.clear();
  spans.reflects.clear();
  for (const { name, gate } of plan.phases) {
    if (gate?.onUnrecognised === 'ask') spans.askAgain.add(name);
    if (gate?.reflect) spans.reflects.set(name, gate.reflect.name);
  }
}

/**
 * Sends a phase back. The span of the requester stays open. The phase that is sent back links to the attempt that demanded it.
 */
function sendBack(spans: RunSpans, event: EventOf<'phase.rewinding'>, time: number): void {
  const { phase, target, riders = [] } = event;
  const requester = phaseOf(spans, event, time);
  const { span } = requester.attempt ?? requester;
  spans.corrections += 1;
  const attributes = { 'phasegate.target': target, ...correctionAttributes(event) };
  addEvent(spans, phase, 'phasegate.phase.rewinding', attributes, time);
  for (const name of new Set([target, ...riders.map((rider) => rider.phase)])) {
    addLink(spans, name, linkTo(span.spanContext(), 'rewind', { 'phasegate.phase': phase }));
  }
  closeAttempt(spans, requester, time, { outcome: 'rewinding' });
}

/** Invalidates a phase. Its next span links to the phase that caused this. */
function invalidate(spans: RunSpans, { phase, because }: EventOf<'phase.invalidated'>, time: number): void {
  const attributes = { 'phasegate.because': because };
  if (spans.phases.has(phase)) closePhase(spans, phase, time, { outcome: 'invalidated', attributes });
  else addEvent(spans, phase, 'phasegate.phase.invalidated', attributes, time);
  const cause = spans.latest.get(because);
  if (cause) addLink(spans, phase, linkTo(cause, 'invalidation', { 'phasegate.phase': because }));
}

/** The end of a run. If the run has no error or reason of its own, it has the failure of the phase that ended it. */
function endOfRun({ failures }: RunSpans, { status, reason, limit, error }: EventOf<'run.ended'>): End {
  const attributes = present({ 'phasegate.reason': reason, 'phasegate.limit': limit });
  if (status === 'completed' || status === 'cancelled') return { outcome: status, attributes };
  const own = error?.message ?? reason;
  const failure = own === undefined ? failures.get(status) : { type: error?.code ?? status, message: own };
  return { outcome: status, attributes, failure: failure ?? { type: status, message: `The run is ${status}` } };
}
