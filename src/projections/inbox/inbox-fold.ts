/**
 * The fold from the records of a run to the items of its inbox.
 *
 * @module
 */
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import { limitReason } from '../../model/events/limit-reason.ts';
import type { InboxPolicy } from '../../model/plan/inbox-policy.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { issueWords, loopText } from '../run/loop-words.ts';
import { answerText, verdictText } from './answer-words.ts';
import { itemId, nonceOf, type InboxItem } from './inbox-item.ts';

/** A fold over the records of one run. */
export interface InboxFold {
  /** @returns Items that the record has opened, closed or changed, in their new state. */
  apply(record: RunRecord): readonly InboxItem[];
  /** Items that are open, the oldest first. */
  open(): readonly InboxItem[];
}

/** Starts a fold before the first record. */
export function foldInbox(): InboxFold {
  let plan: Plan | undefined;
  // Each collection is created with its first entry: most runs have none, and a process may have thousands of runs.
  let open: Map<string, InboxItem> | undefined;
  /** Phases with a task that failed before there were outputs. */
  let empty: Set<string> | undefined;
  let judged: EventOf<'review.decided'> | undefined;
  /** The loop of each phase in words, from its latest verdict. */
  let loops: Map<string, string> | undefined;

  function openItems(): readonly InboxItem[] {
    return open ? [...open.values()] : NOTHING;
  }

  /** Opens an item, or replaces the one with the key of another. */
  function put(item: InboxItem, known = item): void {
    open ??= new Map();
    open.set(keyOf(known), item);
  }

  function opened(record: RunRecord, what: Opening, policy: InboxPolicy = {}): readonly InboxItem[] {
    const { runId, seq, time, event } = record;
    const { generation, attempt } = 'attempt' in event ? event : { generation: 0, attempt: 0 };
    const { queue = 'default', severity = 'normal', onExpiry } = policy;
    const at = (ms: number | undefined) => (ms === undefined ? undefined : time + ms);
    const item = timed({
      id: itemId(record),
      runId,
      seq,
      pipeline: plan?.name ?? '',
      ...what,
      generation,
      attempt,
      nonce: nonceOf(record),
      queue,
      severity,
      openedAt: time,
      remindAt: at(policy.remindAfterMs),
      raiseAt: at(policy.raiseAfterMs),
      expireAt: at(policy.expireAfterMs),
      onExpiry,
    });
    put(item);
    return [item];
  }

  function closed(items: readonly InboxItem[], time: number, outcome: string, who?: string): readonly InboxItem[] {
    if (items.length === 0) return NOTHING;
    return items.map((item) => {
      open?.delete(keyOf(item));
      return { ...item, closedAt: time, outcome, who };
    });
  }

  /** Returns open items about a phase. */
  function ofPhase(phase: string, task?: string): readonly InboxItem[] {
    if (!open || open.size === 0) return NOTHING;
    return [...open.values()].filter(
      (item) => item.kind !== 'limit' && item.about === phase && (task === undefined || item.task === task),
    );
  }

  function gatePolicy(phase: string): InboxPolicy | undefined {
    return plan?.phases.find(({ name }) => name === phase)?.gate?.inbox;
  }

  function escalated(record: RunRecord, { phase, because, reason }: EventOf<'phase.escalated'>) {
    const loop = because === 'loop' ? loops?.get(phase) : undefined;
    const what = { kind: 'escalation', about: phase, because, reason, ...(loop !== undefined && { loop }) } as const;
    return opened(record, empty?.has(phase) ? { ...what, empty: true } : what, gatePolicy(phase));
  }

  function asked(record: RunRecord, event: EventOf<'task.asked'>) {
    const { phase, task, reviewer, question, description, choices, inbox } = event;
    const what = {
      kind: reviewer ? 'review' : 'task',
      about: phase,
      task,
      because: 'asked',
      reason: question,
      description,
      choices,
    } as const;
    return opened(record, what, inbox);
  }

  function changed(record: RunRecord, event: EventOf<'item.changed'>): readonly InboxItem[] {
    const item = openItems().find(({ seq }) => seq === event.item);
    if (!item) return NOTHING;
    const { time } = record;
    const keep = (now: InboxItem) => {
      const next = timed(now);
      put(next, item);
      return [next];
    };
    switch (event.change) {
      case 'reminded':
        return keep({ ...item, remindAt: undefined });
      case 'raised':
        return keep({ ...item, raiseAt: undefined, severity: event.severity ?? item.severity });
      case 'refused': {
        const { reason: refusal = '' } = event;
        const before = closed([item], time, `refused: ${refusal}`, event.who);
        const { runId, seq } = record;
        const next = { ...item, id: itemId(record), runId, seq, nonce: nonceOf(record), refusal };
        put(next);
        return [...before, next];
      }
      case 'expired': {
        const isAnswer = item.onExpiry === 'reject' && (item.kind === 'task' || item.kind === 'review');
        if (isAnswer) return closed([{ ...item, expired: true }], time, OVERDUE);
        return keep({ ...item, expireAt: undefined, expired: true, queue: event.queue ?? item.queue });
      }
    }
  }

  return {
    open: openItems,
    apply(record) {
      const { time, event } = record;
      switch (event.type) {
        case 'run.started':
        case 'run.resumed':
          plan = event.plan ?? plan;
          return NOTHING;
        case 'phase.escalated':
          return escalated(record, event);
        case 'task.asked':
          return asked(record, event);
        case 'task.answered':
          return closed(ofPhase(event.phase, event.task), time, answerText(event), event.who);
        case 'task.retrying':
        case 'task.failed':
          return closed(ofPhase(event.phase, event.task), time, 'not needed any more: it failed');
        case 'item.changed':
          return changed(record, event);
        case 'limit.reached': {
          if (event.holds !== null || plan?.onLimit !== 'escalate') return NOTHING;
          const reason = limitReason(event);
          return opened(record, { kind: 'limit', about: event.limit, because: 'limit', reason }, plan.inbox);
        }
        case 'limit.lifted':
          return closed(
            openItems().filter(({ kind, about }) => kind === 'limit' && about === event.limit),
            time,
            'lifted',
          );
        case 'loop.detected':
          loops ??= new Map();
          loops.set(event.phase, loopText(event, judged && issueWords(judged)));
          return NOTHING;
        case 'review.decided':
          judged = event;
          if (event.by === 'worker') (empty ??= new Set()).add(event.phase);
          return closed(ofPhase(event.phase), time, verdictText(event), event.who);
        case 'phase.started':
          empty?.delete(event.phase);
          return closed(ofPhase(event.phase), time, 'not needed any more: the phase has restarted');
        case 'phase.failed':
          return closed(ofPhase(event.phase), time, 'not needed any more: the phase failed');
        case 'phase.skipped':
          // A person has skipped it: that is the answer.
          if (event.who !== undefined)
            return closed(ofPhase(event.phase), time, `skipped: ${event.because}`, event.who);
          return closed(ofPhase(event.phase), time, `not needed any more: ${event.because}`);
        case 'phase.invalidated':
        case 'phase.cancelled':
          return closed(ofPhase(event.phase), time, `not needed any more: ${event.because}`);
        case 'run.ended':
          return closed(openItems(), time, `the run ${event.status}`);
        case 'run.reopened':
        case 'phase.read':
        case 'phase.unaffected':
        case 'phase.approved':
        case 'phase.rejected':
        case 'phase.retrying':
        case 'phase.rewinding':
        case 'phase.stale':
        case 'phase.warned':
        case 'check.baselined':
        case 'phase.reflected':
        case 'run.suspended':
        case 'review.started':
        case 'attempt.unchanged':
        case 'review.waiting':
        case 'task.started':
        case 'task.reported':
        case 'task.dropped':
        case 'task.completed':
          return NOTHING;
      }
    },
  };
}

// --- internal ---

type Opening = Pick<
  InboxItem,
  'kind' | 'about' | 'task' | 'because' | 'loop' | 'reason' | 'description' | 'choices' | 'empty'
>;

const NOTHING: readonly InboxItem[] = Object.freeze([]);

const OVERDUE = 'nobody answered in time';

/** Returns a key: an item with the same key can only be open once. A phase and a limit may have the same name. */
function keyOf({ kind, about, task = '' }: Pick<InboxItem, 'kind' | 'about' | 'task'>): string {
  return JSON.stringify([kind, about, task]);
}

/** Sets the time of the item's next change. */
function timed(item: InboxItem): InboxItem {
  const times = [item.remindAt, item.raiseAt, item.expireAt].flatMap((time) => time ?? []);
  return { ...item, dueAt: times.length === 0 ? undefined : Math.min(...times) };
}
