/**
 * A run as plain lines, one for each event: what a pipe, a file and a build log get.
 *
 * @module
 */
import type { Correction } from '../../model/revision.ts';
import { editsText } from '../../model/edits-text.ts';
import type { RunEvent, RunRecord, Verdict } from '../../model/event.ts';
import { issueWords, loopText, type IssueWords } from '../../model/loop-text.ts';
import { wordsOf } from '../../model/demand.ts';
import type { GatePlan, Plan } from '../../model/plan.ts';
import { counted, cut, duration, oneLine, outOf, problemLine, usage } from './text.ts';
import { errorText } from './error-text.ts';

/** Turns the records of one run into lines, in order. */
export type EventLines = (record: RunRecord) => string;

/** A reader of records that knows the plan once `run.started` has brought it. */
export function createEventLines(): EventLines {
  let plan: Plan | undefined;
  let startedAt = 0;
  let gates: ReadonlyMap<string, GatePlan | null> = new Map();
  /** Of the latest review of each phase. */
  const issues = new Map<string, IssueWords>();
  return ({ runId, time, event }) => {
    if (event.type === 'run.started') {
      plan = event.plan;
      startedAt = time;
      gates = new Map(plan.phases.map((phase) => [phase.name, phase.gate]));
    }
    if (event.type === 'review.decided' && event.by === 'gate') issues.set(event.phase, issueWords(event));
    const gate = 'phase' in event ? gates.get(event.phase) : undefined;
    const about = 'phase' in event ? `${oneLine(event.phase)}: ` : '';
    const line = `${duration(time - startedAt).padStart(7)}  ${about}${say(event, runId, { gate: gate ?? undefined, issues: 'phase' in event ? issues.get(event.phase) : undefined })}`;
    return cut(line, LONGEST_LINE);
  };
}

/** A verdict in a few words, with what it says. */
export function verdictText(verdict: Verdict): string {
  switch (verdict.type) {
    case 'approve':
      return 'approve';
    case 'retry':
      return withText('retry', wordsOf(verdict));
    case 'retryPredecessor':
      return withText(`send back ${oneLine(verdict.phase)}`, wordsOf(verdict));
    case 'reject':
    case 'escalate':
      return withText(verdict.type, verdict.reason);
    case 'unrecognised':
      return withText('no verdict in the answer', verdict.text);
    case 'inconclusive':
      return `not sure enough to ${verdictText(verdict.decision)}`;
    case 'unavailable':
      return withText('no answer', verdict.error.message);
  }
}

/** What a correction asks for, in one line. */
export function correctionText({ feedback, requiredChange }: Pick<Correction, 'feedback' | 'requiredChange'>): string {
  return oneLine(feedback === '' ? (requiredChange ?? '') : feedback);
}

// --- internal ---

/** Longer lines help nobody; the records have the whole text. */
const LONGEST_LINE = 1000;

type TaskEvent = Extract<RunEvent, { readonly task: string }>;
type PhaseEvent = Exclude<Extract<RunEvent, { readonly phase: string }>, TaskEvent>;

/** What is known of the phase of an event. */
interface Known {
  readonly gate: GatePlan | undefined;
  /** What the issues of its latest review say. */
  readonly issues: IssueWords | undefined;
}

function say(event: RunEvent, runId: string, known: Known): string {
  if ('task' in event)
    return `${'reviewer' in event && event.reviewer ? 'reviewer ' : ''}${oneLine(event.task)} ${sayTask(event)}`;
  return 'phase' in event ? sayPhase(event, known) : sayRun(event, runId);
}

function sayRun(event: Exclude<RunEvent, { readonly phase: string }>, runId: string): string {
  switch (event.type) {
    case 'run.started':
      return `run ${oneLine(runId)} of "${oneLine(event.plan.name)}" started, ${counted(event.plan.phases.length, 'phase')}`;
    case 'run.ended':
      return withText(`run ${event.status}`, event.error ? errorText(event.error) : event.reason);
    case 'limit.reached':
      return `limit ${event.limit} reached, ${event.used} of ${event.max}${beforeTry(event)}`;
    case 'limit.lifted':
      return `limit ${event.limit} lifted`;
    case 'item.changed':
      return sayItem(event);
    case 'run.resumed':
      return `run ${oneLine(runId)} resumed${event.plan ? ' with a changed definition' : ''}`;
    case 'run.reopened':
      return 'run goes on: what was not approved runs again';
  }
}

/** The try that does not begin because of a limit, where it is one. */
function beforeTry({ refused }: Extract<RunEvent, { readonly type: 'limit.reached' }>): string {
  if (!refused) return '';
  return ` before ${oneLine(refused.task)} of ${oneLine(refused.phase)}, which may use ${refused.estimate}`;
}

