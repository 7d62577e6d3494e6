/**
 * Ids that users give to new runs.
 *
 * @module
 */
import { dirname } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { remainingRefs } from '../../workspaces/operations/remaining-refs.ts';
import type { OpenStore } from '../options/store-option.ts';
import { pageOf } from '../terminal/doc-pages.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';

/** A run to start. */
export interface Wanted {
  readonly runId: string;
  /** The file of its pipeline. */
  readonly file: string;
  readonly opened: OpenStore | undefined;
  /** True to let a run that the store already has pass, as `submitRun` compares it. */
  readonly detach: boolean;
}

/**
 * Refuses an id that another run has, or had: agents of a removed run have left their work in the repository, and the new run would
 * take it for its own.
 *
 * @throws PhasegateError `RUN_EXISTS`
 */
export async function requireFreeId({ runId, file, opened, detach }: Wanted, io: ProgramIo): Promise<void> {
  if (await opened?.store.run(runId)) {
    if (detach) return;
    throw new PhasegateError(
      'RUN_EXISTS',
      `Cannot start run ${runId} as the store ${opened?.name} has a run with that id`,
      { hint: 'Resume that run, or start another.' },
    );
  }
  for (const folder of new Set([io.cwd, dirname(placeOf(file, io))])) {
    const refs = await remainingRefs(folder, runId);
    if (!refs) continue;
    const { branch, root } = refs;
    throw new PhasegateError(
      'RUN_EXISTS',
      `Cannot use the id ${runId} again as the repository has work of an earlier run with it: ${branch}, ${root}/…`,
      { hint: `Leave --run-id out, or give another. Or remove that work: ${pageOf('fleet.md#refs')}` },
    );
  }
}
