/**
 * Runs: machines, work and streams in one process.
 *
 * @module
 */
import type { Observable } from 'rxjs';
import { ulid } from 'ulid';
import type { ActorOptions } from 'xstate';
import type { Clock } from '../machines/phase/clock.ts';
import type { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';
import type { Pipeline } from '../model/definition/define.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';
import type { Redact } from '../model/events/redact.ts';
import { checkLimits, lowered } from '../model/events/run-limits.ts';
import type { Answer } from '../model/handlers/reviewer-answer.ts';
import type { Outputs } from '../model/handlers/task.ts';
import type { LimitName, Limits } from '../model/plan/policy.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { AnswerOptions, Reply } from '../projections/inbox/reply.ts';
import type { RunOutcome, RunSnapshot } from '../projections/run/run-result.ts';
import type { RunStore } from '../store/port.ts';
import { checkRunId } from '../store/refusals.ts';
import { runEngine } from './engine.ts';
import { persistRun } from './records/persistence.ts';
import { createRecordLog } from './records/record-log.ts';
import { inputOf } from './run-input.ts';

/** What `startRun` takes beside the pipeline. */
export interface RunOptions<I = unknown> {
  /** The input of the run; JSON, validated by the pipeline's `input` schema where it has one. */
  readonly input?: I | undefined;
  /** @default a ULID */
  readonly runId?: string | undefined;
  /** Cancels the run when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Watches every actor of the run, as XState's `createActor` takes it. Makes a run about twice as slow. */
  readonly inspect?: ActorOptions<typeof pipelineMachine>['inspect'] | undefined;
  /**
   * Keeps the run: every record before it is seen and before anything follows from it, so that the run survives this
   * process and `resumeRun` can go on with it. The result waits for the last one.
   */
  readonly store?: RunStore | undefined;
  /**
   * Who works on the run, told to others who try to. Of a name of your own nobody can tell if it lives: a run that it has left without a
   * word is free only when its lease expires.
   *
   * @default this process, by its number, its machine and its start
   */
  readonly holder?: string | undefined;
  /** Where the definition was found, such as the path of a file; kept beside the run. */
  readonly source?: string | undefined;
  /**
   * Changes events before they become records, which is also what listeners and results get: to mask secrets and personal
   * data in texts. It must be a plain function of the event that changes nothing but texts, as it is asked again when the run
   * is resumed. Where it throws, all texts are masked, and so is the input of the run.
   *
   * @default obvious secrets are masked in errors, feedback, reasons, progress, warnings, and artifacts that were reported
   */
  readonly redact?: Redact | undefined;
  /** Whether a person watches: then a review that cannot be had waits for a decision instead of failing. @default false */
  readonly attended?: boolean | undefined;
  /**
   * Whose memory the run shares: it recalls what runs of the same pipeline and the same scope have learned in this store, and
   * what it learns is told to later ones, in their prompts. So it is to be one for each tenant. Not blank; resumed runs and forks
   * keep it. `false`, and a store that remembers nothing: the run goes by what it learns itself.
   *
   * @default false
   */
  readonly memory?: string | false | undefined;
  /**
   * Limits of this run beside those of its pipeline: of each, the smaller one counts, so that they never raise one. They are
   * kept with the run, and count when it is resumed.
   *
   * @default none
   */
  readonly limits?: Limits | undefined;
  /** Timers and, where it has `now()`, the time of records. @default the system's clock */
  readonly clock?: (Clock & { now?(): number }) | undefined;
}

/** Options of a run, which may only be left out where the input may. */
export type RunArguments<I> = undefined extends I
  ? readonly [options?: RunOptions<I>]
  : readonly [options: RunOptions<I> & { readonly input: I }];

/** The names of a pipeline's phases; any where its outputs are not known. */
export type NamesOf<O> = unknown extends O ? string : Extract<keyof O, string>;

/** One execution of a pipeline. */
export interface Run<O = Readonly<Record<string, Outputs>>> extends AsyncIterable<RunRecord> {
  readonly id: string;
  /** Every record of the run: past ones first, then live. Completes when the run has ended; never errors. */
  readonly events$: Observable<RunRecord>;
  /** The same from a position on, so that a consumer can pick up where it left. */
  eventsFrom(seq: number): Observable<RunRecord>;
  /** How the run stands now. */
  snapshot(): RunSnapshot;
  /** How the run ended. Always resolves. */
  readonly result: Promise<RunOutcome<O>>;
  /** Committed outputs, by phase, then task. Rejects with a {@link RunUnsuccessfulError} where the run did not complete. */
  readonly outputs: Promise<O>;
  /**
   * Decides on what waits for a person: an escalated phase, by its name, or a limit that holds the run, by its name.
   * Resolves once the decision has been taken: no other will be. In a run without a store that is before this returns.
   *
   * @throws PhasegateError `NOT_ESCALATED` where nothing of that name waits, `DECISION_INVALID` where the text is no
   *   decision, `DECISION_TARGET_INVALID` where it sends back a phase that is not upstream, `ANSWER_STALE` where the nonce is
   *   another, `ANSWERED` where another answer was first, such as one from another process. The decision changes nothing then.
   */
  decide<const A extends string>(
    about: A & (string extends A ? string : NamesOf<O> | LimitName),
    decision: Answer<NamesOf<O>>,
    options?: AnswerOptions,
  ): Promise<void>;
  /** What waits for people; where the run is kept, as far as that is. */
  inbox(): readonly InboxItem[];
  /**
   * Answers an item of the inbox: a decision, the output of a task that is a person, or one of the other replies. Resolves
   * once the answer has been taken: no other will be.
   *
   * @throws PhasegateError `ITEM_UNKNOWN`, `ANSWERED` where another answer was first, `ANSWER_STALE` where the nonce is
   *   another, `ANSWER_INVALID`, `DECISION_INVALID`, `DECISION_TARGET_INVALID` where it makes no sense. The item is open as
   *   before then.
   */
  answer(item: string, reply: Reply, options?: AnswerOptions): Promise<void>;
  /** Stops the run and aborts everything that works. Does nothing once the run has ended. */
  cancel(reason?: string): void;
  /**
   * Lets go of the run without ending it: stops everything that works, and has `result` tell `suspended`. A run in a store
   * can be resumed, by any process. Does nothing once the run has ended.
   */
  suspend(): void;
}

/**
 * Starts a run and returns at once.
 *
 * @example
 * ```ts
 * const run = startRun(pipeline, { input: { topic: 'gates' } });
 * run.events$.subscribe(({ event }) => console.log(event.type));
 * const { status } = await run.result;
 * ```
 */
export function startRun<O, I>(made: Pipeline<O, I>, ...[options = {}]: RunArguments<I>): Run<O> {
  checkPipeline(made);
  const pipeline = { ...made, plan: lowered(made.plan, options.limits) };
  const { memory = false } = options;
  const { runId = ulid(), store, clock, attended = false, holder, source, signal, inspect, redact } = options;
  const log = createRecordLog(runId, () => clock?.now?.() ?? Date.now(), store !== undefined);
  return runEngine<O>({
    pipeline,
    log,
    signal,
    inspect,
    redact,
    clock,
    persistence: store && persistRun({ store, log, holder, origin: { source } }),
    async begin() {
      checkRunId(runId);
      checkScope(memory);
      checkLimits(options.limits);
      const input = await inputOf(pipeline, options.input);
      if (!input.ok) throw input.error;
      return {
        input: {
          run: runId,
          plan: pipeline.plan,
          input: input.value,
          given: store && input.given,
          attended,
          kept: store !== undefined,
          memory: memory === false ? undefined : memory,
        },
      };
    },
  });
}

/**
 * Runs a pipeline to its end. Nobody can be asked: a run that waits for a person is cancelled; use `startRun` for those.
 *
 * @returns The outputs, by phase, then task.
 * @throws RunUnsuccessfulError where the run did not complete.
 */
export function runPipeline<O, I>(pipeline: Pipeline<O, I>, ...options: RunArguments<I>): Promise<O> {
  const run = startRun(pipeline, ...options);
  run.events$.subscribe(({ event }) => {
    const limit = event.type === 'limit.reached' && event.holds === null && pipeline.plan.onLimit === 'escalate';
    if (event.type !== 'phase.escalated' && event.type !== 'task.asked' && !limit) return;
    const about = 'phase' in event ? `phase "${event.phase}"` : `the limit ${event.limit}`;
    run.cancel(`${about} waits for a person, whom runPipeline cannot ask: use startRun and run.decide`);
  });
  return run.outputs;
}

// --- internal ---

/** @throws PhasegateError `INPUT_INVALID` for a scope that names nobody: all runs that lack a name would share it. */
function checkScope(memory: unknown): void {
  if (memory === false || (typeof memory === 'string' && memory.trim() !== '')) return;
  const found = typeof memory === 'string' ? 'blank' : `${typeof memory === 'object' ? 'an' : 'a'} ${typeof memory}`;
  throw new PhasegateError(
    'INPUT_INVALID',
    `Cannot start a run as its \`memory\` is ${found}, not the name of a scope`,
    {
      hint: 'Name whose memory the run shares, such as the id of a tenant; or leave `memory` out, for none.',
    },
  );
}

/** @throws PhasegateError `DEFINITION_INVALID` where it is not what definePipeline() returns. */
export function checkPipeline(pipeline: unknown): void {
  if (typeof pipeline === 'object' && pipeline !== null && 'plan' in pipeline && 'work' in pipeline) return;
  throw new PhasegateError('DEFINITION_INVALID', 'Cannot start a run as what was given is not a pipeline', {
    hint: 'Pass what definePipeline() returns.',
  });
}
