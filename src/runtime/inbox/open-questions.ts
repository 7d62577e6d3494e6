/**
 * Open questions: work that waits for people, and the answers so far.
 *
 * @module
 */
import { reject as rejection } from '../../model/decision/decision.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { HumanRequest } from './human-work.ts';

/** The questions of one run. */
export interface Questions {
  /** Applies an event, with the items that it has closed. Work that waits for one of them continues. */
  note(event: RunEvent, items: readonly InboxItem[]): void;
  /**
   * Resolves with the answer to a question, at once if it was answered already.
   *
   * @param put Asks the question; called only if no item for it is open.
   */
  wait(asking: HumanRequest, put: () => void): Promise<unknown>;
}

/** Creates an empty set of questions. @param open Returns the open items. */
export function createQuestions(open: () => readonly InboxItem[]): Questions {
  const waiting = new Map<string, (outcome: Outcome) => void>();
  const outcomes = new Map<string, Outcome>();

  function settle(key: string, outcome: Outcome): void {
    outcomes.set(key, outcome);
    waiting.get(key)?.(outcome);
    waiting.delete(key);
  }

  /** Discards the answers of work that starts over. An answer is valid for one attempt or review only. */
  function forget(event: RunEvent): void {
    if (event.type === 'task.retrying') {
      const key = keyOf(event.phase, event.task, event.reviewer);
      if (outcomes.get(key)?.type === 'overdue') outcomes.delete(key);
    } else if (event.type === 'phase.started' || event.type === 'review.started') {
      for (const key of outcomes.keys()) if (key.startsWith(keyOf(event.phase))) outcomes.delete(key);
    }
  }

  return {
    note(event, items) {
      forget(event);
      if (event.type === 'task.answered')
        settle(keyOf(event.phase, event.task, event.reviewer), { type: 'answered', answer: event.answer });
      for (const item of items) if (isOverdue(event, item)) settle(keyOfItem(item), { type: 'overdue', item });
    },
    wait({ reviewer, context: { phase, task, signal } }, put) {
      const key = keyOf(phase, task, reviewer);
      return new Promise((resolve, reject) => {
        const end = (outcome: Outcome) => {
          if (outcome.type === 'answered') resolve(outcome.answer);
          else if (reviewer) resolve(UNANSWERED);
          else reject(overdue(outcome.item));
        };
        const known = outcomes.get(key);
        if (known) {
          end(known);
          return;
        }
        waiting.set(key, end);
        signal.addEventListener(
          'abort',
          () => {
            if (waiting.get(key) === end) waiting.delete(key);
            reject(stopped(phase, task, signal.reason));
          },
          { once: true },
        );
        if (!open().some((item) => keyOfItem(item) === key)) put();
      });
    },
  };
}

// --- internal ---

/** The verdict of a reviewer who does not answer in time. */
const UNANSWERED = rejection('Nobody answered in time');

type Outcome =
  { readonly type: 'answered'; readonly answer: unknown } | { readonly type: 'overdue'; readonly item: InboxItem };

/** Identifies the asking task or reviewer. Without a task it returns the common prefix of all keys of a phase. */
function keyOf(phase: string, task?: string, reviewer?: boolean): string {
  const begin = `${JSON.stringify(phase)} `;
  return task === undefined ? begin : `${begin}${reviewer ? 'review' : 'task'} ${task}`;
}

function keyOfItem({ about, task, kind }: InboxItem): string {
  return keyOf(about, task, kind === 'review');
}

function isOverdue(event: RunEvent, { closedAt }: InboxItem): event is EventOf<'item.changed'> {
  return event.type === 'item.changed' && event.change === 'expired' && closedAt !== undefined;
}

function overdue({ about, task = '', reason }: InboxItem): PhasegateError {
  return new PhasegateError(
    'ANSWER_OVERDUE',
    `Cannot complete task "${task}" of phase "${about}" as nobody answered in time: ${reason}`,
    { hint: 'Give people more time with `expireAfterMs`, or have another queue asked with `onExpiry`.' },
  );
}

function stopped(phase: string, task: string, cause: unknown): PhasegateError {
  return new PhasegateError(
    'ANSWER_OVERDUE',
    `Cannot wait longer for an answer to "${task}" of phase "${phase}" as its attempt is over`,
    { cause },
  );
}
