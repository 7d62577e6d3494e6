/**
 * History of the attempts of one phase: if their tasks have read the revision, and how long their prompts were.
 *
 * @module
 */
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import { AGENT_COMMAND_REFUSED } from '../../model/events/warning-codes.ts';
import { SMALLEST_PROMPT } from '../../model/revision/prompt.ts';
import type { Counted } from './gate-history.ts';
import { count, type Evidence } from './occurrences.ts';

/** State of the attempts of a phase in one run. */
export interface Worked {
  /** Characters of the first prompt that each task has read. */
  readonly first: Map<string, number>;
  /** The attempt, while it works. */
  attempt: Attempt | undefined;
}

/** Counts an event of a phase. @returns The state for the next one. */
export function countWork(
  counted: Counted,
  worked: Worked = { first: new Map(), attempt: undefined },
  event: RunEvent,
  at: Evidence,
): Worked {
  const { attempt } = worked;
  if (event.type === 'phase.started') {
    worked.attempt = { at, isRevised: event.revision !== undefined, isDelivered: false, ended: 0, models: new Set() };
  } else if (event.type === 'task.asked') {
    if (attempt && !event.reviewer) attempt.isDelivered = true;
  } else if (event.type === 'task.reported') {
    // Estimated usage is charged to a try without a report, so it does not prove that the try used a model.
    const isModel = event.model !== undefined || (event.tokens !== undefined && !event.estimated);
    if (isModel && !event.reviewer) attempt?.models.add(event.task);
  } else if (event.type === 'task.completed' || event.type === 'task.failed') {
    countPrompt(counted, worked, event, at);
    if (attempt) countTask(counted, attempt, event, at);
  } else if (event.type === 'phase.warned') {
    if (event.code === AGENT_COMMAND_REFUSED) count(counted.refused, at);
  } else if (event.type === 'review.started') {
    if (attempt) endAttempt(counted, attempt);
    worked.attempt = undefined;
  }
  return worked;
}

// --- internal ---

interface Attempt {
  /** The record of its start. */
  readonly at: Evidence;
  readonly isRevised: boolean;
  /** True if a task has received the revision. */
  isDelivered: boolean;
  /** Tasks that have ended. */
  ended: number;
  /** Tasks that have reported usage of a model. */
  readonly models: Set<string>;
}

type TaskEnd = EventOf<'task.completed' | 'task.failed'>;

function countTask({ gate, bypassed }: Counted, attempt: Attempt, event: TaskEnd, at: Evidence): void {
  const { prompt, revised = false, task } = event;
  attempt.ended += 1;
  if (revised || (prompt && gate.strategy !== 'none')) attempt.isDelivered = true;
  if (attempt.isRevised && revised && !prompt && attempt.models.has(task)) count(bypassed, at);
}

/** Counts an attempt when its review begins: all tasks have ended then. */
function endAttempt(counted: Counted, { at, isRevised, isDelivered, ended }: Attempt): void {
  if (!isRevised || ended === 0) return;
  counted.revised += 1;
  if (!isDelivered) count(counted.unread, at);
}

function countPrompt(counted: Counted, { first }: Worked, { task, prompt }: TaskEnd, at: Evidence): void {
  if (!prompt) return;
  const before = first.get(task) ?? prompt.chars;
  first.set(task, before);
  counted.longestPrompt = Math.max(counted.longestPrompt, prompt.chars);
  if (prompt.chars > counted.growth * Math.max(before, SMALLEST_PROMPT)) count(counted.grown, at);
}
