/**
 * Records of many runs, without those that are damaged, and the damage of a store.
 *
 * @module
 */
import { hasCode } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { damageOf } from '../../runtime/records/verify.ts';
import { refuseDamaged, sentenceOf } from '../../store/damage.ts';
import type { ListedRun } from '../../store/port.ts';
import { readPlans } from '../../store/read-run.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';
import { storeArgument, type OpenStore } from './store-option.ts';

/** A run with its records. Large values are references. */
export interface GoodRun {
  readonly run: ListedRun;
  readonly records: readonly RunRecord[];
}

/**
 * Reads runs one after the other, and names damaged ones on standard error.
 *
 * @param isNamed True if the user has named the runs: then damage of one is an error.
 */
export async function* goodRuns(
  opened: OpenStore,
  runs: readonly ListedRun[],
  isNamed: boolean,
  io: Pick<ProgramIo, 'stderr'>,
): AsyncGenerator<GoodRun, void, undefined> {
  let isOneLeftOut = false;
  for (const run of runs) {
    try {
      refuseDamaged('read', run);
      yield { run, records: await readPlans(opened.store, run.runId, 1, run.seq) };
    } catch (error) {
      if (isNamed || !hasCode(error, 'STORE_UNREADABLE')) throw error;
      io.stderr.write(`phasegate: run ${oneLine(run.runId)} is left out. ${oneLine(sentenceOf(error))}\n`);
      isOneLeftOut = true;
    }
  }
  if (isOneLeftOut) io.stderr.write(`phasegate: for advice: phasegate verify${storeArgument(opened)}\n`);
}

/** The damage of a store and of its runs, as lines. */
export async function damageIn({ store, name }: OpenStore): Promise<string[]> {
  const lines = ((await store.check?.()) ?? []).map((problem) => `✗ ${oneLine(name)}: ${oneLine(problem)}`);
  for (const run of await store.runs()) {
    const damage = await damageOf(store, run);
    if (damage !== undefined) lines.push(`✗ ${oneLine(run.runId)}: ${oneLine(damage)}`);
  }
  return lines;
}
