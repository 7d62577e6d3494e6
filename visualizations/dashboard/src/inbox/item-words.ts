/**
 * Inbox items in words.
 *
 * @module
 */
import type { InboxItem } from '../../../../src/projections/inbox/inbox-item.ts';
import { becauseOf as becauseIn, waitsFor } from '../../../../src/projections/wording/item-words.ts';
import { inOneLine } from '../parts/untrusted-text.ts';
import { durationText } from '../parts/words.ts';

/** The subject of an item: the phase, with the task if a person is that task; or the limit. */
export function aboutOf({ about, task }: Pick<InboxItem, 'about' | 'task'>): string {
  return task === undefined ? inOneLine(about) : `${inOneLine(about)} / ${inOneLine(task)}`;
}

/** The state of an item as a continuation of its subject. A closed one waits for nobody. */
export function stateOf({ kind, closedAt }: Pick<InboxItem, 'kind' | 'closedAt'>): string {
  return closedAt === undefined ? waitsFor[kind] : 'is closed';
}

/**
 * The question of an item that a person was asked, if it is short enough for a title; `undefined` for a long one, and for an item that has
 * a reason instead.
 */
export function titleOf({ because, reason }: Pick<InboxItem, 'because' | 'reason'>): string | undefined {
  const isTitle = because === 'asked' && reason.length <= MOST_TITLE && !/[\r\n]/u.test(reason);
  return isTitle ? inOneLine(reason) : undefined;
}

/** True for the usual queue with the usual severity, which tell a person nothing. */
export function isPlainQueue({ queue, severity }: Pick<InboxItem, 'queue' | 'severity'>): boolean {
  return queue === 'default' && severity === 'normal';
}

/** The reason why a person is asked. */
export function becauseOf(item: Pick<InboxItem, 'because' | 'loop'>): string {
  return inOneLine(becauseIn(item));
}

/** The next step if no one answers, for example `expires in 2 h, then is rejected`; '' if there is none. */
export function deadlineOf(item: InboxItem, now: number): string {
  const { dueAt, expireAt, raiseAt, remindAt } = item;
  if (dueAt === undefined || item.closedAt !== undefined) return item.expired ? 'nobody has answered in time' : '';
  const when = dueAt > now ? `in ${durationText(dueAt - now)}` : 'now';
  if (dueAt === expireAt) return `expires ${when}, ${afterwards(item)}`;
  if (dueAt === raiseAt) return `becomes more urgent ${when}`;
  return dueAt === remindAt ? `reminder ${when}` : `due ${when}`;
}

/** True if the run has refused the answer, as the schema of a task may do. */
export function isRefused({ outcome = '' }: Pick<InboxItem, 'outcome'>): boolean {
  return outcome.startsWith('refused');
}

// --- internal ---

/** Most characters of a title. */
const MOST_TITLE = 200;

function afterwards({ onExpiry = 'stay' }: InboxItem): string {
  if (onExpiry === 'reject') return 'then is rejected';
  return onExpiry === 'stay' ? 'and stays open' : `then goes to ${inOneLine(onExpiry.queue)}`;
}
