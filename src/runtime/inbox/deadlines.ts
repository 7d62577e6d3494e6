/**
 * What becomes of open items as time goes by. One timer for all items of a run; times are absolute, so a restart changes
 * nothing, and what was due meanwhile happens at once.
 *
 * @module
 */
import { after, type Clock } from '../../machines/phase/clock.ts';
import type { PipelineCommand } from '../../machines/pipeline/pipeline.machine.ts';
import { reject } from '../../model/decision/decision.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { EventOf } from '../../model/events/event.ts';
import type { InboxItem, ItemKind, Severity } from '../../projections/inbox/inbox-item.ts';
import type { Claims } from './answer-claims.ts';

/** The deadlines of the items of one run. */
export interface Deadlines {
  /** Sets the timer to what is due first now. */
  watch(): void;
  /** Lets go of the timer. */
  stop(): void;
}

/** What deadlines are kept with. */
export interface DeadlineOptions {
  /** The clock of the run, once it has one. */
  readonly clock: () => Clock | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly open: () => readonly InboxItem[];
  readonly claims: Pick<Claims, 'take'>;
  /** Resolves when every answer that was given by now has been taken: an answer that is in time counts. */
  readonly settled: () => Promise<void>;
  readonly tell: (command: PipelineCommand) => void;
}

/** Keeps the deadlines of a run. No timer is set before {@link Deadlines.watch} is called. */
export function keepDeadlines({ clock, now, open, claims, settled, tell }: DeadlineOptions): Deadlines {
  let forget: (() => void) | undefined;
  let at = Infinity;
  let stopped = false;
  /** Items that have an answer from elsewhere, which will be heard. */
  const elsewhere = new Set<string>();

  function watch(): void {
    const timers = clock();
    const due = open().filter(({ id }) => !elsewhere.has(id));
    const next = stopped || !timers ? Infinity : Math.min(Infinity, ...due.map(dueAtOf));
    if (next === at) return;
    forget?.();
    forget = undefined;
    at = next;
    if (timers && next < Infinity) forget = after(timers, Math.max(0, next - now()), () => void fire());
  }

  async function fire(): Promise<void> {
    await settledOrNot();
    if (stopped) return;
    for (const item of open()) for (const event of dueChanges(item, now())) tell({ type: 'note', event });
    const over = open().filter((item) => isOverdue(item) || (item.onExpiry === 'reject' && isPast(item.expireAt)));
    await Promise.all(over.map(refuse));
    at = Infinity;
    watch();
  }

  /** An answer that was there before the time was over counts, also one that was not heard yet. */
  async function refuse(item: InboxItem): Promise<void> {
    try {
      await claims.take(item.id, { reply: refusalOf(item) }, CLOCK, () => expire(item));
    } catch (error) {
      if (PhasegateError.is(error) && error.code === 'ANSWERED') {
        elsewhere.add(item.id);
        await settledOrNot();
      } else expire(item);
    }
  }

  function expire({ id }: InboxItem): void {
    const item = open().find((one) => one.id === id);
    if (!item || stopped) return;
    const { seq, about, kind, expired } = item;
    if (!expired) tell({ type: 'note', event: { type: 'item.changed', item: seq, change: 'expired' } });
    if (!isPersonal(kind)) tell({ type: 'decide', about, decision: reject(OVERDUE), who: CLOCK });
  }

  function isPast(time = Infinity): boolean {
    return time <= now();
  }

  async function settledOrNot(): Promise<void> {
    try {
      await settled();
    } catch {
      // Where the store cannot be asked, what it may have does not stop the clock.
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

/** Who is said to have decided where the time was over. */
const CLOCK = 'the clock';

const MORE_URGENT: Readonly<Record<Severity, Severity>> = { normal: 'high', high: 'urgent', urgent: 'urgent' };

const OVERDUE = 'Nobody answered in time';

function dueAtOf(item: InboxItem): number {
  return isOverdue(item) ? item.openedAt : (item.dueAt ?? Infinity);
}

/** Whether its time is over and it was to be rejected then, which has not been done. */
function isOverdue({ expired, onExpiry }: InboxItem): boolean {
  return expired === true && onExpiry === 'reject';
}

/** Whether a person is a task or a reviewer: with its time the item is over. */
function isPersonal(kind: ItemKind): boolean {
  return kind === 'task' || kind === 'review';
}

/** What is left for whoever takes the answer of the clock, if this process cannot do that any more. A task is asked anew. */
function refusalOf({ kind }: InboxItem): unknown {
  return kind === 'task' ? { type: 'overdue' } : { type: 'decide', decision: reject(OVERDUE) };
}

/** What happens to an item by now, and leaves it open. */
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
