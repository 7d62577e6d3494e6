/**
 * Rehearsals: real runs of a pipeline with scripted workers and people, in virtual time.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import type { RunRecord } from '../../model/events/event.ts';
import type { RunOutcome } from '../../projections/run/run-result.ts';
import { checkPipeline } from '../../runtime/run.ts';
import { Rehearsing } from './rehearsing.ts';
import type { Script } from './script.ts';
import { isTrace, scriptOf, traceOf, type Trace } from './trace.ts';

/** A rehearsal that has ended. */
export interface RehearsedRun<O = unknown> {
  readonly result: RunOutcome<O>;
  /** All records, in order, with those of every process. */
  readonly records: readonly RunRecord[];
  /** The defects that the gates have found. */
  readonly defects: RunOutcome<O>['defects'];
  /**
   * The prompt of each call of a task, or of a reviewer, in order.
   *
   * @param name `phase.task`, or the task or the phase alone if that names one worker.
   * @throws RangeError if no call of that name had a prompt.
   */
  prompts(name: string): readonly string[];
  /** The rehearsal as JSON, with all values in place of functions: `rehearse(pipeline, trace)` replays it. */
  readonly trace: Trace;
}

/**
 * Runs a pipeline with scripted workers and people. Machines, gates, prompts, schemas, limits and the store are real. Time is virtual, so
 * that a wait of a week takes no time. Nothing of the pipeline's own work runs, but for steps `asDefined()`.
 *
 * @param script The steps of each worker and person, the trace of an earlier rehearsal, or a path of `paths`.
 * @throws PhasegateError `SCRIPT_INVALID` if the script lacks a worker or a person, names one that does not exist, or ends too early;
 *   `REHEARSAL_STUCK` if the run has not ended and nothing is left that could happen; and as `resumeRun` does after a crash.
 *
 * @example
 * ```ts
 * const run = await rehearse(pipeline, {
 *   tasks: { write: ['draft 1', fails('no connection'), 'draft 2'] },
 *   reviews: { '*': [retry('Name the index.'), approve()] },
 * });
 * run.prompts('write')[1].includes('Name the index.');
 * ```
 */
export async function rehearse<O, I>(
  pipeline: Pipeline<O, I>,
  script: Script<I> | Trace | { readonly script: Script } = {},
): Promise<RehearsedRun<O>> {
  checkPipeline(pipeline);
  const own = 'script' in script ? script.script : script;
  const given: Script = isTrace(own) ? scriptOf(pipeline.name, own) : own;
  const rehearsing = new Rehearsing(pipeline, given);
  const result = await rehearsing.toEnd();
  const { done, prompts } = rehearsing.performer;
  const trace = traceOf(pipeline.name, given, done);
  return new EndedRehearsal(result, await rehearsing.records(), prompts, trace);
}

// --- internal ---

class EndedRehearsal<O> implements RehearsedRun<O> {
  readonly result: RunOutcome<O>;
  readonly records: readonly RunRecord[];
  readonly trace: Trace;
  readonly #prompts: ReadonlyMap<string, readonly string[]>;

  constructor(
    result: RunOutcome<O>,
    records: readonly RunRecord[],
    prompts: ReadonlyMap<string, readonly string[]>,
    trace: Trace,
  ) {
    this.result = result;
    this.records = records;
    this.#prompts = prompts;
    this.trace = trace;
  }

  get defects(): RunOutcome<O>['defects'] {
    return this.result.defects;
  }

  prompts(name: string): readonly string[] {
    const all = [...this.#prompts].map(([key, prompts]) => ({ name: key.slice(key.indexOf('/') + 1), prompts }));
    const exact = all.filter((one) => one.name === name);
    const found =
      exact.length > 0 ? exact : all.filter((one) => one.name.startsWith(`${name}.`) || one.name.endsWith(`.${name}`));
    const [first] = found;
    if (first && found.length === 1) return first.prompts;
    const known = (found.length > 1 ? found : all).map((one) => `"${one.name}"`).join(', ');
    throw new RangeError(
      found.length > 1
        ? `Cannot find the prompts of "${name}" as it may mean ${known}`
        : `Cannot find the prompts of "${name}" as no call of it had one; there are prompts of ${known || 'nobody'}`,
    );
  }
}
