/**
 * The file that `phasegate fleet` writes as the definition of a run.
 *
 * @module
 */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ListedRun } from '../../store/port.ts';
import { DEFAULT_STORE } from './defaults.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';

/** Returns the path of the definition of a run. */
export function definitionPath(runId: string, io: ProgramIo): string {
  return placeOf(join(dirname(DEFAULT_STORE), 'fleets', `${encodeURIComponent(runId)}.json`), io);
}

/**
 * Removes the definition of a run that is removed, as it contains a goal and a plan. A definition that another run has as well stays. A file
 * stays if `phasegate fleet` has written it neither for the run nor for the one that it is a fork of.
 *
 * @param others Runs that stay.
 */
export async function removeDefinition(
  { runId, forkOf = runId, source }: ListedRun,
  others: readonly ListedRun[],
  io: ProgramIo,
): Promise<void> {
  const path = [runId, forkOf].map((id) => definitionPath(id, io)).find((one) => one === source);
  if (path !== undefined && !others.some((one) => one.source === path)) await rm(path, { force: true });
}
