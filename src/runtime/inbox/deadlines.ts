/**
 * Deadlines of open inbox items. One timer serves all items of a run.
 *
 * Times are absolute, so they survive a restart. A deadline that passed in between takes effect at once.
 *
 * @module
 */
import { after, type Clock } from '../../machines/phase/clock.ts';
import type { PipelineCommand } from '../../machines/pipeline/pipeline.machine.ts';
import { reject } from '../../model/decision/decision.ts';
import { hasCode } from '../../model/errors/phasegate-error.ts';
import type { EventOf } from '../../model/events/event.ts';
import { CLOCK } from '../../model/plan/inbox-policy.ts';
import type { InboxItem, ItemKind, Severity } from '../../projections/inbox/inbox-item.ts';
import type { Claims } from './answer-claims.ts';

/** The deadlines of the items of one run. */
export interface Deadlines {
  /** Sets the timer to the earliest deadline. */
  watch(): void;
  /** Clears the timer. No deadline takes effect afterwards. */
  stop(): void;
}

/** Dependencies of the deadlines. */
export interface DeadlineOptions {
  /** The clock of the run; `undefined` until the run has one. */
  readonly clock: () => Clock | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly open: () => readonly InboxItem[];
  readonly claims: Pick<Claims, 'take'>;
  /** Resolves when every answer given so far is applied: an answer in time wins over the deadline. */
  readonly settled: () => Promise<void>;
  readonly send: (command: PipelineCommand) => void;
}

/** Creates the deadlines of a run. No timer is set before {@link Deadlines.watch} is called. */
export function createDeadlines({ clock, now, open, claims, settled, send }: DeadlineOptions): Deadlines {
  let clear: (() => void) | undefined;
  let at = Infinity;
  let stopped = false;
  /** Items with an answer from another process that this process has not received yet. */
  const answeredElsewhere = new Set<string>();

  function watch(): void {
    const timers = clock();
    const due = open().filter(({ id }) => !answeredElsewhere.has(id));
    const next = stopped || !timers ? Infinity : Math.min(Infinity, ...due.map(dueAtOf));
    if (next === at) return;
    clear?.();
    clear = undefined;
    at = next;
    if (timers && next < Infinity) clear = after(timers, Math.max(0, next - now()), () => void fire());
  }

  async function fire(): Promise<void> {
    await settledOrNot();
    if (stopped) return;
    for (const item of open()) for (const event of dueChanges(item, now())) send({ type: 'note', event });
    const over = open().filter((item) => isOverdue(item) || (item.onExpiry === 'reject' && isPast(item.expireAt)));
    await Promise.all(over.map(refuse));
    at = Infinity;
    watch();
  }

  /** Rejects an item whose time is over, unless an answer was posted in time, even one that was not received yet. */
  async function refuse(item: InboxItem): Promise<void> {
    try {
      await claims.take(item.id, { reply: refusalOf(item) }, CLOCK, () => expire(item));
    } catch (error) {
      if (hasCode(error, 'ANSWERED')) {
        answeredElsewhere.add(item.id);
        await settledOrNot();
      } else expire(item);
    }
  }

  function expire({ id }: InboxItem): void {
    const item = open().find((one) => one.id === id);
    if (!item || stopped) return;
    const { seq, about, kind, expired } = item;
    if (!expired) send({ type: 'note', event: { type: 'item.changed', item: seq, change: 'expired' } });
    if (!isPersonal(kind)) send({ type: 'decide', about, decision: reject(OVERDUE), who: CLOCK });
  }

  function isPast(time = Infinity): boolean {
    return time <= now();
  }

  async function settledOrNot(): Promise<void> {
    try {
      await settled();
    } catch {
      // If the store is unreachable, answers that it may hold do not stop the clock.
    }
  }

  return {
    watch,
    stop() {
      stopped = true;
      watch();
    },
  };
}

// --- internal ---

const MORE_URGENT: Readonly<Record<Severity, Severity>> = { normal: 'high', high: 'urgent', urgent: 'urgent' };

const OVERDUE = 'Nobody answered in time';

function dueAtOf(item: InboxItem): number {
  return isOverdue(item) ? item.openedAt : (item.dueAt ?? Infinity);
}

/** True if an item has expired and is still to be rejected. */
function isOverdue({ expired, onExpiry }: InboxItem): boolean {
  return expired === true && onExpiry === 'reject';
}

/** True if the item belongs to a task or reviewer that is a person. Such an item is closed when it expires. */
function isPersonal(kind: ItemKind): boolean {
  return kind === 'task' || kind === 'review';
}

/**
 * The reply that is posted for an expired item. Another process applies it if this one no longer can. A task is asked again.
 */
function refusalOf({ kind }: InboxItem): unknown {
  return kind === 'task' ? { type: 'overdue' } : { type: 'decide', decision: reject(OVERDUE) };
}

/** The changes that are due for an item by now and leave it open. */
function dueChanges(item: InboxItem, now: number): readonly EventOf<'item.changed'>[] {
  const { seq, severity, onExpiry, remindAt = Infinity, raiseAt = Infinity, expireAt = Infinity } = item;
  const changes: EventOf<'item.changed'>[] = [];
  if (remindAt <= now) changes.push({ type: 'item.changed', item: seq, change: 'reminded' });
  if (raiseAt <= now)
    changes.push({ type: 'item.changed', item: seq, change: 'raised', severity: MORE_URGENT[severity] });
  if (expireAt <= now && onExpiry !== 'reject') {
    const change = { type: 'item.changed', item: seq, change: 'expired' } as const;
    changes.push(typeof onExpiry === 'object' ? { ...change, queue: onExpiry.queue } : change);
  }
  return changes;
}
