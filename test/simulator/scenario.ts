/**
 * Random runs: pipelines whose outcome does not depend on time, and their people.
 *
 * A run that is disturbed must end as the one that was not. So every act follows from the place where it is needed, and from nothing
 * else: the phase, the task, the generation, the attempt and the try. Phases are arranged in stages. Only a phase that is alone in its
 * stage sends back earlier ones, as the order of such requests by phases at work together depends on their speed.
 *
 * @module
 */
import fc from 'fast-check';

/** The act of a task. `flaky` fails at its first try, `fail` at each; `same` returns the same output in each attempt. */
export type TaskAct = 'put' | 'same' | 'large' | 'flaky' | 'fail' | 'rework';

/** The verdict of a reviewer, or of a person. `break` throws at its first try, `babble` is none. */
export type Verdict = 'approve' | 'retry' | 'rewind' | 'reject' | 'escalate' | 'break' | 'babble';

/** The answer of a person to an escalation. */
export type PersonAct = 'approve' | 'retry' | 'reject' | 'skip';

/** A task. `child` runs a pipeline of its own, `person` asks one. */
export interface TaskSpec {
  readonly kind: 'work' | 'child' | 'person';
  readonly acts: readonly TaskAct[];
  /** Milliseconds of work. */
  readonly ms: number;
}

export interface PhaseSpec {
  readonly tasks: readonly TaskSpec[];
  readonly isParallel: boolean;
  readonly gate: 'none' | 'code' | 'person';
  readonly verdicts: readonly Verdict[];
  readonly people: readonly PersonAct[];
}

/** A run without its faults. JSON. */
export interface Scenario {
  /** Phases of one stage work at the same time. Each has all phases of the stage before as predecessors. */
  readonly stages: readonly (readonly PhaseSpec[])[];
  readonly concurrency: 'unlimited' | 1 | 2;
  readonly onExhausted: 'reject' | 'accept' | 'escalate';
  /** True if the store returns its results at once, as a file does, and no promises. */
  readonly isSync: boolean;
  /** True if the store takes batches of several runs at once. */
  readonly isGrouped: boolean;
  /** The place where people answer: the process that works on the run, the store, or one of them here and the other there. */
  readonly answers: 'process' | 'store' | 'both';
  /** If `suspend`, a run that only waits is let go, and continued when its store says that it is ready. */
  readonly whileWaiting: 'hold' | 'suspend';
}

/** The act for an attempt. After the end of the list all goes well. */
export function actOf<A>(acts: readonly A[], { generation, attempt }: Place, well: A): A {
  return acts[generation * 3 + attempt] ?? well;
}

/** A place in a run at which something is needed. */
export interface Place {
  readonly generation: number;
  readonly attempt: number;
}

/** The parts of random scenarios: people as tasks, reviewers and answers; tasks that run pipelines. */
export interface Scope {
  readonly people: boolean;
  readonly children: boolean;
}

/** Generates scenarios. They shrink to one phase in which all goes well. */
export function scenarios({ people, children }: Scope): fc.Arbitrary<Scenario> {
  return fc
    .record({
      stages: fc.array(fc.array(phases(people, children), { minLength: 1, maxLength: 2 }), {
        minLength: 1,
        maxLength: 3,
      }),
      concurrency: fc.constantFrom<Scenario['concurrency'][]>('unlimited', 1, 2),
      onExhausted: fc.constantFrom<Scenario['onExhausted'][]>('reject', 'accept', people ? 'escalate' : 'accept'),
      isSync: fc.boolean(),
      isGrouped: fc.boolean(),
      answers: fc.constantFrom<Scenario['answers'][]>('process', 'store', 'both'),
      whileWaiting: fc.constantFrom<Scenario['whileWaiting'][]>('hold', 'suspend'),
    })
    .map(bounded);
}

// --- internal ---

function phases(people: boolean, children: boolean): fc.Arbitrary<PhaseSpec> {
  const kinds: readonly TaskSpec['kind'][] = [people ? 'person' : 'work', children ? 'child' : 'work'];
  return fc.record({
    tasks: fc.array(
      fc.record({
        kind: usually<TaskSpec['kind']>('work', 3, kinds),
        acts: fc.array(usually<TaskAct>('put', 2, ['same', 'large', 'flaky', 'fail', 'rework']), { maxLength: 4 }),
        ms: fc.nat(4000),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    isParallel: fc.boolean(),
    gate: fc.constantFrom<PhaseSpec['gate'][]>('none', 'code', people ? 'person' : 'code'),
    verdicts: fc.array(usually<Verdict>('approve', 1, people ? [...VERDICTS, 'escalate'] : VERDICTS), { maxLength: 4 }),
    people: fc.array(fc.constantFrom<PersonAct[]>('approve', 'retry', 'reject', 'skip'), { maxLength: 3 }),
  });
}

const VERDICTS: readonly Verdict[] = ['retry', 'rewind', 'retry', 'reject', 'break', 'babble'];

/** Generates a value that is the usual one with a weight, and else one of the others. */
function usually<T>(usual: T, weight: number, others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

/** Replaces acts whose outcome would depend on time. */
function bounded(scenario: Scenario): Scenario {
  const stages = scenario.stages.map((stage, index) => {
    const mayRewind = stage.length === 1 && index > 0;
    return stage.map((spec): PhaseSpec => ({
      ...spec,
      tasks: spec.tasks.map((one) => ({
        ...one,
        // If a task fails for good, the end of its sibling depends on its speed.
        acts: one.acts.map((act) => {
          if (act === 'rework' && (!mayRewind || spec.tasks.length > 1)) return 'put';
          return act === 'fail' && spec.tasks.length > 1 ? 'flaky' : act;
        }),
      })),
      verdicts: spec.verdicts.map((verdict) => (verdict === 'rewind' && !mayRewind ? 'retry' : verdict)),
    }));
  });
  return { ...scenario, stages };
}
