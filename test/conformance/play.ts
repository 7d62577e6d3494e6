import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  definePipeline,
  phase,
  policies,
  startRun,
  task,
  type Inputs,
  type Mode,
  type Outputs,
  type PhaseStatus,
  type Pipeline,
  type RunResult,
} from '../../src/index.ts';
import type { RunEvent } from '../../src/records.ts';
import type { Case } from './case.ts';

/** A task of a case. */
interface TaskScript {
  readonly name: string;
  readonly description?: string;
  /** Tasks whose outputs it reads, of its own phase or of an earlier one. */
  readonly reads?: readonly string[];
  /** The output of each execution; the last one repeats. @default `<name>#<execution>` */
  readonly outputs?: readonly string[];
  /** Numbers of executions that fail, from 1. */
  readonly failsInRun?: readonly number[];
}

/** A phase of a case. Its mode is `sequential` by default. */
interface PhaseScript {
  readonly name: string;
  readonly after?: readonly string[];
  readonly mode?: Mode;
  readonly tasks: readonly TaskScript[];
  readonly review?: {
    /** The reviewer's answer to each question; the last one repeats. */
    readonly answers: readonly string[];
    /** Tasks whose outputs it reads. */
    readonly reads?: readonly string[];
    readonly maxRetries?: number;
    readonly maxPredecessorRetries?: number;
  };
}

/** One execution. Absent fields did not exist. */
export interface Execution {
  /** `phase/task`, for a task. */
  readonly task?: string;
  /** The phase, for a review. */
  readonly review?: string;
  readonly attempt?: number;
  readonly feedback?: string;
  readonly previousOutput?: unknown;
  readonly read?: readonly unknown[];
  readonly output?: string;
  readonly failed?: true;
  readonly answer?: string;
}

export interface RunCase extends Case {
  readonly phases: readonly PhaseScript[];
  /** `total`: the trace is the only valid order. `branches`: independent branches may interleave. */
  readonly order: 'total' | 'branches';
  /** Tasks that must run at the same time. */
  readonly overlap?: readonly string[];
  readonly trace: readonly Execution[];
  readonly statuses: Readonly<Record<string, PhaseStatus>>;
  readonly ends: RunResult['status'];
  /** The reason that a phase was rejected. */
  readonly reason?: string;
  readonly outputs: Readonly<Record<string, Outputs>>;
  /** Phases that are approved because a budget is spent. */
  readonly exhausted?: readonly string[];
  /** Phases with a warning. */
  readonly warnings?: readonly string[];
}

/** The result of a case. */
export interface Played {
  readonly trace: readonly Execution[];
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** For each start of a task, the tasks that were running then. */
  readonly together: readonly (readonly string[])[];
}

/** Runs a pipeline to its end. */
export type Runner = (
  pipeline: Pipeline<Readonly<Record<string, Outputs>>>,
) => Promise<Pick<Played, 'result' | 'events'>>;

/** Runs the pipeline of a case under the ensemble policy. @param run @default in one process */
export async function play({ phases, overlap = [] }: RunCase, run: Runner = inOneProcess): Promise<Played> {
  const trace: Execution[] = [];
  const together: (readonly string[])[] = [];
  const atWork = new Set<string>();
  const counts = new Map<string, number>();

  /** True if all tasks that must run at the same time have begun. */
  function isTogether(): boolean {
    return together.some((names) => overlap.every((name) => names.includes(name)));
  }

  function count(key: string): number {
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  }

  function taskOf(home: PhaseScript, { name, description, reads = [], outputs, failsInRun = [] }: TaskScript) {
    const siblings = reads.filter((other) => home.tasks.some((one) => one.name === other));
    return task(name, {
      ...(description !== undefined && { description }),
      after: siblings,
      run: async ({ attempt, revision, inputs, context }) => {
        const execution = count(`${home.name}/${name}`);
        const output = outputs?.[Math.min(execution, outputs.length) - 1] ?? `${name}#${execution}`;
        const failed = failsInRun.includes(execution);
        const read = reads.map((other) => readOutput(phases, home, other, context, inputs));
        trace.push({
          task: `${home.name}/${name}`,
          attempt,
          ...(revision && { feedback: revision.feedback, previousOutput: revision.previousOutput }),
          ...(read.length > 0 && { read }),
          ...(failed ? { failed } : { output }),
        });
        atWork.add(name);
        together.push([...atWork]);
        if (overlap.includes(name)) for (let turn = 0; turn < PATIENCE && !isTogether(); turn++) await nextTurn();
        atWork.delete(name);
        if (failed) throw new Error(`${name} failed`);
        return output;
      },
    });
  }

  function reviewOf(home: PhaseScript, { answers, reads = [], ...limits }: NonNullable<PhaseScript['review']>) {
    const by = ({ outputs, inputs }: { readonly outputs: Outputs; readonly inputs: Inputs }) => {
      const answer = answers[Math.min(count(home.name), answers.length) - 1] ?? '';
      const read = reads.map((other) => readOutput(phases, home, other, outputs, inputs));
      trace.push({ review: home.name, ...(read.length > 0 && { read }), answer });
      return answer;
    };
    return { ...limits, by };
  }

  const pipeline = definePipeline({
    name: 'case',
    policy: policies.ensemble,
    phases: phases.map((one) =>
      phase(one.name, {
        mode: one.mode ?? 'sequential',
        after: one.after ?? [],
        tasks: one.tasks.map((script) => taskOf(one, script)),
        review: one.review && reviewOf(one, one.review),
      }),
    ),
  });
  return { trace, together, ...(await run(pipeline)) };
}

// --- internal ---

/** Turns after which tasks that must run at the same time give up. */
const PATIENCE = 100_000;

async function inOneProcess(pipeline: Parameters<Runner>[0]): ReturnType<Runner> {
  const run = startRun(pipeline);
  const events: RunEvent[] = [];
  for await (const { event } of run) events.push(event);
  return { events, result: await run.result };
}

/** Returns the output of a sibling, or of the task of that name in an earlier phase. */
function readOutput(phases: readonly PhaseScript[], home: PhaseScript, name: string, own: Outputs, inputs: Inputs) {
  if (home.tasks.some((one) => one.name === name) && name in own) return own[name];
  const source = phases.find((one) => one !== home && one.tasks.some((other) => other.name === name));
  return source && inputs[source.name]?.[name];
}
