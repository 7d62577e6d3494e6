/**
 * Rehearsals: real runs of a pipeline with scripted workers and people, in virtual time.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import type { RunOutcome } from '../../projections/run/run-result.ts';
import { checkPipeline } from '../../runtime/run.ts';
import { noteRun } from '../noted-runs.ts';
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
  readonly prompts: (name: string) => readonly string[];
  /** The rehearsal as JSON, with all values in place of functions: `rehearse(pipeline, trace)` replays it. */
  readonly trace: Trace;
}

/** A script, the trace of an earlier rehearsal, or a path. */
type Rehearsable<I> = Script<I> | Trace | { readonly script: Script };

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
export async function rehearse<O, I>(pipeline: Pipeline<O, I>, script: Rehearsable<I> = {}): Promise<RehearsedRun<O>> {
  const run = await rehearseUnnoted(pipeline, script);
  noteRun(run.records);
  return run;
}

/** As {@link rehearse}, but the run counts in no coverage of the tests. Generated runs show nearly everything. */
export async function rehearseUnnoted<O, I>(
  pipeline: Pipeline<O, I>,
  script: Rehearsable<I>,
): Promise<RehearsedRun<O>> {
  checkPipeline(pipeline);
  if (typeof script !== 'object' || script === null)
    throw new PhasegateError(
      'SCRIPT_INVALID',
      `Cannot rehearse pipeline "${pipeline.name}" as the script is no object`,
      {
        hint: "Give steps by name: { tasks: { draft: 'a draft' }, reviews: { '*': approve() } }.",
      },
    );
  const own = 'script' in script ? script.script : script;
  const given: Script = isTrace(own) ? scriptOf(pipeline.name, own) : own;
  const rehearsing = new Rehearsing(pipeline, given);
  const result = await rehearsing.toEnd();
  const { done, prompts } = rehearsing.performer;
  const trace = traceOf(pipeline.name, given, done);
  return {
    result,
    records: await rehearsing.records(),
    defects: result.defects,
    prompts: (name) => promptsOf(prompts, name),
    trace,
  };
}

// --- internal ---

function promptsOf(workers: ReadonlyMap<string, readonly string[]>, name: string): readonly string[] {
  const all = [...workers].map(([key, prompts]) => ({ name: key.slice(key.indexOf('/') + 1), prompts }));
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
