/**
 * `phasegate plan`.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunResult } from '../../projections/run/run-result.ts';
import { keptFilesOf, type OpenStore } from '../options/store-option.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { outputFile } from '../process/output-file.ts';
import { writeNew } from '../process/write-out.ts';
import { nextSteps } from '../show/next-steps.ts';
import { fleetCommand, plannedIn, planSteps, saveCommand } from '../show/plan-steps.ts';
import { span, type Line } from '../terminal/line.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { runFleet, type FleetFlags } from './run-fleet.ts';

/** Flags of `phasegate plan`. */
export interface PlanFlags extends FleetFlags {
  /** A new file for the approved plan. */
  readonly output?: string | undefined;
}

/** Has an agent plan a goal. Writes the approved plan to a new file if the user names one. */
export async function runPlan(goal: string, { output, ...flags }: PlanFlags, io: ProgramIo): Promise<ExitCode> {
  // An architect must not be paid for a plan that cannot be written.
  if (output !== undefined) await requireNew(output, flags, io);
  let ended: RunResult<unknown> | undefined;
  let later = '';
  const ending = async (result: RunResult<unknown>, opened: OpenStore | undefined): Promise<readonly Line[]> => {
    ended = result;
    if (opened && output !== undefined) later = ` Once it is: ${saveCommand(result.runId, opened, output)}`;
    const steps = output === undefined && opened ? planSteps(result, opened, flags.agent) : [];
    if (opened) return nextSteps(result, opened, steps);
    return output === undefined && plannedIn(result) ? [[span(`  ${UNSTORED}`, 'warn')]] : [];
  };
  const code = await runFleet(goal, flags, io, { planOnly: true, ending });
  if (output === undefined || !ended) return code;
  const plan = plannedIn(ended);
  if (plan) {
    await writePlan(output, `${JSON.stringify(plan, null, 2)}\n`, io);
    if (!flags.json) io.stdout.write(`  carry it out with: ${fleetCommand(output, flags.agent)}\n`);
  } else io.stderr.write(`phasegate: "${output}" was not written, as the plan is not approved.${later}\n`);
  return code;
}

// --- internal ---

const UNSTORED = 'its plan is kept nowhere: give -o <file>, or a store';

async function requireNew(file: string, flags: FleetFlags, io: ProgramIo): Promise<void> {
  const { path } = outputFile(file, keptFilesOf(flags, io), io);
  if (existsSync(path)) throw taken(file);
  await access(dirname(path), constants.W_OK).catch((cause: unknown) => {
    throw unwritable(file, cause);
  });
}

/** Writes a file that must not exist. */
async function writePlan(file: string, text: string, io: ProgramIo): Promise<void> {
  try {
    await writeNew(placeOf(file, io), text);
  } catch (cause) {
    throw codeOf(cause) === 'EEXIST' ? taken(file) : unwritable(file, cause);
  }
}

function taken(file: string): PhasegateError {
  return new PhasegateError('FILE_EXISTS', `Cannot write the plan to "${file}" as the file exists already`, {
    hint: 'Name another file, or rename that one.',
  });
}

function unwritable(file: string, cause: unknown): PhasegateError {
  return new PhasegateError('FILE_UNREADABLE', `Cannot write the plan to "${file}": ${errorInfo(cause).message}`, {
    hint: 'Name a file in a folder that you may write to.',
    cause,
  });
}
