/**
 * From a scenario to a pipeline whose workers follow their scripts.
 *
 * @module
 */
import {
  approve,
  definePipeline,
  escalate,
  needsRework,
  phase,
  reject,
  retry,
  retryPredecessor,
  task,
  type Check,
  type Issue,
  type Inputs,
  type Pipeline,
  type ReviewContext,
  type ReviewFinding,
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
  wordsOf,
  type Call,
  type CheckAct,
  type GateSpec,
  type IssueAct,
  type PhaseSpec,
  type Remarks,
  type ReviewAct,
  type Scenario,
  type TaskAct,
} from '../reference/scenario.ts';
import { named } from './account.ts';
import { shown } from '../reference/line.ts';
import type { SteppedClock } from './stepped-clock.ts';

/** What a task saw of earlier phases when it was called. */
export interface Sighting {
  readonly phase: string;
  readonly generation: number;
  readonly attempt: number;
  readonly task: string;
  /** Outputs by phase, then task. */
  readonly seen: Readonly<Record<string, unknown>>;
}

/** What the workers of a run share. */
export interface Stage {
  readonly clock: SteppedClock;
  readonly saw: (sighting: Sighting) => void;
  /** What a reviewer is shown of its findings. */
  readonly showed?: (line: string) => void;
}

/** The pipeline of a scenario. */
export function build(scenario: Scenario, stage: Stage): Pipeline {
  const count = new Map<string, number>();
  const call = <Act extends { readonly do: string }>(
    worker: string,
    calls: readonly Call<Act>[],
    well: Call<Act>,
  ): [Call<Act>, number] => {
    const nth = count.get(worker) ?? 0;
    count.set(worker, nth + 1);
    const act = callOf(calls, nth, well);
    return [act, act.delay ?? delayOf(scenario.seed, worker, nth)];
  };
  const wait = (delay: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, _reject) => {
      const timer = stage.clock.setTimeout(resolve, delay);
      signal.addEventListener('abort', () => {
        stage.clock.clearTimeout(timer);
        _reject(new Error('aborted'));
      });
    });

  const tasksOf = (spec: PhaseSpec): Task<string, unknown, Inputs>[] =>
    spec.tasks.map(({ name, after, asks, tries, estimate, calls }) =>
      task(name, {
        after,
        ...(estimate !== undefined && { estimate: { tokens: estimate } }),
        timeout: 0,
        retry: { attempts: tries, backoff: { first: TRY_BACKOFF, factor: 1, max: TRY_BACKOFF } },
        async run(context: TaskContext) {
          const [act, delay] = call<TaskAct>(`${spec.name}/${name}`, calls, { do: 'put', value: 0 });
          const { generation, attempt } = context;
          const seen = Object.fromEntries([...spec.after, ...asks].map((one) => [one, context.inputs[one]]));
          stage.saw({ phase: spec.name, generation, attempt, task: name, seen });
          await wait(delay, context.signal);
          if (act.tokens !== undefined) context.report({ tokens: act.tokens });
          return perform(act);
        },
      }),
    );

  const reviewOf = (owner: string, gate: GateSpec): ReviewOptions => {
    const { reviewers, checks, ...options } = gate;
    return {
      ...options,
      reviewBackoff: { first: REVIEW_BACKOFF, factor: 1, max: LONGEST_REVIEW_BACKOFF },
      by: reviewers.map(({ name, estimate, calls }) =>
        task(name, {
          ...(estimate !== undefined && { estimate: { tokens: estimate } }),
          timeout: 0,
          async run(context: TaskContext) {
            const [act, delay] = call<ReviewAct>(`${owner}?${name}`, calls, { do: 'approve' });
            const { findings } = context as ReviewContext;
            await wait(delay, context.signal);
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
          const [act, delay] = call<CheckAct>(`${owner}!${name}`, calls, { do: 'pass' });
          await wait(delay, context.signal);
          return act.do === 'pass' ? true : act.says;
        },
      })),
    };
  };

  return definePipeline({
    name: 'scenario',
    concurrency: scenario.concurrency,
    limits: scenario.limits,
    policy: { onFailure: scenario.onFailure, onLimit: scenario.onLimit },
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

function perform(act: TaskAct): number {
  switch (act.do) {
    case 'put':
      return act.value;
    case 'throw':
      throw new Error('the task broke');
    case 'rework':
      throw needsRework(act.phase, act.feedback);
  }
}

function answer(act: ReviewAct, findings: readonly ReviewFinding[]): unknown {
  switch (act.do) {
    case 'approve':
      return { ...approve(), ...numbers(act), ...remarksOf(act, findings) };
    case 'retry':
      return { ...retry(act.feedback), ...numbers(act), ...remarksOf(act, findings) };
    case 'rewind':
      return { ...retryPredecessor(act.phase, act.feedback), ...numbers(act), ...remarksOf(act, findings) };
    case 'reject':
      return { ...reject('not good'), ...remarksOf(act, findings) };
    case 'escalate':
      return { ...escalate('not sure'), ...remarksOf(act, findings) };
    case 'babble':
      return 'Well, it is what it is.';
    case 'malformed':
      return { type: 'perhaps' };
    case 'throw':
      throw Object.assign(new Error('the reviewer broke'), {
        ...(act.lasts && { retryable: false }),
        ...(act.waits !== undefined && { retryAfterMs: act.waits }),
      });
  }
}

/** An issue as a reviewer or a person writes it. */
export function issueOf(act: IssueAct): Issue {
  const { name, severity, phase: affectedPhase } = act;
  return {
    ...(!name.startsWith('w') && { id: name }),
    severity,
    description: wordsOf(act),
    ...(affectedPhase !== undefined && { affectedPhase }),
  };
}

function remarksOf({ issues, priors }: Remarks, findings: readonly ReviewFinding[]): object {
  const idOf = (name: string) => findings.find((one) => entryOf(one).name === name)?.id ?? name;
  return {
    ...(issues && { issues: issues.map(issueOf) }),
    ...(priors && {
      priorFindings: Object.entries(priors).map(([name, status]) => ({ id: idOf(name), status })),
    }),
  };
}

/** The name of a finding in the scenario, and in how many reviews in a row it was open. */
function entryOf({ issues, open }: ReviewFinding): { readonly name: string; readonly open: number } {
  return { name: named(issues)[0]?.name ?? '', open };
}

function numbers(act: { readonly score?: number; readonly confidence?: number }): object {
  return {
    ...(act.score !== undefined && { score: act.score }),
    ...(act.confidence !== undefined && { confidence: act.confidence }),
  };
}
