/**
 * The sequel of an inbox item: the answer that closed it, and its effect on the run.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import { planGraph, type Plan } from '../../model/plan/plan.ts';
import type { PhaseStatus, RunSnapshot } from '../run/run-result.ts';
import { foldRun } from '../run/run-view.ts';
import type { InboxItem } from './inbox-item.ts';
import { closingAfter, closingIn, type SequelAnswer } from './item-closing.ts';

/** The outcome of the phase after the answer; `null` if that is not decided yet. */
export type SequelEffect =
  'approved' | 'sent back' | 'rejected' | 'waits for a person' | 'skipped' | 'failed' | 'cancelled' | null;

/** The sequel of a closed item. JSON. */
export interface ItemSequel {
  readonly answer: SequelAnswer;
  /** The person who answered; absent if unknown, or if nobody did. */
  readonly who?: string | undefined;
  /** True if the answer was the vote of a reviewer: its gate decides. */
  readonly isVote: boolean;
  /** The phase, or the limit, that the item was about. */
  readonly about: string;
  /** The answered value of a task. Large ones are references, as in records. Absent for other answers. */
  readonly value?: unknown;
  /** The reason of a refusal, or why no answer was needed; '' if there is none. */
  readonly reason: string;
  readonly effect: SequelEffect;
  /** The phases that go on because of it, with their present status: the ones sent back, or those that follow. */
  readonly next: readonly { readonly phase: string; readonly status: PhaseStatus }[];
  /** The present status of the run. */
  readonly run: RunSnapshot['status'];
}

/**
 * Finds the sequel of an item.
 *
 * @param records Every record of its run so far, the oldest first.
 * @returns `undefined` while the item is open.
 */
export function itemSequel(records: readonly RunRecord[], item: InboxItem): ItemSequel | undefined {
  if (item.closedAt === undefined) return undefined;
  const view = foldRun();
  let plan: Plan | undefined;
  let closing: ReturnType<typeof closingIn>;
  let effect: Effect | undefined;
  for (const record of records) {
    const { event, seq } = record;
    view.apply(record);
    if (event.type === 'run.started' || event.type === 'run.resumed') plan = event.plan ?? plan;
    if (seq <= item.seq) continue;
    closing = closing ? closingAfter(closing, event) : closingIn(event, item);
    if (closing) effect ??= effectOf(event, item.about);
  }
  const snapshot = view.snapshot();
  const { who, closedAt: _time, outcome = '' } = item;
  const { answer, reason = '', value } = closing ?? { answer: 'dropped', reason: outcome };
  return {
    answer,
    ...(who !== undefined && { who }),
    isVote: item.kind === 'review',
    about: item.about,
    ...(answer === 'value' && { value }),
    reason,
    effect: effect?.type ?? null,
    next: statusesOf(snapshot, nextOf({ effect, answer, item, plan, snapshot })),
    run: snapshot.status,
  };
}

// --- internal ---

interface Effect {
  readonly type: NonNullable<SequelEffect>;
  /** The phases that were sent back. */
  readonly targets: readonly string[];
}

/** Reads what becomes of a phase. */
function effectOf(event: RunEvent, phase: string): Effect | undefined {
  if (!('phase' in event) || event.phase !== phase) return undefined;
  switch (event.type) {
    case 'phase.approved':
      return { type: 'approved', targets: [] };
    case 'phase.retrying':
      return { type: 'sent back', targets: [phase] };
    case 'phase.rewinding':
      return { type: 'sent back', targets: [event.target, ...(event.riders ?? []).map((rider) => rider.phase)] };
    case 'phase.rejected':
      return { type: 'rejected', targets: [] };
    case 'phase.escalated':
      return { type: 'waits for a person', targets: [phase] };
    case 'phase.skipped':
      return { type: 'skipped', targets: [] };
    case 'phase.failed':
      return { type: 'failed', targets: [] };
    case 'phase.cancelled':
      return { type: 'cancelled', targets: [] };
    case 'attempt.unchanged':
    case 'check.baselined':
    case 'loop.detected':
    case 'phase.invalidated':
    case 'phase.read':
    case 'phase.reflected':
    case 'phase.stale':
    case 'phase.started':
    case 'phase.unaffected':
    case 'phase.warned':
    case 'review.decided':
    case 'review.started':
    case 'review.waiting':
    case 'task.answered':
    case 'task.asked':
    case 'task.completed':
    case 'task.dropped':
    case 'task.failed':
    case 'task.reported':
    case 'task.retrying':
    case 'task.started':
      return undefined;
  }
}

interface Followed {
  readonly effect: Effect | undefined;
  readonly answer: SequelAnswer;
  readonly item: InboxItem;
  readonly plan: Plan | undefined;
  readonly snapshot: RunSnapshot;
}

/** Names the phases that go on. After an approval they are those that need the phase; after a limit was lifted, all that work. */
function nextOf({ effect, answer, item, plan, snapshot }: Followed): readonly string[] {
  if (answer === 'lift') return namesWith(snapshot, plan, WORKS);
  if (effect?.type === 'approved') {
    const graph = plan && planGraph(plan);
    const feeds = graph?.next[graph.indexOf.get(item.about) ?? -1] ?? [];
    return feeds.flatMap((index) => graph?.names[index] ?? []);
  }
  if (effect && effect.targets.length > 0) return effect.targets;
  return effect === undefined && item.kind !== 'limit' ? [item.about] : [];
}

const WORKS: readonly PhaseStatus[] = ['running', 'reviewing', 'retrying', 'rewinding', 'escalated'];

function namesWith({ phases }: RunSnapshot, plan: Plan | undefined, wanted: readonly PhaseStatus[]): readonly string[] {
  const names = plan?.phases.map(({ name }) => name) ?? [];
  return names.filter((name) => wanted.includes(phases[name]?.status ?? 'pending'));
}

function statusesOf({ phases }: RunSnapshot, names: readonly string[]): ItemSequel['next'] {
  return names.map((phase) => ({ phase, status: phases[phase]?.status ?? 'pending' }));
}
