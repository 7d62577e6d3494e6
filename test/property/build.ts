/**
 * A pipeline for a scenario, whose workers follow their scripts.
 *
 * @module
 */
import { z } from 'zod';
import {
  definePipeline,
  human,
  phase,
  task,
  type Check,
  type InboxPolicy,
  type Inputs,
  type Pipeline,
  type ReviewContext,
  type ReviewOptions,
  type Task,
  type TaskContext,
} from '../../src/index.ts';
import {
  callOf,
  delayOf,
  LONGEST_REVIEW_BACKOFF,
  REVIEW_BACKOFF,
  TRY_BACKOFF,
  type Call,
  type CheckAct,
  type GateSpec,
  type PhaseSpec,
  type ReviewAct,
  type Scenario,
  type TaskAct,
} from '../reference/scenario.ts';
import { shown } from '../reference/line.ts';
import { answer, entryOf, perform } from './acts.ts';
import { createCalls, type Calls, type WorkerCall } from './calls.ts';
import type { VirtualClock } from '../../src/testing/rehearsal/virtual-clock.ts';

/** The outputs of earlier phases that a task saw when it was called. */
export interface Sighting {
  readonly phase: string;
  readonly generation: number;
  readonly attempt: number;
  readonly task: string;
  /** Outputs by phase, then task. */
  readonly seen: Readonly<Record<string, unknown>>;
}

/** The objects that the workers of a run share. */
export interface Stage {
  readonly clock: VirtualClock;
  readonly saw: (sighting: Sighting) => void;
  /** Called with the findings that a reviewer is shown. */
  readonly showed?: (line: string) => void;
  /** The calls of workers so far. @default none */
  readonly calls?: Calls;
}

/** Builds the pipeline of a scenario. */
export function build(scenario: Scenario, stage: Stage): Pipeline {
  const known = stage.calls ?? createCalls();
  const call = <Act extends { readonly do: string }>(
    worker: string,
    { idempotencyKey: key }: Pick<TaskContext, 'idempotencyKey'>,
    calls: readonly Call<Act>[],
    well: Call<Act>,
  ): [Call<Act>, WorkerCall] => {
    const lasts = (nth: number) => callOf(calls, nth, well).delay ?? delayOf(scenario.seed, worker, nth);
    const one = known.take(worker, key, stage.clock.now(), lasts);
    return [callOf(calls, one.nth, well), one];
  };
  const wait = ({ left, end }: WorkerCall, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = stage.clock.setTimeout(() => {
        end();
        resolve();
      }, left);
      signal.addEventListener('abort', () => {
        stage.clock.clearTimeout(timer);
        reject(new Error('aborted'));
      });
    });

  const tasksOf = (spec: PhaseSpec): Task<string, unknown, Inputs>[] =>
    spec.tasks.map(({ name, after, asks, parts = {}, tries, estimate, asked, calls }) => {
      const again = { attempts: tries, backoff: { first: TRY_BACKOFF, factor: 1, max: TRY_BACKOFF } };
      if (asked) return task(name, { after, ...byPerson<number>(name, asked), output: z.number(), retry: again });
      return task(name, {
        after,
        ...(estimate !== undefined && { estimate: { tokens: estimate } }),
        timeout: 0,
        retry: again,
        async run(context: TaskContext) {
          const [act, going] = call<TaskAct>(`${spec.name}/${name}`, context, calls, { do: 'put', value: 0 });
          const { generation, attempt } = context;
          const seen = Object.fromEntries([...spec.after, ...asks].map((one) => [one, context.inputs[one]]));
          stage.saw({ phase: spec.name, generation, attempt, task: name, seen });
          for (const [one, tasks] of Object.entries(parts)) for (const part of tasks) void context.inputs[one]?.[part];
          await wait(going, context.signal);
          if (act.tokens !== undefined) context.report({ tokens: act.tokens });
          return perform(act);
        },
      });
    });

  const reviewOf = (owner: string, gate: GateSpec): ReviewOptions => {
    const { reviewers, checks, ...options } = gate;
    return {
      ...options,
      reviewBackoff: { first: REVIEW_BACKOFF, factor: 1, max: LONGEST_REVIEW_BACKOFF },
      by: reviewers.map(({ name, estimate, asked, calls }): Task<string, unknown, Inputs> =>
        asked
          ? task(name, byPerson<unknown>(name, asked))
          : task(name, {
              ...(estimate !== undefined && { estimate: { tokens: estimate } }),
              timeout: 0,
              async run(context: TaskContext) {
                const [act, going] = call<ReviewAct>(`${owner}?${name}`, context, calls, { do: 'approve' });
                const { findings } = context as ReviewContext;
                await wait(going, context.signal);
                stage.showed?.(shown(owner, name, findings.map(entryOf)));
                if (act.tokens !== undefined) context.report({ tokens: act.tokens });
                return answer(act, findings);
              },
            }),
      ),
      checks: checks.map(({ name, baseline, calls }): Check => ({
        name,
        baseline,
        async run(context) {
          const [act, going] = call<CheckAct>(`${owner}!${name}`, context, calls, { do: 'pass' });
          await wait(going, context.signal);
          return act.do === 'pass' ? true : act.says;
        },
      })),
    };
  };

  return definePipeline({
    name: 'scenario',
    concurrency: scenario.concurrency,
    limits: scenario.limits,
    policy: { onFailure: scenario.onFailure, onLimit: scenario.onLimit, inbox: scenario.inbox },
    phases: scenario.phases.map((spec) =>
      phase(spec.name, {
        after: spec.after,
        mode: spec.mode,
        tasks: tasksOf(spec),
        ...(spec.gate && { review: reviewOf(spec.name, spec.gate) }),
      }),
    ),
  });
}

// --- internal ---

/** A person as a task or a reviewer. The timeout does not apply. */
function byPerson<O>(name: string, policy: InboxPolicy) {
  return { timeout: 1, run: human<O>({ question: `${name}?`, ...policy }) };
}
