/**
 * The history of a task or reviewer in one attempt.
 *
 * @module
 */
import { estimatedText, usageText, type Amounts } from '../../../../../src/projections/wording/amount-words.ts';
import type { ErrorInfo } from '../../../../../src/model/errors/phasegate-error.ts';
import type { EventOf, RunEvent, RunRecord } from '../../../../../src/model/events/event.ts';
import { type LogLines, noLines, withLine } from './log-lines.ts';
import { progressText } from '../../../../../src/projections/wording/record-words.ts';

/** A failed try. */
export interface FailedTry {
  readonly try: number;
  readonly error: ErrorInfo;
  /** Milliseconds until the next one; `null` if there is none. */
  readonly delayMs: number | null;
}

/** A task or reviewer in one attempt. */
export interface TaskHistory {
  readonly name: string;
  readonly isReviewer: boolean;
  /** Tries so far. Only failed tries of reviewers have records. */
  readonly tries: number;
  readonly failures: readonly FailedTry[];
  readonly state: 'working' | 'asks a person' | 'done' | 'failed';
  /** The task's own output, as in the record; `undefined` if there is none yet. */
  readonly output: { readonly value: unknown } | undefined;
  /** The number of the record with that output; `null` if there is none. */
  readonly completedAt: number | null;
  /** The output that a person has approved instead; `undefined` if there is none. */
  readonly edited: { readonly value: unknown } | undefined;
  /** The prompt that it has read, if known. */
  readonly prompt: { readonly hash: string; readonly chars: number } | undefined;
  /** True if it has read the requested change. */
  readonly hasReadRevision: boolean;
  readonly tokens: number;
  readonly costUsd: number;
  /** The part of the usage that is estimated. */
  readonly estimated: Amounts;
  readonly models: readonly string[];
  /** The latest progress. */
  readonly progress: string;
  /** The lines of progress in words. */
  readonly log: LogLines;
  readonly artifacts: readonly { readonly name: string; readonly content: unknown }[];
  readonly observations: readonly string[];
  /** The question to a person, and the answer. */
  readonly question: string | undefined;
  readonly answer: { readonly value: unknown; readonly who: string | undefined } | undefined;
  /** The rework that it demands of an earlier phase. */
  readonly rework: { readonly phase: string; readonly feedback: string } | undefined;
}

/** An event of a task. */
export type TaskEvent = Extract<RunEvent, { readonly task: string }>;

/** Creates a history without events. */
export function newTask(name: string, isReviewer: boolean): TaskHistory {
  return {
    name,
    isReviewer,
    tries: 0,
    failures: [],
    state: 'working',
    output: undefined,
    completedAt: null,
    edited: undefined,
    prompt: undefined,
    hasReadRevision: false,
    tokens: 0,
    costUsd: 0,
    estimated: { tokens: 0, costUsd: 0 },
    models: [],
    progress: '',
    log: noLines(),
    artifacts: [],
    observations: [],
    question: undefined,
    answer: undefined,
    rework: undefined,
  };
}

/** The effective output: the one that a person has approved, else the task's own. */
export function standingOutput({ output, edited }: TaskHistory): TaskHistory['output'] {
  return edited ?? output;
}

/** The usage in words, with the estimated part; '' if there is none. */
export function taskUsage({ tokens, costUsd, estimated }: Pick<TaskHistory, keyof Amounts | 'estimated'>): string {
  const used = { tokens, costUsd };
  return [usageText(used), estimatedText(used, estimated)].filter((part) => part !== '').join(' ');
}

/** Applies the event of a record. */
export function taskAfter(task: TaskHistory, event: TaskEvent, { seq, time }: Moment): TaskHistory {
  switch (event.type) {
    case 'task.started':
      return { ...task, tries: event.try, state: 'working' };
    case 'task.reported':
      return reported(task, event, { seq, time });
    case 'task.completed':
      return {
        ...task,
        ...readIn(event),
        tries: event.try,
        state: 'done',
        output: { value: event.output },
        completedAt: seq,
      };
    case 'task.retrying': {
      const failed = { try: event.try, error: event.error, delayMs: event.delayMs };
      return { ...task, tries: event.try, failures: [...task.failures, failed] };
    }
    case 'task.failed': {
      const failed = { try: event.try, error: event.error, delayMs: null };
      const failures = event.rework ? task.failures : [...task.failures, failed];
      return { ...task, ...readIn(event), tries: event.try, state: 'failed', failures, rework: event.rework };
    }
    case 'task.asked':
      return { ...task, state: 'asks a person', question: event.question };
    case 'task.answered':
      return { ...task, state: 'working', answer: { value: event.answer, who: event.who } };
    case 'task.dropped':
      return task;
  }
}

// --- internal ---

type Moment = Pick<RunRecord, 'seq' | 'time'>;

function readIn({ prompt, revised }: EventOf<'task.completed' | 'task.failed'>): Partial<TaskHistory> {
  return { prompt, hasReadRevision: revised === true };
}

function reported(task: TaskHistory, event: EventOf<'task.reported'>, at: Moment): TaskHistory {
  const { tokens = 0, costUsd = 0, estimated = false, model, progress, artifact, observation } = event;
  const guess = task.estimated;
  return {
    ...task,
    tokens: task.tokens + tokens,
    costUsd: task.costUsd + costUsd,
    estimated: estimated ? { tokens: guess.tokens + tokens, costUsd: guess.costUsd + costUsd } : guess,
    models: model === undefined || task.models.includes(model) ? task.models : [...task.models, model],
    progress: progress === undefined ? task.progress : progressText(progress),
    log: typeof progress === 'string' ? withLine(task.log, { ...at, text: progress }) : task.log,
    artifacts: artifact ? [...task.artifacts, { name: artifact.name, content: artifact.content }] : task.artifacts,
    observations: observation === undefined ? task.observations : [...task.observations, observation],
  };
}
