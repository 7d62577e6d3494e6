/**
 * Types of runs: their options, and the handle of one run in this process.
 *
 * @module
 */
import type { Observable } from 'rxjs';
import type { ActorOptions } from 'xstate';
import type { Clock } from '../machines/phase/clock.ts';
import type { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';
import type { Pipeline } from '../model/definition/define.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';
import type { Redact } from '../model/events/redact.ts';
import type { Answer } from '../model/handlers/reviewer-answer.ts';
import type { Outputs } from '../model/handlers/task.ts';
import type { LimitName, Limits } from '../model/plan/policy-schema.ts';
import { isFields } from '../model/values/json.ts';
import { nearest } from '../model/values/nearest.ts';
import { cutEnd, TEXT_LIMITS } from '../model/values/text-limits.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { AnswerOptions, Reply } from '../projections/inbox/reply.ts';
import type { RunOutcome, RunSnapshot } from '../projections/run/run-result.ts';
import type { RunStore } from '../store/port.ts';

/** Options of `startRun`. */
export interface RunOptions<I = unknown> {
  /** The input of the run. JSON, validated by the pipeline's `input` schema if it has one. */
  readonly input?: I | undefined;
  /** Letters, digits and `. _ : @ -`, at most 128; the first is a letter or digit. Not `latest`. @default a ULID */
  readonly runId?: string | undefined;
  /** Cancels the run when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Observes every actor of the run, as the option of XState's `createActor` does. Makes a run about twice as slow. */
  readonly inspect?: ActorOptions<typeof pipelineMachine>['inspect'] | undefined;
  /**
   * Stores the run: every record before it is published and before anything follows from it. The run survives this process, and `resumeRun`
   * can continue it. The result waits until the last record is stored.
   */
  readonly store?: RunStore | undefined;
  /**
   * Name of the process that works on the run, shown to other processes that try to. With a custom name nobody can check that the process
   * is alive. If it is killed, the run is free only when its lease expires.
   *
   * @default this process, by its number, its machine and its start
   */
  readonly holder?: string | undefined;
  /** Source of the definition, such as the path of a file; stored with the run. */
  readonly source?: string | undefined;
  /**
   * Masks secrets and personal data in events, before they become records. Listeners and results get the masked events. It must be a pure
   * function of the event that changes nothing but texts, as it is called again when the run is resumed. Give different texts of outputs
   * different marks: a replay would take attempts with equal ones for unchanged. If it throws, the texts that are masked by default
   * are masked whole, and so is the input of the run.
   *
   * @default obvious secrets are masked in errors, feedback, reasons, progress, warnings, and artifacts that were reported
   */
  readonly redact?: Redact | undefined;
  /** True if a person is available: a failed review then waits for a decision instead of failing its phase. @default false */
  readonly attended?: boolean | undefined;
  /**
   * Name of the memory that the run shares, such as the id of a tenant. The run recalls reflections of earlier runs of the same pipeline
   * and name in this store. Later runs get its own reflections in their prompts. Not blank. Resumed runs and forks keep the name. With
   * `false`, or a store without memories, the run uses its own reflections only.
   *
   * @default false
   */
  readonly memory?: string | false | undefined;
  /**
   * Words by which people find the run, such as `nightly` or `team=search`: at most 16, each of at most 100 letters, digits and
   * `. _ / -`, with `: @ +` in values, and one value for each key. Recorded with the start. Runs of its tasks, resumed runs and forks keep
   * them.
   *
   * @default none
   */
  readonly tags?: readonly string[] | undefined;
  /**
   * Limits of this run next to those of its pipeline. The smaller one of each counts, so they never raise a limit. They are stored with the
   * run, and apply when it is resumed.
   *
   * @default none
   */
  readonly limits?: Limits | undefined;
  /**
   * `suspend` releases a stored run as soon as it only waits: for people, or for more than five seconds for its next try. Its `result` then
   * has the status `suspended`, and no process has to keep it. An answer or the time makes it ready for a worker. A run is kept as long as
   * a task or a reviewer is active. It is released together with the runs that its tasks have started, once all of them only wait.
   *
   * @default 'hold'
   */
  readonly whileWaiting?: 'hold' | 'suspend' | undefined;
  /** Timers and, if it has `now()`, the time of records; if that fails, the system's time counts. @default the system's clock */
  readonly clock?: (Clock & { now?(): number }) | undefined;
}

/** Options of a run. They may be omitted only if the input may. */
export type RunArguments<I> = undefined extends I
  ? readonly [options?: RunOptions<I>]
  : readonly [options: RunOptions<I> & { readonly input: I }];

/** The names of a pipeline's phases; any string if its outputs are not typed. */
export type NamesOf<O> = unknown extends O ? string : Extract<keyof O, string>;

/** One execution of a pipeline. */
export interface Run<O = Readonly<Record<string, Outputs>>> extends AsyncIterable<RunRecord> {
  readonly id: string;
  /** Every record of the run: past ones first, then live. Completes when the run has ended; never errors. */
  readonly events$: Observable<RunRecord>;
  /** Every record from a number on, so that a consumer can continue after its last one. */
  eventsFrom(seq: number): Observable<RunRecord>;
  /** The current state of the run. */
  snapshot(): RunSnapshot;
  /** The outcome of the run. Never rejects. It stays pending only if the store never settles a call. */
  readonly result: Promise<RunOutcome<O>>;
  /** Committed outputs, by phase, then task. Rejects with a `RunUnsuccessfulError` if the run did not complete. */
  readonly outputs: Promise<O>;
  /**
   * Decides on an escalated phase or a limit that holds the run, by its name. Resolves once the decision is accepted, after which no other
   * is. In a run without a store it is accepted before this returns.
   *
   * @throws PhasegateError `NOT_ESCALATED` if nothing of that name waits; `DECISION_INVALID` if the text is not a decision;
   *   `DECISION_TARGET_INVALID` if it sends back a phase that is not upstream; `ANSWER_STALE` if the nonce differs; `ANSWERED` if another
   *   answer was first, such as one from another process. Then the decision changes nothing.
   */
  decide<const A extends string>(
    about: A & (string extends A ? string : NamesOf<O> | LimitName),
    decision: Answer<NamesOf<O>>,
    options?: AnswerOptions,
  ): Promise<void>;
  /** Open items. In a run with a store, only those that are stored. */
  inbox(): readonly InboxItem[];
  /**
   * Answers an item of the inbox: a decision, the output of a task that is a person, or one of the other replies. Resolves once the answer
   * is accepted, after which no other is.
   *
   * @throws PhasegateError `ITEM_UNKNOWN`, `ANSWERED` if another answer was first, `ANSWER_STALE` if the nonce differs,
   *   `ANSWER_INVALID`, `DECISION_INVALID`, `DECISION_TARGET_INVALID` if the reply is invalid. Then the item stays open.
   */
  answer(item: string, reply: Reply, options?: AnswerOptions): Promise<void>;
  /** Cancels the run and aborts all its work. Does nothing once the run has ended. */
  cancel(reason?: string): void;
  /**
   * Stops all work without ending the run. Its `result` has the status `suspended`. Any process can resume the run if it has a store. If it
   * only waits, an answer or the time makes it ready for a worker; otherwise it is ready at once. Does nothing once the run has ended.
   */
  suspend(): void;
}

/** @throws PhasegateError `DEFINITION_INVALID` if the value is not the result of definePipeline(). */
export function checkPipeline(pipeline: unknown, action = 'start a run'): asserts pipeline is Pipeline<unknown> {
  if (isFields(pipeline) && isFields(pipeline['plan']) && isFields(pipeline['work'])) return;
  throw new PhasegateError('DEFINITION_INVALID', `Cannot ${action} as the given value is not a pipeline`, {
    hint: 'Pass the result of definePipeline().',
  });
}

/** @throws PhasegateError `INPUT_INVALID` without a list, or if it is empty; `DEFINITION_INVALID` if a part of it is no pipeline. */
export function checkPipelines(pipelines: unknown, action: string): void {
  if (!Array.isArray(pipelines) || pipelines.length === 0)
    throw new PhasegateError('INPUT_INVALID', `Cannot ${action} as there are no pipelines`, {
      hint: 'Give a list of the pipelines whose runs it works on.',
    });
  for (const pipeline of pipelines) checkPipeline(pipeline, action);
}

/**
 * Refuses unknown options, and those of a type that would break the run or its records, as a program in JavaScript may pass them.
 *
 * @param action For errors, such as `start a run`.
 * @param more Names of options that the caller checks itself.
 * @param own Names of the checked options that it has. @default all
 * @throws PhasegateError `INPUT_INVALID`
 */
export function checkOptions(
  options: unknown,
  action: string,
  more: readonly string[] = [],
  own = Object.keys(CHECKS),
): void {
  const refused = (problem: string, hint: string) =>
    new PhasegateError('INPUT_INVALID', `Cannot ${action} as ${problem}`, { hint });
  if (!isFields(options)) throw refused('its options are no object', 'Pass an object, or nothing.');
  for (const [name, check] of Object.entries(CHECKS))
    if (check && options[name] !== undefined && !check[1](options[name]))
      throw refused(`its option \`${name}\` is not ${check[0]}`, 'Pass one, or leave the option out.');
  const names = [...own, ...more];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || names.includes(name)) continue;
    const meant = nearest(name, names);
    const hint = meant === undefined ? 'Correct its name, or leave it out.' : `Did you mean \`${meant}\`?`;
    throw refused(`there is no option \`${cutEnd(name, TEXT_LIMITS.name)}\``, hint);
  }
}

