/**
 * Records in words, for terminals and browsers alike. The compiler requires words here for every new event.
 *
 * @module
 */
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { EventOf, RunEvent, RunRecord } from '../../model/events/event.ts';
import type { GatePlan } from '../../model/plan/plan.ts';
import type { Correction } from '../../model/revision/revision.ts';
import { counted } from '../../model/values/counts.ts';
import { editsText } from '../inbox/edit-words.ts';
import { loopText, unchangedText, type IssueWords } from '../run/loop-words.ts';
import { outOf } from './amount-words.ts';
import { phrase, phraseText, type Phrase } from './phrase.ts';
import { verdictWords } from './verdict-words.ts';

/** One record in words. They do not name the phase of the record. */
export interface RecordWords extends Phrase {
  /** The task or reviewer of the record, such as `write` and `reviewer ada`; '' if there is none. */
  readonly who: string;
}

/** The formats of a user interface. */
export interface Voice {
  /** @param ms Milliseconds. */
  duration(ms: number): string;
  /** Tokens and money. */
  usage(used: { readonly tokens: number; readonly costUsd: number }): string;
  error(error: ErrorInfo): string;
  /** Writes a correction after its verdict was already shown. @default all of it */
  readonly correction?: (correction: Pick<Correction, 'feedback' | 'requiredChange'>) => string;
}

/** Knowledge about the phase of a record from earlier records. */
export interface KnownBefore {
  /** Its gate; its allowances are included then. */
  readonly gate?: Pick<GatePlan, 'maxRetries' | 'maxPredecessorRetries'> | null | undefined;
  /** The number of its current attempt in the whole run, from 1. @default the number in its generation */
  readonly number?: number | undefined;
  /** True if the demand for its new attempt was already shown. */
  readonly isTold?: boolean | undefined;
  /** Descriptions of the issues of its latest review. */
  readonly issues?: IssueWords | undefined;
}

/** Writes a record in words. */
export function recordWords(
  { event, runId }: Pick<RunRecord, 'event' | 'runId'>,
  voice: Voice,
  known: KnownBefore = {},
): RecordWords {
  if (!('phase' in event)) return { who: '', ...runWords(event, runId, voice) };
  if (!('task' in event)) return { who: '', ...phaseWords(event, voice, known) };
  const isReviewer = 'reviewer' in event && event.reviewer;
  return { who: isReviewer ? `reviewer ${event.task}` : event.task, ...taskWords(event, voice) };
}

/** Joins the words to one text: `write failed, try 2 in 0.5s: No network.` */
export function recordText(words: RecordWords): string {
  return `${words.who === '' ? '' : `${words.who} `}${phraseText(words)}`;
}

/** Returns the demand of a correction: the feedback, otherwise the required change. */
export function askedFor({ feedback, requiredChange = '' }: Pick<Correction, 'feedback' | 'requiredChange'>): string {
  return feedback === '' ? requiredChange : feedback;
}

/** Writes the progress of a task. */
export function progressText(progress: number | string): string {
  return typeof progress === 'number' ? `${Math.round(progress * 100)}%` : progress;
}

/** Writes the origin of a decision, as a prefix of its verdict. */
export function decidedBy({ by, who }: Pick<EventOf<'review.decided'>, 'by' | 'who'>): string {
  return `${DECIDED[by]}${who === undefined ? '' : ` (${who})`}`;
}

/** Writes a decision. */
export function decisionWords({ verdict, edited }: Pick<EventOf<'review.decided'>, 'verdict' | 'edited'>): Phrase {
  return edited ? phrase(editsText(edited)) : verdictWords(verdict);
}

// --- internal ---

type TaskEvent = Extract<RunEvent, { readonly task: string }>;
type PhaseEvent = Exclude<Extract<RunEvent, { readonly phase: string }>, TaskEvent>;
type RunLine = Exclude<RunEvent, { readonly phase: string }>;

const DECIDED = { gate: 'verdict', worker: 'a task demands', person: 'a person decided' } as const;

const APPROVED = {
  approved: '',
  unreviewed: ' without review',
  exhausted: ' although changes were asked for, as the retries are spent',
  unrecognised: ' as the answer had no verdict',
  invalidTarget: ' as the phase to send back may not be sent back',
} as const;

function runWords(event: RunLine, runId: string, voice: Voice): Phrase {
  switch (event.type) {
    case 'run.started':
      return phrase(`run ${runId} of "${event.plan.name}" started, ${counted(event.plan.phases.length, 'phase')}`);
    case 'run.suspended':
      return phrase(`run ${runId} suspended`);
    case 'run.resumed':
      return phrase(`run ${runId} resumed${event.plan ? ' with a changed definition' : ''}`);
    case 'run.reopened':
      return phrase('run continues: phases that were not approved run again');
    case 'run.ended':
      return phrase(`run ${event.status}`, event.error ? voice.error(event.error) : event.reason);
    case 'limit.reached':
      return phrase(`limit ${event.limit} reached, ${limitWords(event, voice)}`);
    case 'limit.lifted':
      return phrase(`limit ${event.limit} lifted${byWhom(event.who)}`);
    case 'item.changed':
      return itemWords(event);
  }
}

