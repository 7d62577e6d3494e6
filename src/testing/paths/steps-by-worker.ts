/**
 * The steps of a script while a path is written: a list for each worker and each person.
 *
 * @module
 */
import { approve, escalate, reject, retry, retryPredecessor } from '../../model/decision/decision.ts';
import { fullName, type Script, type StepsByName, type WorkerKind } from '../rehearsal/script.ts';
import { aborts, answers, fails, reports, skips, stepOf, takes, type Step } from '../rehearsal/step.ts';
import type { Act } from '../decisions/decision.ts';
import { sampleOf } from './known.ts';
import { ownStep } from './own-steps.ts';
import { unknownPart } from './refused.ts';
import type { Seat, Setting, Worker } from '../decisions/setting.ts';

/** The step of a task. */
interface TaskStep {
  readonly step?: Step | undefined;
  readonly use?: ((step: unknown) => Step) | undefined;
}

/** Lists of steps by worker. */
export class StepsByWorker {
  readonly #setting: Setting;
  readonly #own: StepsByName;
  readonly #lists: Readonly<Record<WorkerKind | 'people', Map<string, unknown[]>>>;

  /** @param own Steps of the user for tasks. */
  constructor(setting: Setting, own: StepsByName) {
    this.#setting = setting;
    this.#own = own;
    const lists = (names: (seat: Seat) => readonly string[]): Map<string, unknown[]> =>
      new Map(setting.seats.flatMap((seat) => names(seat).map((name) => [fullName(seat.name, name), []])));
    const machines = (all: readonly Worker[]): readonly string[] =>
      all.flatMap(({ name, question }) => (question ? [] : name));
    this.#lists = {
      tasks: lists(({ tasks }) => machines(tasks)),
      reviews: lists(({ gate }) => machines(gate?.reviewers ?? [])),
      checks: lists(({ gate }) => gate?.plan.checks ?? []),
      reflections: new Map(),
      people: new Map(),
    };
  }

  /** Adds the step of a task. @param step A step; otherwise the sample of its schema. @param use Adds usage to the step. */
  task({ name: phase }: Seat, worker: Worker, ms: number, { step, use = stepOf }: TaskStep = {}): void {
    const list = this.#listOf(worker.question ? 'people' : 'tasks', fullName(phase, worker.name));
    const made = step ?? this.#sampleOf(phase, worker, list.length + 1);
    list.push(this.#timed(phase, worker, ms, use(made)));
  }

  /** Adds the step of a reviewer. */
  review({ name: phase }: Seat, worker: Worker, ms: number, step: unknown): void {
    const list = this.#listOf(worker.question ? 'people' : 'reviews', fullName(phase, worker.name));
    list.push(this.#timed(phase, worker, ms, step));
  }

  /** Adds the step of a check. */
  check({ name: phase }: Seat, check: string, ms: number, step: unknown): void {
    this.#requireTime(fullName(phase, check), ms, this.#setting.work.phases.get(phase)?.checks.get(check)?.timeout);
    this.#listOf('checks', fullName(phase, check)).push(takes(ms, step));
  }

  /** Adds the answer of a person about a phase or a limit. */
  person(about: string, ms: number, step: unknown): void {
    this.#listOf('people', about).push(takes(ms, step));
  }

  /** The script. */
  script(): Pick<Script, WorkerKind | 'people'> {
    const { tasks, reviews, checks, people } = this.#lists;
    return {
      tasks: Object.fromEntries(tasks),
      reviews: Object.fromEntries(reviews),
      checks: Object.fromEntries(checks),
      people: Object.fromEntries(people),
      reflections: { '*': 'A reflection.' },
    };
  }

  #listOf(kind: WorkerKind | 'people', name: string): unknown[] {
    const list = this.#lists[kind].get(name) ?? [];
    this.#lists[kind].set(name, list);
    return list;
  }

  #timed(phase: string, { name, plan, question }: Worker, ms: number, step: unknown): Step {
    if (!question) this.#requireTime(fullName(phase, name), ms, plan.timeout);
    const made = takes(ms, step);
    // A try that reports nothing is charged its estimate.
    return Object.keys(plan.estimate).length > 0 && !question ? reports({ tokens: 0, costUsd: 0 }, made) : made;
  }

  #requireTime(name: string, ms: number, timeout = 0): void {
    if (timeout === 0 || ms < timeout) return;
    throw unknownPart(
      this.#setting.plan.name,
      `"${name}" has to wait ${ms} ms for the decisions of others, and its timeout is ${timeout} ms`,
      'Give it a longer timeout, or its neighbours a shorter reviewBackoff.',
    );
  }

  #sampleOf(phase: string, { name, question }: Worker, nth: number): unknown {
    const its = this.#setting.work.phases.get(phase)?.tasks.get(name);
    const own = question ? [] : ownStep(this.#setting, this.#own, phase, name, nth);
    if (own.length > 0) return own[0];
    if (question?.choices) return question.choices[nth % question.choices.length];
    return sampleOf(this.#setting, phase, name, its?.output ?? question?.schema, nth);
  }
}

/** Returns the answer of a reviewer or a person. @param nth The number of the decision, as words that repeat are a loop. */
export function answerOf({ about, decision, target }: Act, nth: number): unknown {
  const words = `Decision ${nth}, about ${about}.`;
  switch (decision) {
    case 'retry':
      return retry(words);
    case 'retryPredecessor':
      return retryPredecessor(target ?? '', words);
    case 'reject':
      return reject(words);
    case 'escalate':
      return escalate(words);
    case 'unreadable':
      return `${words} It is no verdict.`;
    case 'unsure':
      return { ...retry(words), confidence: 0 };
    case 'reviewError':
      return fails(unavailable(words));
    case 'approve':
    case 'done':
    case 'failedCheck':
    case 'failedTask':
    case 'spentLimit':
    case 'skip':
    case 'abort':
    case 'expire':
      return approve();
  }
}

/** Returns the answer of a reviewer. A person neither fails nor answers without a verdict, but may be unsure. */
export function reviewOf({ question }: Worker, act: Act, nth: number): unknown {
  const isFailure = act.decision === 'unreadable' || act.decision === 'reviewError';
  return answerOf(question && isFailure ? { ...act, decision: 'unsure' } : act, nth);
}

/** An error after which the work is not tried again; the review is. */
export function unavailable(words: string): Error {
  return Object.assign(new Error(`Scripted failure. ${words}`), { retryable: false, permanent: false });
}

/** The answer of a person to a question. */
export function personalAnswer(act: Act, nth: number): Step {
  if (act.decision === 'skip') return skips(`Decision ${nth}.`);
  if (act.decision === 'abort') return aborts(`Decision ${nth}.`);
  return answers(answerOf(act, nth), { by: 'a person' });
}
