/**
 * What records say, in words.
 *
 * @module
 */
import { editsText } from '../../../../src/model/edits-text.ts';
import type { RunEvent, Verdict } from '../../../../src/model/event.ts';
import { type IssueWords, loopText } from '../../../../src/model/loop-text.ts';
import { startOf } from '../parts/foreign-text.ts';
import { counted, exactDuration, usageText } from '../parts/words.ts';

/**
 * A record in one line, without the name of its phase. Texts of models are cut; the phase has them in full.
 *
 * @param issues What the issues of a loop say, as far as known.
 */
export function wordsOf(event: RunEvent, issues?: IssueWords): string {
  const words = 'task' in event ? taskWords(event) : 'phase' in event ? phaseWords(event, issues) : runWords(event);
  return startOf(words, MOST);
}

// --- internal ---

const MOST = 300;

type TaskEvent = Extract<RunEvent, { readonly task: string }>;
type PhaseEvent = Exclude<Extract<RunEvent, { readonly phase: string }>, TaskEvent>;

function runWords(event: Exclude<RunEvent, { readonly phase: string }>): string {
  switch (event.type) {
    case 'run.started':
      return `The run of ${event.plan.name} started, with ${counted(event.plan.phases.length, 'phase')}`;
    case 'run.resumed':
      return `Another process goes on with the run${event.plan ? ', with a changed definition' : ''}`;
    case 'run.reopened':
      return 'The run goes on: what was not approved runs again';
    case 'run.ended':
      return said(`The run ended: ${event.status}`, event.error?.message ?? event.reason);
    case 'limit.reached':
      return `The limit ${event.limit} is reached: ${event.used} of ${event.max}${refusedTry(event)}`;
    case 'limit.lifted':
      return `The limit ${event.limit} is lifted${byWhom(event.who)}`;
    case 'item.changed':
      return itemWords(event);
  }
}

function refusedTry({ refused }: Extract<RunEvent, { readonly type: 'limit.reached' }>): string {
  return refused ? ` before ${refused.task} of ${refused.phase}, which may use ${refused.estimate}` : '';
}

function itemWords(event: Extract<RunEvent, { readonly type: 'item.changed' }>): string {
  const about = `question ${event.item}`;
  switch (event.change) {
    case 'reminded':
      return `${about} still waits for a person`;
    case 'raised':
      return `${about} still waits, ${event.severity ?? 'normal'} now`;
    case 'expired':
      return event.queue === undefined ? `nobody answered ${about} in time` : `${about} goes to ${event.queue}`;
    case 'refused':
      return said(
        `an answer${event.who === undefined ? '' : ` of ${event.who}`} to ${about} was refused`,
        event.reason,
      );
  }
}

function taskWords(event: TaskEvent): string {
  const who = `${'reviewer' in event && event.reviewer ? 'reviewer ' : ''}${event.task}`;
  switch (event.type) {
    case 'task.started':
      return event.try > 1 ? `${who} started, try ${event.try}` : `${who} started`;
    case 'task.reported':
      return `${who} ${reportWords(event)}`;
    case 'task.completed':
      return `${who} is done`;
    case 'task.retrying':
      return said(
        `${who} failed at try ${event.try}, the next begins in ${exactDuration(event.delayMs)}`,
        event.error.message,
      );
    case 'task.failed':
      return event.rework
        ? said(`${who} demands rework of ${event.rework.phase}`, event.rework.feedback)
        : said(`${who} failed`, event.error.message);
    case 'task.asked':
      return said(`${who} asks a person`, event.question);
    case 'task.answered':
      return `${who} was answered${byWhom(event.who)}`;
  }
}

function reportWords(event: Extract<TaskEvent, { readonly type: 'task.reported' }>): string {
  const { progress, artifact, observation, tokens = 0, costUsd = 0, model } = event;
  const parts = [
    typeof progress === 'number' ? `is at ${Math.round(progress * 100)}%` : progress,
    artifact && `put out the artifact ${artifact.name}`,
    observation === undefined ? undefined : `observed: ${observation}`,
    tokens > 0 || costUsd > 0 ? `used ${usageText({ tokens, costUsd })}` : undefined,
    model && `with ${model}`,
  ].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? 'reported' : parts.join(', ');
}

function phaseWords(event: PhaseEvent, issues: IssueWords | undefined): string {
  switch (event.type) {
    case 'phase.started':
      return event.revision ? said(`attempt ${event.attempt + 1} started`, asked(event.revision)) : 'started';
    case 'phase.retrying':
      return said(`retry ${event.spent}`, asked(event.correction));
    case 'phase.rewinding':
      return said(`sends back ${event.target}`, asked(event.correction));
    case 'loop.detected':
      return `goes round in a loop: ${loopText(event, issues)}`;
    case 'review.started':
      return event.asked > 1 ? `review, asked ${event.asked} times` : 'review';
    case 'review.decided':
      return `${DECIDED[event.by]}${event.who === undefined ? '' : ` (${event.who})`}: ${event.edited ? editsText(event.edited) : verdictText(event.verdict)}`;
    case 'phase.approved':
      return `approved${APPROVED[event.because]}, version ${event.version}`;
    case 'phase.escalated':
      return said('waits for a person', event.reason);
    case 'phase.rejected':
      return said('rejected', event.reason);
    case 'phase.failed':
      return said('failed', event.error.message);
    case 'phase.warned':
      return said('warning', event.message);
    case 'phase.reflected':
      return said('reflects', event.reflection ?? 'nothing came of it');
    case 'check.baselined':
      return event.failed.length > 0
        ? `failed before it began: ${event.failed.map(({ check }) => check).join(', ')}`
        : `passed before it began: ${event.passed.join(', ') || 'no check'}`;
    case 'phase.read':
      return `reads ${event.source}`;
    case 'phase.stale':
      return `stale, as ${event.because} has a newer version`;
    case 'phase.invalidated':
      return `must run again, because of ${event.because}`;
    case 'phase.skipped':
      return said(`skipped${byWhom(event.who)}`, event.because);
    case 'phase.cancelled':
      return said('cancelled', event.because);
  }
}

/** A verdict in few words, with the first of what it says. */
function verdictText(verdict: Verdict): string {
  switch (verdict.type) {
    case 'approve':
      return 'approve';
    case 'retry':
      return said('retry', asked(verdict));
    case 'retryPredecessor':
      return said(`send back ${verdict.phase}`, asked(verdict));
    case 'reject':
    case 'escalate':
      return said(verdict.type, verdict.reason);
    case 'unrecognised':
      return said('no verdict in the answer', verdict.text);
    case 'inconclusive':
      return `not sure enough to ${verdictText(verdict.decision)}`;
    case 'unavailable':
      return said('no answer', verdict.error.message);
  }
}

const DECIDED = { gate: 'verdict', worker: 'a task demands', person: 'a person decided' } as const;

const APPROVED = {
  approved: '',
  unreviewed: ' without review',
  exhausted: ' although changes were asked for, as the retries are spent',
  unrecognised: ' as the answer had no verdict',
  invalidTarget: ' as the phase to send back may not be sent back',
} as const;

/** What is asked for, in its shortest form. */
function asked({
  feedback,
  requiredChange,
}: {
  readonly feedback: string;
  readonly requiredChange?: string | undefined;
}) {
  return requiredChange ?? feedback;
}

function byWhom(who: string | undefined): string {
  return who === undefined ? '' : ` by ${who}`;
}

function said(what: string, text: string | undefined): string {
  const line = startOf((text ?? '').replace(/\nDocs: \S+$/u, ''), MOST);
  return line === '' ? what : `${what}: ${line}`;
}
