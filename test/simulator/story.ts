/**
 * The story of a run: its records without what may differ between a run that was disturbed and one that was not.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../src/records.ts';

/**
 * Returns the story of runs as lines, sorted, as phases that work at the same time are as fast as their stores let them.
 *
 * Left out are times, and records that only say that work began, was repeated, stopped or handed over: a process that continues
 * may begin again each work whose end was not stored.
 */
export function storyOf(records: ReadonlyMap<string, readonly RunRecord[]>): readonly string[] {
  return [...records]
    .flatMap(([runId, all]) => all.flatMap(({ event }) => (isLeftOut(event) ? [] : `${runId} ${lineOf(event)}`)))
    .toSorted();
}

/** Returns the first line that only one of two stories has; `undefined` if they are equal. */
export function storyDifference(calm: readonly string[], disturbed: readonly string[]): string | undefined {
  const left = [...calm];
  const added = disturbed.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const lines = [...left.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(0, 400)).join('\n');
}

// --- internal ---

const LEFT_OUT: ReadonlySet<RunEvent['type']> = new Set([
  'run.resumed',
  'run.suspended',
  'task.started',
  'task.asked',
  'task.reported',
  'task.dropped',
  'review.started',
  'review.waiting',
]);

const INTERRUPTED = /^(?:STORE_\w+|LEASE_LOST|RUN_LEASED|RUN_EXISTS|RUN_UNSUCCESSFUL)$/u;

function isLeftOut(event: RunEvent): boolean {
  // A review is asked again as a whole, so its reviewers may break again.
  if (event.type === 'task.retrying' && event.reviewer) return true;
  // A task whose own run cannot continue in a process says why, and is suspended with its run.
  if (event.type === 'phase.warned' && INTERRUPTED.test(event.code)) return true;
  return LEFT_OUT.has(event.type);
}

function lineOf(event: RunEvent): string {
  const { who: _who, ...rest } = { who: undefined, ...event };
  return JSON.stringify(rest);
}
