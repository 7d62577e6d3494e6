/**
 * The start of a run on Restate: the checks of its pipeline, its id and its input.
 *
 * @module
 */
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { Pipeline } from '../model/definition/define.ts';
import { errorInfo, PhasegateError } from '../model/errors/phasegate-error.ts';
import { lowered } from '../model/events/run-limits.ts';
import type { PipelineInput } from '../runtime/steps/run-step.ts';
import { startInput } from '../runtime/start.ts';
import { refuseUnsupported } from '../runtime/steps/unsupported.ts';
import { checkNewRunId } from '../store/run-id.ts';
import { refused, type Answered } from './messages.ts';
import { bytesOf, MOST_BYTES, runTooLarge } from './run-size.ts';
import { readRequest, startRequest } from './requests.ts';

/**
 * Validates the start of a run. The schema of its input runs once, even if the handler runs again.
 *
 * @param checkId Refuses ids. @default those that are not safe everywhere
 */
export async function beginRun(
  ctx: ObjectContext,
  pipelines: ReadonlyMap<string, Pipeline<unknown>>,
  request: unknown,
  checkId: (id: unknown) => void = checkNewRunId,
): Promise<Answered<PipelineInput>> {
  try {
    const { pipeline: name, input, attended, limits } = readRequest(startRequest, 'start', request);
    checkId(ctx.key);
    const made = pipelines.get(name);
    if (!made) throw unserved(name, [...pipelines.keys()]);
    const { work } = made;
    const plan = lowered(made.plan, limits);
    const pipeline = { name, work, plan };
    refuseUnsupported(pipeline);
    const begun = await ctx.run('input', async (): Promise<Answered<PipelineInput>> => {
      try {
        return { ok: true, value: await startInput(pipeline, ctx.key, { input, attended, limits, kept: true }) };
      } catch (error) {
        // A schema that throws would throw again.
        return refused(PhasegateError.is(error) ? error : brokenSchema(name, error));
      }
    });
    if (!begun.ok) return begun;
    const bytes = bytesOf(begun.value.input);
    if (bytes > MOST_BYTES) throw runTooLarge('Cannot start the run with this input', bytes);
    return { ok: true, value: { ...begun.value, plan } };
  } catch (error) {
    return refused(error);
  }
}

// --- internal ---

function unserved(name: string, known: readonly string[]): PhasegateError {
  const problem = `Cannot start a run of pipeline ${JSON.stringify(name)} as no worker serves a pipeline of that name`;
  const hint = `Pass it to restateServices(). Served are ${known.map((one) => `"${one}"`).join(', ')}.`;
  return new PhasegateError('DEFINITION_INVALID', problem, { hint });
}

function brokenSchema(name: string, cause: unknown): PhasegateError {
  const problem = `Cannot start a run of pipeline "${name}" as its schema throws for the input: ${errorInfo(cause).message}`;
  return new PhasegateError('INPUT_INVALID', problem, { hint: 'Pass an `input` that the schema accepts.', cause });
}
