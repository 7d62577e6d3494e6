/**
 * The context of handlers.
 *
 * @module
 */
import type { Inputs, Outputs, Report, TaskContext, TaskRevision } from '../../model/handlers/task.ts';
import { startOf, workKey } from '../../model/handlers/work-key.ts';
import { inputsForHandler } from '../../model/ledger/input-view.ts';
import { reporterOf } from './handler-reports.ts';
import type { Try } from './single-try.ts';
import { renderedPrompt, revisionOf } from './task-prompt.ts';

/**
 * The context of one try. Costly parts are computed when a handler reads them.
 *
 * A class, because an object literal with accessors is a slow dictionary in V8, which showed in every phase; accessors of a
 * prototype are not.
 */
export class HandlerContext implements TaskContext {
  readonly description: string;
  readonly input: unknown;
  readonly inputs: Inputs;
  readonly context: Outputs;
  readonly attempt: number;
  readonly generation: number;
  readonly try: number;
  readonly run: string;
  readonly phase: string;
  readonly task: string;
  readonly report: (report: Report) => void;
  readonly #one: Try;
  #prompt: string | undefined;

  constructor(one: Try) {
    const { scope, plan, inputs, outputs } = one.trial;
    const { origin, attempt } = scope.input;
    this.description = plan.description;
    this.input = origin.input;
    this.inputs = inputsForHandler(inputs);
    this.context = outputs;
    this.attempt = attempt;
    this.generation = origin.generation;
    this.try = one.number;
    this.run = origin.run;
    this.phase = origin.phase.name;
    this.task = plan.name;
    this.report = reporterOf(one);
    this.#one = one;
  }

  get prompt(): string {
    if (this.#prompt === undefined) {
      this.#prompt = renderedPrompt(this.#one);
      this.#one.prompt = this.#prompt;
    }
    return this.#prompt;
  }

  get revision(): TaskRevision | undefined {
    const revision = revisionOf(this.#one);
    if (revision) this.#one.revised = true;
    return revision;
  }

  get artifacts(): TaskContext['artifacts'] {
    return this.#one.trial.scope.input.background.recollection?.artifacts ?? NOTHING;
  }

  get signal(): AbortSignal {
    return this.#one.signal;
  }

  get wait(): TaskContext['wait'] {
    const one = this.#one;
    return (ms) => waitFor(one, ms);
  }

  get idempotencyKey(): string {
    const { role, scope, run: again } = this.#one.trial;
    const { origin, review, attempt, renewals } = scope.input;
    const { run, phase, generation } = origin;
    // A review that is repeated after an error is different work as well, and so is a check that is run again.
    const asked = role === 'review' || role === 'check' ? [review.errors + 1] : [];
    const counts = again === undefined ? asked : [...asked, again];
    return workKey([run, phase.name, startOf(generation, renewals), attempt, role, this.task, ...counts]);
  }
}

// --- internal ---

const NOTHING: readonly never[] = Object.freeze([]);

function waitFor({ isOver, signal, trial: { scope } }: Try, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (isOver || signal.aborted) {
      resolve();
      return;
    }
    const timer = scope.after(ms, end);
    signal.addEventListener('abort', end);
    function end(): void {
      timer.stop();
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}