/** An item is known by the record that opened it. */
function sayItem({ item, change, severity, queue, reason }: Extract<RunEvent, { readonly type: 'item.changed' }>) {
  const about = `question ${item}`;
  switch (change) {
    case 'reminded':
      return `${about} still waits for a person`;
    case 'raised':
      return `${about} still waits, ${severity} now`;
    case 'expired':
      return queue === undefined ? `nobody answered ${about} in time` : `${about} goes to ${oneLine(queue)}`;
    case 'refused':
      return withText(`an answer to ${about} was refused`, reason);
  }
}

function sayTask(event: TaskEvent): string {
  switch (event.type) {
    case 'task.started':
      return event.try > 1 ? `started, try ${event.try}` : 'started';
    case 'task.reported':
      return sayReport(event);
    case 'task.completed':
      return 'done';
    case 'task.retrying':
      return withText(`failed, next try in ${duration(event.delayMs)}`, errorText(event.error));
    case 'task.failed':
      return withText('failed', errorText(event.error));
    case 'task.asked':
      return withText('asks a person', event.question);
    case 'task.answered':
      return event.who === undefined ? 'was answered' : `was answered by ${oneLine(event.who)}`;
  }
}

function sayReport(event: Extract<TaskEvent, { readonly type: 'task.reported' }>): string {
  const { progress, artifact, tokens = 0, costUsd = 0 } = event;
  const parts = [
    ...(progress === undefined ? [] : [progressText(progress)]),
    ...(artifact ? [`artifact ${oneLine(artifact.name)}`] : []),
    ...(tokens > 0 || costUsd > 0 ? [`used ${usage({ tokens, costUsd })}`] : []),
  ];
  return parts.length === 0 ? 'reported' : parts.join(', ');
}

/** How far a task is. */
export function progressText(progress: number | string): string {
  return typeof progress === 'number' ? `${Math.round(progress * 100)}%` : oneLine(progress);
}

function sayPhase(event: PhaseEvent, { gate, issues }: Known): string {
  switch (event.type) {
    case 'phase.started':
      return event.revision
        ? withText(`started, attempt ${event.attempt + 1}`, correctionText(event.revision))
        : 'started';
    case 'phase.retrying':
      return withText(`retry ${outOf(event.spent, gate?.maxRetries)}`, correctionText(event.correction));
    case 'phase.rewinding':
      return withText(
        `sends back ${oneLine(event.target)} ${outOf(event.spent, gate?.maxPredecessorRetries)}`,
        correctionText(event.correction),
      );
    case 'loop.detected':
      return oneLine(`goes round in a loop: ${loopText(event, issues)}`);
    case 'review.started':
      return event.asked > 1 ? `review, asked ${event.asked} times` : 'review';
    case 'review.decided':
      return `${event.by === 'person' ? 'a person decided' : event.by === 'worker' ? 'a task asked' : 'verdict'}: ${event.edited ? oneLine(editsText(event.edited)) : verdictText(event.verdict)}`;
    case 'phase.approved':
      return `approved${APPROVED[event.because]}`;
    case 'phase.escalated':
      return withText('waits for a person', event.reason);
    case 'phase.rejected':
      return withText('rejected', event.reason);
    case 'phase.failed':
      return withText('failed', errorText(event.error));
    case 'phase.warned':
      return withText('warning', event.message);
    case 'phase.reflected':
      return withText('reflects', event.reflection ?? 'nothing came of it');
    case 'check.baselined':
      return baselineText(event);
    case 'phase.read':
      return `reads ${oneLine(event.source)}`;
    case 'phase.stale':
      return `stale, as ${oneLine(event.because)} has a newer version`;
    case 'phase.invalidated':
      return `runs again, because of ${oneLine(event.because)}`;
    case 'phase.skipped':
      return `skipped: ${oneLine(event.because)}`;
    case 'phase.cancelled':
      return `cancelled: ${oneLine(event.because)}`;
  }
}

/** What failed before anything was done; a baseline that is clean is told by its checks. */
function baselineText({ passed, failed }: Extract<PhaseEvent, { readonly type: 'check.baselined' }>): string {
  const before = failed.map(({ check }) => oneLine(check));
  if (before.length > 0) return `failed before it began: ${before.join(', ')}`;
  return `passed before it began: ${passed.map(oneLine).join(', ') || 'no check'}`;
}

const APPROVED = {
  approved: '',
  unreviewed: ' without review',
  exhausted: ' although changes were asked for, as the retries are spent',
  unrecognised: ' as the answer had no verdict',
  invalidTarget: ' as the phase to send back may not be sent back',
} as const;

function withText(what: string, text: string | undefined): string {
  const line = problemLine(text ?? '');
  return line === '' ? what : `${what}: ${line}`;
}
