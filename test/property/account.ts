/**
 * The records of a run, in the words of the reference.
 *
 * @module
 */
import type { Issue } from '../../src/index.ts';
import type { RunEvent, RunRecord } from '../../src/records.ts';
import { labels, line, type Details } from '../reference/line.ts';

/** Formats the records of a run as lines. */
export function account(records: readonly RunRecord[]): readonly string[] {
  const broken = new Set<string>();
  return records.flatMap(({ time, event }) => {
    if (event.type === 'task.failed') {
      // One failed task ends an attempt. Its siblings, which are stopped by that, are left out.
      const attempt = `${event.phase} ${starts(records, event.phase, time)}`;
      if (broken.has(attempt)) return [];
      broken.add(attempt);
    }
    return [line(time, event.type, 'phase' in event ? event.phase : '', detailsOf(event, records))];
  });
}

/** Returns the subject of the item that an event opens; undefined if it opens none. */
export function aboutOf(event: RunEvent | undefined): string | undefined {
  if (event?.type === 'phase.escalated') return event.phase;
  if (event?.type === 'limit.reached') return event.limit;
  if (event?.type === 'task.asked') return `${event.phase}${event.reviewer ? '?' : '/'}${event.task}`;
  return undefined;
}

// --- internal ---

function starts(records: readonly RunRecord[], phase: string, until: number): number {
  return records.filter(({ time, event }) => event.type === 'phase.started' && event.phase === phase && time < until)
    .length;
}

function detailsOf(event: RunEvent, records: readonly RunRecord[]): Details {
  const where = 'attempt' in event ? { g: event.generation, a: event.attempt } : {};
  switch (event.type) {
    case 'run.started':
    case 'run.suspended':
    case 'run.resumed':
    case 'run.reopened':
    case 'phase.cancelled':
      return {};
    case 'task.dropped':
    case 'task.started':
    case 'task.failed':
    case 'task.retrying':
      return { ...where, task: event.task, try: event.try };
    case 'task.completed':
      return { ...where, task: event.task, try: event.try, output: event.output };
    case 'task.asked':
    case 'task.answered':
      return { ...where, task: event.task, reviewer: event.reviewer, ...signed(event) };
    case 'item.changed':
      return {
        item: aboutOf(records[event.item - 1]?.event) ?? event.item,
        change: event.change,
        ...(event.severity && { severity: event.severity }),
        ...(event.queue !== undefined && { queue: event.queue }),
      };
    case 'task.reported':
      return {
        ...where,
        task: event.task,
        reviewer: event.reviewer,
        tokens: event.tokens,
        ...(event.estimated && { estimated: true }),
        ...(event.late && { late: true }),
      };
    case 'phase.started':
      return { ...where, told: event.revision?.feedback ?? null, ...labels(named(event.revision?.issues)) };
    case 'review.started':
      return { ...where, asked: event.asked };
    case 'review.decided':
      return {
        ...where,
        verdict: event.verdict.type,
        by: event.by,
        ...signed(event),
        ...(event.edited && { edited: event.edited }),
        ...(event.failedChecks && { failed: event.failedChecks.map(({ name }) => name) }),
      };
    case 'attempt.unchanged':
      return { ...where, times: event.times };
    case 'loop.detected':
      return { ...where, kind: event.kind };
    case 'phase.retrying':
      return { ...where, ...tellingOf(event.correction), by: event.by, spent: event.spent };
    case 'phase.rewinding':
      return {
        ...where,
        target: event.target,
        ...tellingOf(event.correction),
        by: event.by,
        spent: event.spent,
        ...(event.riders && {
          riders: event.riders.map((one) => ({ phase: one.phase, ...tellingOf(one.correction) })),
        }),
      };
    case 'phase.escalated':
      return { ...where, because: event.because };
    case 'phase.rejected':
    case 'review.waiting':
      return where;
    case 'phase.read':
      return { ...where, source: event.source };
    case 'phase.failed':
      return { ...where, code: event.error.code };
    case 'phase.warned':
      return { ...where, code: event.code };
    case 'phase.reflected':
      return { ...where, reflection: event.reflection, recalled: event.recalled };
    case 'check.baselined':
      return { ...where, passed: event.passed, failed: event.failed.map((one) => one.check) };
    case 'phase.approved': {
      const { because, outputs, version, read, readTasks } = event;
      const sorted = Object.entries(read).toSorted(([a], [b]) => (a < b ? -1 : 1));
      const some = Object.entries(readTasks ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
      const tasks = some.length > 0 && { tasks: Object.fromEntries(some) };
      return { ...where, because, outputs, version, read: Object.fromEntries(sorted), ...tasks };
    }
    case 'phase.invalidated':
      return { g: event.generation, because: event.because };
    case 'phase.unaffected':
      return { source: event.source, version: event.version };
    case 'phase.stale':
    case 'phase.skipped':
      return { ...nameIn(event.because), ...signed(event) };
    case 'limit.reached':
      return {
        limit: event.limit,
        used: event.used,
        max: event.max,
        holds: event.holds,
        ...(event.refused && { refused: event.refused.task }),
      };
    case 'limit.lifted':
      return { limit: event.limit, ...signed(event) };
    case 'run.ended':
      return { status: event.status, limit: event.limit ?? null };
  }
}

/** Returns the author of an event, if known. */
function signed(event: object): Details {
  return 'who' in event && event.who !== undefined ? { who: event.who } : {};
}

function tellingOf(told: { readonly feedback: string; readonly issues?: readonly Issue[] | undefined }): Details {
  return { feedback: told.feedback, ...labels(named(told.issues)) };
}

/** Returns the names of issues in the scenario: the first word of each description. */
export function named(issues: readonly Issue[] = []): readonly { readonly name: string }[] {
  return issues.map(({ description }) => ({ name: description.trim().split(/\W/u)[0]?.toLowerCase() ?? '' }));
}

/** Returns the reason if it is a name. At the end of a run it is a sentence, which is left out. */
function nameIn(text: string): Details {
  return text.includes(' ') ? {} : { because: text };
}
