/**
 * The plan of `phasegate fleet --plan`.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PLAN } from '../../fleet/approval.ts';
import { codeOf, errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { jsonIn, utf8In } from '../options/parse-json.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/**
 * Reads a plan from a JSON file: a plan, or the output of `phasegate show <run> --json` for a run that has made one.
 *
 * @returns The plan, unchecked.
 * @throws PhasegateError `FILE_UNREADABLE`; `PLAN_INVALID` if the file is no JSON, or its run has no approved plan.
 */
export async function readPlanFile(file: string, io: ProgramIo): Promise<unknown> {
  const text = utf8In(await bytesOf(file, io), `the plan "${file}"`);
  const value = jsonIn(text, 'PLAN_INVALID', `Cannot read the plan "${file}" as it is no JSON`, HINT);
  const run = shownRun.safeParse(value);
  if (!run.success) return value;
  const planned = approvedPlan.safeParse(run.data.phases[PLAN]);
  if (!planned.success) throw notApproved(file, run.data.runId);
  return planned.data.outputs[PLAN];
}

// --- internal ---

/** A run as `show --json` prints it. A plan has no `runId`, and its `phases` are a list. */
const shownRun = z.object({ runId: z.string(), phases: z.record(z.string(), z.unknown()) });

const approvedPlan = z.object({
  status: z.literal('approved'),
  outputs: z.object({ [PLAN]: z.record(z.string(), z.unknown()) }),
});

async function bytesOf(file: string, io: ProgramIo): Promise<Buffer> {
  try {
    return await readFile(placeOf(file, io));
  } catch (cause) {
    const isMissing = codeOf(cause) === 'ENOENT';
    const found = isMissing ? 'there is no such file' : errorInfo(cause).message;
    throw new PhasegateError('FILE_UNREADABLE', `Cannot read the plan "${file}" as ${found}`, {
      hint: 'Name a JSON file with a plan, relative to this folder.',
      cause,
    });
  }
}

const HINT = 'Write { "goal": "…", "subtasks": [{ "id": "1", "title": "…", "description": "…" }] }.';

function notApproved(file: string, runId: string): PhasegateError {
  const problem = `Cannot read the plan "${file}" as its run ${oneLine(runId)} has no approved plan`;
  return new PhasegateError('PLAN_INVALID', problem, {
    hint: 'Approve the plan with phasegate inbox, resume the run, then save the run again: phasegate show <run> --json > plan.json',
  });
}
