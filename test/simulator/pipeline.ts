/**
 * The pipeline of a scenario, as each process builds it.
 *
 * @module
 */
import {
  approve,
  definePipeline,
  escalate,
  human,
  needsRework,
  phase,
  reject,
  retry,
  retryPredecessor,
  task,
  type Decision,
  type Inputs,
  type Pipeline,
  type ReviewContext,
  type Task,
  type TaskContext,
} from '../../src/index.ts';
import type { InboxItem, Reply } from '../../src/inbox.ts';
import { actOf, type PhaseSpec, type Place, type Scenario, type TaskSpec, type Verdict } from './scenario.ts';

/** One call of a worker by a process. */
export interface WorkerCall extends Place {
  readonly run: string;
  readonly phase: string;
  readonly worker: string;
  readonly isReview: boolean;
  readonly try: number;
  readonly key: string;
}

/** Does the work of a process: notes the call, lets time pass, and acts. A dead process never returns. */
export type Perform = <T>(call: WorkerCall, wait: () => Promise<void>, act: () => T) => Promise<T>;

/** Builds the pipeline of a scenario. */
export function build({ stages, concurrency, onExhausted }: Scenario, perform: Perform): Pipeline {
  return definePipeline({
    name: 'simulated',
    concurrency,
    phases: stages.flatMap((stage, at) => {
      const before = namesOf(stages[at - 1], at - 1);
      return stage.map((spec, index) =>
        phase(nameOf(at, index), {
          after: before,
          mode: spec.isParallel ? 'parallel' : 'sequential',
          tasks: spec.tasks.map((one, nth) => taskOf(one, `t${nth}`, before, perform)),
          ...(spec.gate !== 'none' && {
            review: {
              onExhausted,
              maxReviewErrors: 1,
              reviewBackoff: { first: 500, factor: 1, max: 500 },
              by: [reviewerOf(spec, before, perform)],
            },
          }),
        }),
      );
    }),
  });
}

/** The reply of people to an item. */
export function replyTo({ stages }: Scenario, item: InboxItem): Reply {
  const [at = 0, index = 0] = item.about.slice(1).split('.').map(Number);
  const spec = stages[at]?.[index];
  if (item.kind === 'task') return { type: 'value', value: outputOf(item, item.about, item.task ?? '') };
  if (item.kind === 'review') {
    const verdict = actOf(spec?.verdicts ?? [], item, 'approve');
    return { type: 'decide', decision: decisionOf(verdict, namesOf(stages[at - 1], at - 1), item) ?? approve() };
  }
  const act = actOf(spec?.people ?? [], item, 'approve');
  if (act === 'skip') return { type: 'skip' };
  if (act === 'reject' || (act === 'approve' && item.empty)) return { type: 'decide', decision: reject('No.') };
  return { type: 'decide', decision: act === 'retry' ? retry(`Once more after ${placeOf(item)}.`) : approve() };
}

// --- internal ---

/** Longer than records take inline. */
const LARGE = 'large '.repeat(3000);

function nameOf(stage: number, index: number): string {
  return `p${stage}.${index}`;
}

function namesOf(stage: readonly PhaseSpec[] | undefined, at: number): string[] {
  return (stage ?? []).map((_, index) => nameOf(at, index));
}

function placeOf({ generation, attempt }: Place): string {
  return `${generation}.${attempt}`;
}

function outputOf(place: Place, name: string, worker: string): string {
  return `${name}/${worker} at ${placeOf(place)}`;
}

function callOf(context: TaskContext, isReview = false): WorkerCall {
  const { run, generation, attempt, idempotencyKey: key } = context;
  return { run, phase: context.phase, worker: context.task, isReview, generation, attempt, try: context.try, key };
}

/** Lets time pass. It ends early, with an error, if the work is stopped. */
function working({ wait, signal }: Pick<TaskContext, 'wait' | 'signal'>, ms: number): () => Promise<void> {
  return async () => {
    await wait(ms);
    if (signal.aborted) throw new Error('The work was stopped.');
  };
}

function taskOf(
  spec: TaskSpec,
  name: string,
  before: readonly string[],
  perform: Perform,
): Task<string, unknown, Inputs> {
  const again = { retry: { attempts: 2, backoff: { first: 700, factor: 1, max: 700 } } };
  if (spec.kind === 'person') return task(name, { ...again, run: human({ question: `${name}?` }) });
  if (spec.kind === 'child') return task(name, { ...again, pipeline: () => childOf(spec, perform) });
  return task(name, {
    ...again,
    run: (context: TaskContext) =>
      perform(callOf(context), working(context, spec.ms), () => {
        const read = before.map((one) => Object.values(context.inputs[one] ?? {}).map(short));
        const place = placeOf(context);
        switch (actOf(spec.acts, context, 'put')) {
          case 'put':
            return [outputOf(context, context.phase, name), read];
          case 'same':
            return ['same', read];
          case 'large':
            return `${place} ${LARGE}`;
          case 'flaky':
            if (context.try === 1) throw new Error(`It broke at ${place}.`);
            return [`mended at ${place}`, read];
          case 'fail':
            throw new Error(`It breaks at ${place}.`);
          case 'rework':
            throw needsRework(before[0] ?? '', `Do it again for ${place}.`);
        }
      }),
  });
}

/** Two phases, of which the first is sent back once. */
function childOf({ ms }: TaskSpec, perform: Perform): Pipeline {
  const work = (name: string) =>
    task(name, {
      run: (context: TaskContext) =>
        perform(callOf(context), working(context, ms), () => outputOf(context, context.phase, name)),
    });
  return definePipeline({
    name: 'child',
    phases: [
      phase('c0', {
        tasks: [work('t0')],
        review: ({ attempt }) => (attempt === 0 ? retry('Once more.') : approve()),
      }),
      phase('c1', { after: ['c0'], tasks: [work('t1')] }),
    ],
  });
}

function reviewerOf(
  { gate, verdicts }: PhaseSpec,
  before: readonly string[],
  perform: Perform,
): Task<string, unknown, Inputs> {
  if (gate === 'person') return task('person', { run: human({ question: 'Well?' }) });
  return task('code', {
    retry: { attempts: 2, backoff: { first: 300, factor: 1, max: 300 } },
    run: (context: ReviewContext) =>
      perform(callOf(context, true), working(context, 200), () => {
        // A phase that has sent back another one starts over with the same numbers, and has fewer of its allowance.
        const { generation, attempt, rewindsLeft } = context;
        const spent = Object.values(rewindsLeft).reduce((sum, left) => sum + 2 - left, 0);
        const verdict = actOf(verdicts, { generation, attempt: attempt + spent }, 'approve');
        if (verdict === 'break' && context.try === 1) throw new Error('The reviewer broke.');
        return decisionOf(verdict, before, context) ?? 'Well, it is what it is.';
      }),
  });
}

function decisionOf(verdict: Verdict, before: readonly string[], place: Place): Decision | undefined {
  const { generation, attempt } = place;
  switch (verdict) {
    case 'approve':
    case 'break':
      return approve();
    case 'retry':
      return retry(`Better than at ${placeOf(place)}.`);
    case 'rewind':
      return retryPredecessor(before[(generation + attempt) % before.length] ?? '', `Other than at ${placeOf(place)}.`);
    case 'reject':
      return reject(`No, at ${placeOf(place)}.`);
    case 'escalate':
      return escalate(`Not sure at ${placeOf(place)}.`);
    case 'babble':
      return undefined;
  }
}

function short(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}
