/**
 * The file that `phasegate fleet` writes as the definition of a run.
 *
 * @module
 */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ListedRun, RunStore } from '../../store/port.ts';
import { DEFAULT_STORE } from './defaults.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';

/** Returns the path of the definition of a run. */
export function definitionPath(runId: string, io: ProgramIo): string {
  return placeOf(join(dirname(DEFAULT_STORE), 'fleets', `${encodeURIComponent(runId)}.json`), io);
}

/**
 * Removes the definitions of removed runs, as they contain goals and plans. A definition that another run has as well stays. A file
 * stays if `phasegate fleet` has written it neither for the run nor for the one that it is a fork of.
 */
export async function removeDefinitions(
  removed: readonly ListedRun[],
  store: Pick<RunStore, 'runs'>,
  io: ProgramIo,
): Promise<void> {
  const paths = removed.flatMap(({ runId, forkOf = runId, source }) =>
    [runId, forkOf].map((id) => definitionPath(id, io)).filter((path) => path === source),
  );
  if (paths.length === 0) return;
  const used = new Set((await store.runs()).map(({ source }) => source));
  for (const path of paths) if (!used.has(path)) await rm(path, { force: true });
}
