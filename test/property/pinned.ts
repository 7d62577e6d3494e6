/**
 * Short ways to write scenarios by hand. Every delay is explicit, so that a reader can follow the clock.
 *
 * @module
 */
import type { InboxPolicy } from '../../src/index.ts';
import type {
  Call,
  GateSpec,
  IssueAct,
  PhaseSpec,
  ReviewAct,
  Scenario,
  TaskAct,
  TaskSpec,
} from '../reference/scenario.ts';

/** Returns a task's call that outputs `value` after `delay` milliseconds. */
export function put(value: number, delay: number): Call<TaskAct> {
  return { do: 'put', value, delay };
}

/** Returns a reviewer's call that approves after `delay` milliseconds. */
export function yes(delay: number): Call<ReviewAct> {
  return { do: 'approve', delay };
}

/** Returns a small issue of a phase, with a name after it. */
export function about(phase: string): IssueAct {
  return { name: `i${phase}`, severity: 'low', phase };
}

/** Returns a reviewer's call that sends a phase back after `delay` milliseconds. */
export function back(phase: string, feedback: string, delay: number, issues?: readonly IssueAct[]): Call<ReviewAct> {
  return { do: 'rewind', phase, feedback, delay, ...(issues && { issues }) };
}

/** Returns a gate with one reviewer. */
export function gate(calls: readonly Call<ReviewAct>[], options: Partial<GateSpec> = {}): GateSpec {
  return { reviewers: [{ name: 'judge', calls }], checks: [], ...options };
}

/** Returns a gate whose only reviewer is a person. */
export function asks(calls: readonly Call<ReviewAct>[], asked: InboxPolicy, options: Partial<GateSpec> = {}): GateSpec {
  return { reviewers: [{ name: 'judge', asked, calls }], checks: [], ...options };
}

/** Returns a phase with one task, named `work`. The task is a person if `asked` gives the policy of the question. */
export function does(
  name: string,
  after: readonly string[],
  calls: readonly Call<TaskAct>[],
  {
    gate: own = null,
    people = [],
    ...task
  }: Partial<Pick<PhaseSpec, 'gate' | 'people'> & Pick<TaskSpec, 'asked' | 'tries' | 'estimate'>> = {},
): PhaseSpec {
  const tasks = [{ name: 'work', after: [], asks: [], tries: 1, ...task, calls }];
  return { name, after, mode: 'dependencies', tasks, gate: own, people };
}

/** Returns a scenario of these phases, with defaults for everything else. */
export function scenario(phases: readonly PhaseSpec[], options: Partial<Omit<Scenario, 'phases'>> = {}): Scenario {
  return {
    seed: 1,
    phases,
    concurrency: 'unlimited',
    onFailure: 'continue',
    onLimit: 'stop',
    limits: {},
    attended: true,
    lifts: true,
    ...options,
  };
}
