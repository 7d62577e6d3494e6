/**
 * Submitting of runs: storing the first record of a run, for a worker to begin.
 *
 * @module
 */
import { newId } from '../../model/values/new-id.ts';
import { startOf } from '../../machines/coordinator/begin-run.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { EventOf } from '../../model/events/event.ts';
import { guardRedact } from '../../model/events/guard-redact.ts';
import { redactSecrets } from '../../model/events/redact.ts';
import { lowered } from '../../model/events/run-limits.ts';
import { isSameJson } from '../../model/values/json.ts';
import type { RunStore } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { checkNewRunId } from '../../store/run-id.ts';
import { copyRun } from '../records/copy-run.ts';
import { patientStore } from '../records/patient-store.ts';
import { checkOptions, checkPipeline, type RunOptions } from '../run.ts';
import { startInput } from '../start.ts';

/** Options of {@link submitRun}, as those of `startRun`. */
export type SubmitOptions<I = unknown> = Pick<
  RunOptions<I>,
  'input' | 'runId' | 'source' | 'redact' | 'attended' | 'memory' | 'tags' | 'limits'
>;

/**
 * Stores a run for a worker to begin. Nothing of it works in this process.
 *
 * Submitting a run again with the same id, pipeline and input changes nothing, also if its tags differ. So a caller who got no answer may
 * try again.
 *
 * @returns The id of the run.
 * @throws PhasegateError `INPUT_INVALID`; `TAG_INVALID`; `INPUT_MASKED` if `redact` masks the input, which the worker would get; `RUN_EXISTS` if
 *   another run has the id; an error of the store.
 */
export async function submitRun<O, I>(
  given: RunStore,
  made: Pipeline<O, I>,
  options: SubmitOptions<I> = {},
): Promise<string> {
  checkPipeline(made, 'submit a run');
  checkOptions(options, 'submit a run');
  const store = patientStore(given);
  const pipeline = { name: made.name, work: made.work, plan: lowered(made.plan, options.limits) };
  const { runId = newId(), redact = redactSecrets, source } = options;
  checkNewRunId(runId);
  const event = guardRedact(redact)(startOf(await startInput(pipeline, runId, { ...options, store })));
  if (event.type !== 'run.started' || event.masked) throw inputMasked(runId);
  if (await isSubmitted(store, runId, event)) return runId;
  try {
    await copyRun(store, runId, [{ runId, seq: 1, time: Date.now(), event }], { source });
  } catch (error) {
    // Another process may have submitted the same run in between.
    if (!(await isSubmitted(store, runId, event))) throw error;
  }
  return runId;
}

// --- internal ---

/** True if the store has this run already. @throws PhasegateError `RUN_EXISTS` if it has another with the id. */
async function isSubmitted(store: RunStore, runId: string, event: EventOf<'run.started'>): Promise<boolean> {
  const [first] = await readRun(store, runId, 1, 1);
  if (!first) return false;
  const known = first.event;
  const isSame =
    known.type === 'run.started' &&
    known.fingerprint === event.fingerprint &&
    isSameJson([known.input, known.given ?? null], [event.input, event.given ?? null]);
  if (isSame) return true;
  throw new PhasegateError('RUN_EXISTS', `Cannot submit run ${runId} as the store has another run with that id`, {
    hint: 'It has another pipeline or input. Submit this one with another id.',
  });
}

function inputMasked(runId: string): PhasegateError {
  const problem = `Cannot submit run ${runId} as \`redact\` masks its input, and the worker would get the masked text`;
  return new PhasegateError('INPUT_MASKED', problem, {
    hint: 'Pass the name of an environment variable as input, and read the secret in a task of the worker.',
  });
}
