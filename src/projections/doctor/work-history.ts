/**
 * What the attempts of one phase have read of what they were told, one after another.
 *
 * @module
 */
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import { SMALLEST_PROMPT } from '../../model/revision/prompt.ts';
import type { Counted } from './gate-history.ts';
import { count, type Evidence } from './occurrences.ts';

/** What has to be remembered of the attempts of a phase in one run. */
export interface Worked {
  /** Characters of the first prompt that each task has read. */
  readonly first: Map<string, number>;
  /** The attempt, as long as it works. */
  attempt: Attempt | undefined;
}

/** Counts an event of a phase. @returns What has to be remembered for the next one. */
export function countWork(
  counted: Counted,
  worked: Worked = { first: new Map(), attempt: undefined },
  event: RunEvent,
  at: Evidence,
): Worked {
  const { attempt } = worked;
  if (event.type === 'phase.started') {
    worked.attempt = { at, isRevised: event.revision !== undefined, isTold: false, ended: 0, models: new Set() };
  } else if (event.type === 'task.asked') {
    if (attempt && !event.reviewer) attempt.isTold = true;
  } else if (event.type === 'task.reported') {
    // What a try is charged that has said nothing tells nothing of a model.
    const isModel = event.model !== undefined || (event.tokens !== undefined && !event.estimated);
    if (isModel && !event.reviewer) attempt?.models.add(event.task);
  } else if (event.type === 'task.completed' || event.type === 'task.failed') {
    countPrompt(counted, worked, event, at);
    if (attempt) countTask(counted, attempt, event, at);
  } else if (event.type === 'review.started') {
    if (attempt) endAttempt(counted, attempt);
    worked.attempt = undefined;
  }
  return worked;
}

// --- internal ---

interface Attempt {
  /** The record that it started with. */
  readonly at: Evidence;
  readonly isRevised: boolean;
  /** Whether a task was given the revision. */
  isTold: boolean;
  /** Tasks that have ended. */
  ended: number;
  /** Tasks that have reported what a model used. */
  readonly models: Set<string>;
}

type TaskEnd = EventOf<'task.completed' | 'task.failed'>;

function countTask({ gate, bypassed }: Counted, attempt: Attempt, event: TaskEnd, at: Evidence): void {
  const { prompt, revised = false, task } = event;
  attempt.ended += 1;
  if (revised || (prompt && gate.strategy !== 'none')) attempt.isTold = true;
  if (attempt.isRevised && revised && !prompt && attempt.models.has(task)) count(bypassed, at);
}

/** Whether a revision was told is known once the review begins: all tasks have ended then. */
function endAttempt(counted: Counted, { at, isRevised, isTold, ended }: Attempt): void {
  if (!isRevised || ended === 0) return;
  counted.revised += 1;
  if (!isTold) count(counted.unread, at);
}

function countPrompt(counted: Counted, { first }: Worked, { task, prompt }: TaskEnd, at: Evidence): void {
  if (!prompt) return;
  const before = first.get(task) ?? prompt.chars;
  first.set(task, before);
  counted.longestPrompt = Math.max(counted.longestPrompt, prompt.chars);
  if (prompt.chars > counted.growth * Math.max(before, SMALLEST_PROMPT)) count(counted.grown, at);
}
