/**
 * Readable lines for events of a run.
 *
 * @module
 */
import type { RunEvent } from '../src/records.ts';

/** Kinds of events that are shown only on request. */
export type Detail = 'tasks' | 'reviews' | 'reports';

/** Formats an event as a line; undefined if it is not shown. */
export function lineOf(event: RunEvent, detail: readonly Detail[] = []): string | undefined {
  switch (event.type) {
    case 'run.started':
    case 'phase.read':
    case 'review.waiting':
      return undefined;
    case 'task.asked':
      return `${event.phase}/${event.task} asks${event.reviewer ? ' as reviewer' : ''}: ${event.question}`;
    case 'task.dropped':
      return `${event.phase}/${event.task} dropped ${event.attempt}${generation(event.generation)}`;
    case 'task.answered':
      return `${event.phase}/${event.task} answered ${JSON.stringify(event.answer)}${event.who === undefined ? '' : ` by ${event.who}`}`;
    case 'item.changed':
      return `item ${event.item} ${event.change}${because(event.severity ?? event.queue)}${told(event.reason)}`;
    case 'run.suspended':
    case 'run.resumed':
    case 'run.reopened':
      return event.type.replace('.', ' ');
    case 'run.ended':
      return `run ${event.status}${because(event.limit)}${told(event.reason)}${failure(event.error)}`;
    case 'phase.started':
      return `${event.phase} started ${event.attempt}${generation(event.generation)}${told(event.revision?.feedback)}`;
    case 'phase.approved':
      return `${event.phase} approved v${event.version}${because(event.because === 'approved' ? undefined : event.because)}${readings(event.read, event.readTasks)}`;
    case 'phase.retrying':
      return `${event.phase} retrying${person(event.by)}${told(event.correction.feedback)}`;
    case 'attempt.unchanged':
      return `${event.phase} unchanged ${event.times}`;
    case 'loop.detected':
      return `${event.phase} goes round in a loop: ${event.kind}`;
    case 'phase.rewinding':
      return `${event.phase} rewinding ${event.target}${person(event.by)}${told(event.correction.feedback)}`;
    case 'phase.escalated':
      return `${event.phase} escalated${because(event.because)}${told(event.reason)}`;
    case 'phase.rejected':
      return `${event.phase} rejected${told(event.reason)}`;
    case 'phase.failed':
      return `${event.phase} failed${failure(event.error)}`;
    case 'phase.warned':
      return `${event.phase} warned ${event.code}`;
    case 'phase.reflected':
      return `${event.phase} reflected${told(event.reflection ?? '-')}${(event.recalled ?? []).map((one) => ` + ${one.run}: ${one.reflection}`).join('')}`;
    case 'check.baselined':
      return `${event.phase} baseline ${event.failed.map((one) => one.check).join(', ') || 'clean'}`;
    case 'phase.unaffected':
      return `${event.phase} unaffected by ${event.source} v${event.version}`;
    case 'phase.stale':
      return `${event.phase} stale by ${event.because}`;
    case 'phase.invalidated':
      return `${event.phase} invalidated by ${event.because}${generation(event.generation)}`;
    case 'phase.skipped':
      return `${event.phase} skipped by ${event.because}`;
    case 'phase.cancelled':
      return `${event.phase} cancelled by ${event.because}`;
    case 'limit.reached':
      return `limit ${event.limit} reached ${event.used}/${event.max}${event.holds === null ? '' : ` holds ${event.holds}`}`;
    case 'limit.lifted':
      return `limit ${event.limit} lifted`;
    case 'review.started':
      return detail.includes('reviews') ? `${event.phase} review asked ${event.asked}` : undefined;
    case 'review.decided':
      return detail.includes('reviews') ? `${event.phase} decided ${event.verdict.type}${person(event.by)}` : undefined;
    case 'task.started':
      return detail.includes('tasks') ? `${event.phase}/${event.task} try ${event.try}` : undefined;
    case 'task.completed':
      return detail.includes('tasks') ? `${event.phase}/${event.task} done` : undefined;
    case 'task.retrying':
      return detail.includes('tasks')
        ? `${event.phase}/${event.task} again in ${event.delayMs}${failure(event.error)}`
        : undefined;
    case 'task.failed':
      return detail.includes('tasks') ? `${event.phase}/${event.task} failed${failure(event.error)}` : undefined;
    case 'task.reported':
      return detail.includes('reports')
        ? `${event.phase}/${event.task} reported ${event.tokens ?? 0} tokens, ${event.costUsd ?? 0} USD`
        : undefined;
  }
}

// --- internal ---

function generation(number: number): string {
  return number === 0 ? '' : ` g${number}`;
}

function told(text: string | undefined): string {
  return text === undefined || text === '' ? '' : `: ${text.replace(/\n+/gu, ' | ')}`;
}

function because(cause: string | undefined): string {
  return cause === undefined ? '' : ` (${cause})`;
}

function person(by: string): string {
  return by === 'gate' ? '' : ` by ${by}`;
}

function failure(error: { readonly code: string } | undefined): string {
  return error === undefined ? '' : ` with ${error.code}`;
}

function readings(
  read: Readonly<Record<string, number>>,
  tasks: Readonly<Record<string, readonly string[]>> = {},
): string {
  const list = Object.entries(read).map(([name, version]) => `${[name, ...(tasks[name] ?? [])].join('.')}@${version}`);
  return list.length === 0 ? '' : ` from ${list.join(' ')}`;
}