// --- internal ---

type Check = readonly [expected: string, is: (value: unknown) => boolean];

const TEXT: Check = ['a text', (value) => typeof value === 'string'];
const SWITCH: Check = ['`true` or `false`', (value) => typeof value === 'boolean'];

/**
 * The options of starts and resumes. Those without a check here are checked by their own modules. A run of a task is resumed with
 * `within`, which its parent sets.
 */
const CHECKS: Readonly<Record<keyof RunOptions | 'allowChanged' | 'allowMasked' | 'within', Check | null>> = {
  input: null,
  runId: TEXT,
  signal: ['an AbortSignal', (value) => hasMethods(value, ['addEventListener', 'removeEventListener'])],
  inspect: ['a function or an observer', (value) => isFunction(value) || isFields(value)],
  store: null,
  holder: TEXT,
  source: TEXT,
  redact: ['a function', isFunction],
  attended: SWITCH,
  memory: null,
  tags: null,
  limits: null,
  whileWaiting: ["`'hold'` or `'suspend'`", (value) => value === 'hold' || value === 'suspend'],
  clock: ['a clock with `setTimeout` and `clearTimeout`', (value) => hasMethods(value, ['setTimeout', 'clearTimeout'])],
  allowChanged: SWITCH,
  allowMasked: SWITCH,
  within: null,
};

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return isFields(value) && names.every((name) => isFunction(value[name]));
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
