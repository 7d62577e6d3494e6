/**
 * What waits for people, as data.
 *
 * @module
 */
import { formatDecision } from './decision-text.ts';
import type { RunRecord, Verdict } from './event.ts';
import { contentHash, type Plan } from './plan.ts';

/** What waits: a phase, a limit that holds the run, or a person's part as task or reviewer. */
export type ItemKind = 'escalation' | 'limit' | 'task' | 'review';

/** How urgent it is. */
export type Severity = 'normal' | 'high' | 'urgent';

/** One thing that waits for a person, or has waited. JSON. */
export interface InboxItem {
  /** The run and the record that opened it: `<runId>:<seq>`. */
  readonly id: string;
  readonly runId: string;
  /** The record that opened it. */
  readonly seq: number;
  readonly pipeline: string;
  readonly kind: ItemKind;
  /** The phase, or the limit, that waits. */
  readonly about: string;
  /** The task, or the reviewer, that a person is; absent for escalations and limits. */
  readonly task?: string | undefined;
  readonly generation: number;
  readonly attempt: number;
  /** A code: why a person is asked. */
  readonly because: string;
  /** The same in words, or what is asked. */
  readonly reason: string;
  /** Has to be told with an answer, so that nobody answers what they have not seen. */
  readonly nonce: string;
  /** Who is asked. @default 'default' */
  readonly queue: string;
  readonly severity: Severity;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** When something happens if nobody answers, in milliseconds since 1970. */
  readonly dueAt?: number | undefined;
  /** Milliseconds since 1970; absent while it is open. */
  readonly closedAt?: number | undefined;
  /** How it was closed: the decision in words, or why none was needed any more. */
  readonly outcome?: string | undefined;
}

/** The id of the item that a record opens. */
export function itemId({ runId, seq }: Pick<RunRecord, 'runId' | 'seq'>): string {
  return `${runId}:${seq}`;
}

/** The nonce of the item that a record opens: the same whenever it is asked for, and nobody's guess before. */
export function nonceOf({ runId, seq, time }: Pick<RunRecord, 'runId' | 'seq' | 'time'>): string {
  return contentHash([runId, seq, time]).slice(0, 12);
}

/** What a fold over records knows of the inbox. */
export interface InboxFold {
  /** @returns Items that the record has opened or closed, as they are now. */
  apply(record: RunRecord): readonly InboxItem[];
  /** Items that are open, the oldest first. */
  open(): readonly InboxItem[];
}

/** Begins before the first record. */
export function foldInbox(): InboxFold {
  let plan: Plan | undefined;
  const open = new Map<string, InboxItem>();

  function opened(record: RunRecord, key: string, what: Pick<InboxItem, 'kind' | 'about' | 'because' | 'reason'>) {
    const { runId, seq, time, event } = record;
    const { generation, attempt } = 'attempt' in event ? event : { generation: 0, attempt: 0 };
    const item: InboxItem = {
      id: itemId(record),
      runId,
      seq,
      pipeline: plan?.name ?? '',
      ...what,
      generation,
      attempt,
      nonce: nonceOf(record),
      queue: 'default',
      severity: 'normal',
      openedAt: time,
    };
    open.set(key, item);
    return [item];
  }

  function closed(key: string, time: number, outcome: string): readonly InboxItem[] {
    const item = open.get(key);
    open.delete(key);
    return item ? [{ ...item, closedAt: time, outcome }] : [];
  }

  return {
    open: () => [...open.values()],
    apply(record) {
      const { time, event } = record;
      if (event.type === 'run.started' || event.type === 'run.resumed') plan = event.plan ?? plan;
      else if (event.type === 'phase.escalated') {
        const { phase, because, reason } = event;
        return opened(record, keyOf('phase', phase), { kind: 'escalation', about: phase, because, reason });
      } else if (event.type === 'limit.reached') {
        if (event.holds !== null || plan?.onLimit !== 'escalate') return NOTHING;
        const reason = `The limit of ${event.max} for ${event.limit} is spent`;
        const about = event.limit;
        return opened(record, keyOf('limit', about), { kind: 'limit', about, because: 'limit', reason });
      } else if (event.type === 'limit.lifted') return closed(keyOf('limit', event.limit), time, 'lifted');
      else if (event.type === 'review.decided') {
        return closed(keyOf('phase', event.phase), time, wordsOf(event.verdict));
      } else if (event.type === 'phase.invalidated' || event.type === 'phase.cancelled') {
        return closed(keyOf('phase', event.phase), time, `not needed any more: ${event.because}`);
      } else if (event.type === 'run.ended') {
        return [...open.keys()].flatMap((key) => closed(key, time, `the run ${event.status}`));
      }
      return NOTHING;
    },
  };
}

// --- internal ---

const NOTHING: readonly InboxItem[] = Object.freeze([]);

/** Phases and limits may have the same name. */
function keyOf(kind: 'phase' | 'limit', name: string): string {
  return `${kind} ${name}`;
}

function wordsOf(verdict: Verdict): string {
  const { type } = verdict;
  return type === 'unrecognised' || type === 'inconclusive' || type === 'unavailable' ? type : formatDecision(verdict);
}