/** Writes the used part of a limit, and names the try that does not begin because of it, if there is one. */
function limitWords({ limit, used, max, refused }: EventOf<'limit.reached'>, voice: Voice): string {
  const amount = (value: number) => (limit.endsWith('Ms') ? voice.duration(value) : value);
  const spent = `${amount(used)} of ${amount(max)}`;
  if (!refused) return spent;
  const most = refused.estimate === undefined ? '' : `, which may use ${amount(refused.estimate)}`;
  return `${spent} before ${refused.task} of ${refused.phase}${most}`;
}

/** Names an item by the number of the record that opened it. */
function itemWords({ item, change, severity = 'normal', queue, reason, who }: EventOf<'item.changed'>): Phrase {
  const about = `question ${item}`;
  switch (change) {
    case 'reminded':
      return phrase(`${about} still waits for a person`);
    case 'raised':
      return phrase(`${about} still waits, ${severity} now`);
    case 'expired':
      return phrase(queue === undefined ? `nobody answered ${about} in time` : `${about} goes to ${queue}`);
    case 'refused':
      return phrase(`an answer${who === undefined ? '' : ` of ${who}`} to ${about} was refused`, reason);
  }
}

function taskWords(event: TaskEvent, voice: Voice): Phrase {
  switch (event.type) {
    case 'task.started':
      return phrase(event.try > 1 ? `started, try ${event.try}` : 'started');
    case 'task.reported':
      return phrase(reportWords(event, voice));
    case 'task.completed':
      return phrase('done');
    case 'task.retrying':
      return phrase(`failed, try ${event.try + 1} in ${voice.duration(event.delayMs)}`, voice.error(event.error));
    case 'task.failed':
      return event.rework
        ? phrase(`demands rework of ${event.rework.phase}`, event.rework.feedback)
        : phrase('failed', voice.error(event.error));
    case 'task.asked':
      return phrase('asks a person', event.question);
    case 'task.dropped':
      return phrase('came too late: the phase has restarted, and the result is dropped');
    case 'task.answered':
      return phrase(`was answered${byWhom(event.who)}`);
  }
}

function reportWords(event: EventOf<'task.reported'>, voice: Voice): string {
  const { progress = '', artifact, observation, waiting, tokens = 0, costUsd = 0, estimated = false, model } = event;
  const mark = estimated ? ' (estimated)' : '';
  const used = tokens > 0 || costUsd > 0 ? `used ${voice.usage({ tokens, costUsd })}${mark}` : '';
  const parts = [
    typeof progress === 'number' ? `is at ${progressText(progress)}` : progress,
    artifact ? `reported the artifact ${artifact.name}` : '',
    observation === undefined ? '' : `observed: ${observation}`,
    waiting === undefined ? '' : waiting ? 'waits for people' : 'works again',
    model === undefined ? used : `${used === '' ? 'worked' : used} with ${model}`,
  ].filter((part) => part !== '');
  return parts.join(', ') || 'reported';
}

function phaseWords(event: PhaseEvent, voice: Voice, known: KnownBefore): Phrase {
  const { gate, number, isTold = false, issues } = known;
  const asked = voice.correction ?? askedFor;
  switch (event.type) {
    case 'phase.started':
      if (!event.revision) return phrase('started');
      return phrase(`started, attempt ${number ?? event.attempt + 1}`, isTold ? '' : asked(event.revision));
    case 'phase.retrying':
      return phrase(`retry ${outOf(event.spent, gate?.maxRetries)}`, asked(event.correction));
    case 'phase.rewinding': {
      const spent = outOf(event.spent, gate?.maxPredecessorRetries);
      return phrase(`sends back ${event.target} ${spent}`, asked(event.correction));
    }
    case 'loop.detected':
      return phrase('goes round in a loop', loopText(event, issues));
    case 'attempt.unchanged':
      return phrase('unchanged', unchangedText(event.times));
    case 'review.started':
      return phrase(event.asked > 1 ? `review, asked ${event.asked} times` : 'review');
    case 'review.waiting':
      return phrase('review only waits for people');
    case 'review.decided':
      return phrase(decidedBy(event), phraseText(decisionWords(event)));
    case 'phase.approved':
      return phrase(`approved${APPROVED[event.because]}${event.version > 1 ? `, version ${event.version}` : ''}`);
    case 'phase.escalated':
      return phrase('waits for a person', event.reason);
    case 'phase.rejected':
      return phrase('rejected', event.reason);
    case 'phase.failed':
      return phrase('failed', voice.error(event.error));
    case 'phase.warned':
      return phrase('warning', event.message);
    case 'phase.reflected':
      return phrase('reflects', event.reflection ?? 'no reflection was made');
    case 'check.baselined':
      return baselineWords(event);
    case 'phase.read':
      return phrase(`reads ${event.source}`);
    case 'phase.unaffected':
      return phrase(`unaffected: version ${event.version} of ${event.source} has the same content, and counts as read`);
    case 'phase.stale':
      return phrase(`stale, as ${event.because} has a newer version`);
    case 'phase.invalidated':
      return phrase(`must run again, because of ${event.because}`);
    case 'phase.skipped':
      return phrase(`skipped${byWhom(event.who)}`, event.because);
    case 'phase.cancelled':
      return phrase('cancelled', event.because);
  }
}

/** Lists the checks that failed before the work; if none did, those that passed. */
function baselineWords({ passed, failed }: EventOf<'check.baselined'>): Phrase {
  return failed.length > 0
    ? phrase('failed before it began', failed.map(({ check }) => check).join(', '))
    : phrase('passed before it began', passed.join(', ') || 'no check');
}

function byWhom(who: string | undefined): string {
  return who === undefined ? '' : ` by ${who}`;
}
