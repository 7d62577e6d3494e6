/**
 * What becomes of open items as time goes by. One timer for all items of a run; times are absolute, so a restart changes
 * nothing, and what was due meanwhile happens at once.
 *
 * @module
 */
import { after, type Clock } from '../machines/actor.ts';
import type { PipelineCommand } from '../machines/pipeline.machine.ts';
import { reject } from '../model/decision.ts';
import type { EventOf } from '../model/event.ts';
import type { InboxItem, Severity } from '../model/inbox.ts';

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
  /** Resolves when every answer that was given by now has been taken: an answer that is in time counts. */
  readonly settled: () => Promise<void>;
  readonly tell: (command: PipelineCommand) => void;
}

/** Keeps the deadlines of a run. No timer is set before {@link Deadlines.watch} is called. */
export function keepDeadlines({ clock, now, open, settled, tell }: DeadlineOptions): Deadlines {
  let forget: (() => void) | undefined;
  let at = Infinity;
  let stopped = false;

  function watch(): void {
    const timers = clock();
    const next = stopped || !timers ? Infinity : Math.min(Infinity, ...open().map(dueAtOf));
    if (next === at) return;
    forget?.();
    forget = undefined;
    at = next;
    if (timers && next < Infinity) forget = after(timers, Math.max(0, next - now()), () => void fire());
  }

  async function fire(): Promise<void> {
    try {
      await settled();
    } catch {
      // Where the store cannot be asked, what it may have does not stop the clock.
    }
    if (stopped) return;
    for (const item of open()) for (const command of dueCommands(item, now())) tell(command);
    at = Infinity;
    watch();
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

function dueAtOf(item: InboxItem): number {
  return isOverdue(item) ? item.openedAt : (item.dueAt ?? Infinity);
}

/** Whether its time is over and it was to be rejected then, which has not been done. */
function isOverdue({ expired, onExpiry, kind }: InboxItem): boolean {
  return expired === true && onExpiry === 'reject' && (kind === 'escalation' || kind === 'limit');
}

/** What has to be done about an item by now. It is never approved. */
function dueCommands(item: InboxItem, now: number): readonly PipelineCommand[] {
  const { seq, severity, onExpiry, remindAt = Infinity, raiseAt = Infinity, expireAt = Infinity } = item;
  const changes: EventOf<'item.changed'>[] = [];
  if (remindAt <= now) changes.push({ type: 'item.changed', item: seq, change: 'reminded' });
  if (raiseAt <= now)
    changes.push({ type: 'item.changed', item: seq, change: 'raised', severity: MORE_URGENT[severity] });
  if (expireAt <= now) {
    const change = { type: 'item.changed', item: seq, change: 'expired' } as const;
    changes.push(typeof onExpiry === 'object' ? { ...change, queue: onExpiry.queue } : change);
  }
  const notes = changes.map((event): PipelineCommand => ({ type: 'note', event }));
  const rejects = isOverdue(expireAt <= now ? { ...item, expired: true } : item);
  const decision = reject('Nobody answered in time');
  return rejects ? [...notes, { type: 'decide', about: item.about, decision, who: CLOCK }] : notes;
}
