/**
 * Which run is meant.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { ListedRun } from '../../store/port.ts';
import { oneLine } from '../terminal/text.ts';
import { LATEST } from './defaults.ts';
import { storeArgument, type OpenStore } from './store-option.ts';

/**
 * Finds a run by its id, by how that begins or ends where no other does, or as the latest.
 *
 * @throws PhasegateError `RUN_UNKNOWN` where there is none, or more than one.
 */
export async function findRun(kept: OpenStore, wanted: string): Promise<ListedRun> {
  const { store } = kept;
  const exact = await store.run(wanted);
  if (exact) return exact;
  const text = wanted.toUpperCase();
  const all = text === '' ? [] : await store.runs(wanted === LATEST ? { limit: 1 } : {});
  const found =
    wanted === LATEST
      ? all
      : all.filter(({ runId }) => runId.toUpperCase().startsWith(text) || runId.toUpperCase().endsWith(text));
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  throw only ? ambiguous(wanted, found) : unknown(wanted, kept);
}

// --- internal ---

/** Runs that are named where several could be meant. */
const MOST_NAMED = 5;

function unknown(wanted: string, kept: OpenStore): PhasegateError {
  const { file } = kept;
  const problem =
    wanted === LATEST
      ? `Cannot find the latest run as the store ${file} has none`
      : `Cannot find run ${JSON.stringify(oneLine(wanted))} as the store ${file} has none whose id is that, or begins or ends so`;
  return new PhasegateError('RUN_UNKNOWN', problem, {
    hint: `See which there are with: phasegate ls${storeArgument(kept)}`,
  });
}

function ambiguous(wanted: string, found: readonly ListedRun[]): PhasegateError {
  const named = found.slice(0, MOST_NAMED).map(({ runId, pipeline }) => `  ${oneLine(runId)}  ${oneLine(pipeline)}`);
  const more = found.length > MOST_NAMED ? [`  and ${found.length - MOST_NAMED} more`] : [];
  const problem = `Cannot tell which run ${JSON.stringify(oneLine(wanted))} is, as ${found.length} have such an id:\n${[...named, ...more].join('\n')}`;
  return new PhasegateError('RUN_UNKNOWN', problem, { hint: 'Give more of the id, from its beginning or its end.' });
}
