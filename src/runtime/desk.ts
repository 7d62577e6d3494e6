/**
 * What waits for a person, and whether a decision on it makes sense.
 *
 * @module
 */
import { decisionSchema, type Decision } from '../model/decision.ts';
import { parseDecision } from '../model/decision-text.ts';
import { PhasegateError } from '../model/errors.ts';
import type { RunEvent } from '../model/event.ts';
import { reach } from '../model/graph.ts';
import { planGraph, type Plan } from '../model/plan.ts';

/**
 * The decision on an open question of a run, if it can be taken.
 *
 * @param events What has happened in the run so far.
 * @throws PhasegateError where nothing of that name waits, or the decision makes no sense.
 */
export function acceptDecision(
  plan: Plan,
  events: readonly RunEvent[],
  about: string,
  given: Decision | string,
): Decision {
  const { open, empty } = questions(plan, events);
  if (!open.has(about)) throw notEscalated(about, open);
  const decision = typeof given === 'string' ? parseDecision(given) : given;
  const parsed = decisionSchema.safeParse(decision);
  if (!parsed.success || !mayAnswer(plan, about, parsed.data)) throw unreadable(about, given);
  if (parsed.data.type === 'approve' && empty.has(about)) throw nothingToApprove(about);
  if (parsed.data.type === 'retryPredecessor') checkTarget(plan, about, parsed.data.phase);
  return parsed.data;
}

// --- internal ---

interface Questions {
  /** Phases and limits that wait for a decision. */
  readonly open: ReadonlySet<string>;
  /** Phases whose tasks gave up before there were outputs, so that there is nothing to approve. */
  readonly empty: ReadonlySet<string>;
}

function questions(plan: Plan, events: readonly RunEvent[]): Questions {
  const open = new Set<string>();
  const empty = new Set<string>();
  for (const event of events) {
    if (event.type === 'phase.started') empty.delete(event.phase);
    if (event.type === 'review.decided' && event.by === 'worker') empty.add(event.phase);
    if (event.type === 'phase.escalated') open.add(event.phase);
    else if (event.type === 'limit.reached') {
      if (event.holds === null && plan.onLimit === 'escalate') open.add(event.limit);
    } else if (event.type === 'limit.lifted') open.delete(event.limit);
    else if (event.type === 'run.ended') open.clear();
    else if (CLOSING.has(event.type) && 'phase' in event) open.delete(event.phase);
  }
  return { open, empty };
}

/** What ends an escalation of the phase that it is about. */
const CLOSING: ReadonlySet<RunEvent['type']> = new Set(['review.decided', 'phase.invalidated', 'phase.cancelled']);

/** A phase can be decided upon in every way but to ask again; a limit is lifted, or not. */
function mayAnswer(plan: Plan, about: string, { type }: Decision): boolean {
  return planGraph(plan).indexOf.has(about) ? type !== 'escalate' : type === 'approve' || type === 'reject';
}

function notEscalated(about: string, open: ReadonlySet<string>): PhasegateError {
  const waiting = open.size === 0 ? 'Nothing waits for a decision now.' : `Waiting are ${quoted(open)}.`;
  return new PhasegateError('NOT_ESCALATED', `Cannot decide on "${about}" as it does not wait for a decision`, {
    hint: waiting,
  });
}

function nothingToApprove(about: string): PhasegateError {
  return new PhasegateError('DECISION_INVALID', `Cannot approve "${about}" as its attempt has put out nothing`, {
    hint: 'Have it tried again with RETRY: <feedback>, send back what it needs, or REJECT: <reason>.',
  });
}

function unreadable(about: string, given: unknown): PhasegateError {
  const shown = typeof given === 'string' ? JSON.stringify(given) : given ? `this ${typeof given}` : String(given);
  return new PhasegateError(
    'DECISION_INVALID',
    `Cannot decide on "${about}" as ${shown} is not a decision that ends an escalation`,
    {
      hint: 'Say APPROVE, RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>; of a limit just APPROVE or REJECT.',
    },
  );
}

function checkTarget(plan: Plan, about: string, target: string): void {
  const graph = planGraph(plan);
  const index = graph.indexOf.get(about);
  const above = index === undefined ? [] : [...reach(graph.before, index)].map((node) => graph.names[node] ?? '');
  if (above.includes(target)) return;
  const hint = above.length === 0 ? `"${about}" has no predecessors.` : `Upstream are ${quoted(above)}.`;
  throw new PhasegateError(
    'DECISION_TARGET_INVALID',
    `Cannot send back "${target}" from "${about}" as it is not upstream`,
    { hint },
  );
}

function quoted(names: Iterable<string>): string {
  return [...names].map((name) => `"${name}"`).join(', ');
}
