/**
 * `phasegate run --detach`.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import type { RunOptions } from '../../runtime/run.ts';
import { poolsOf } from '../../runtime/workers/pooled-work.ts';
import { submitRun } from '../../runtime/workers/submit-run.ts';
import { openStore, storeArgument, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { print } from '../terminal/print.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { argument } from '../terminal/text.ts';

/** Stores a run for a worker to begin. Prints its id. */
export async function submitFile(
  file: string,
  pipeline: Pipeline,
  opened: OpenStore | undefined,
  options: Pick<RunOptions, 'input' | 'runId' | 'memory' | 'tags' | 'limits'>,
  flags: StoreFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  // Without a store, no worker could find the run.
  const { store, ...place } = opened ?? openStore(flags, 'write', io);
  try {
    // People can answer through the inbox.
    const runId = await submitRun(store, pipeline, { ...options, attended: true, source: placeOf(file, io) });
    const isPrinted = await print(`${runId}\n`, io);
    const pools = [...poolsOf(pipeline)].map((pool) => ` --pool ${argument(`${pool}=<size>`)}`).join('');
    const told = isPrinted ? '' : `run ${runId} is stored, and `;
    const work = `phasegate work ${argument(file)}${pools}${storeArgument(place)}`;
    io.stderr.write(`phasegate: ${told}a worker begins it: ${work}\n`);
    return isPrinted ? exitCode.completed : exitCode.brokenPipe;
  } finally {
    await store.close();
  }
}
