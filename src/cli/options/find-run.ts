/**
 * Lookup of the runs that a user names.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { cutList } from '../../model/values/counts.ts';
import { parentOf } from '../../runtime/child-ids.ts';
import type { ListedRun, RunFilter } from '../../store/port.ts';
import { LATEST } from '../../store/run-id.ts';
import { argument, oneLine } from '../terminal/text.ts';
import { storeArgument, type OpenStore } from './store-option.ts';

/**
 * Finds a run by its id in any case, by an unambiguous beginning or end of its id, or by the word `latest`. A run that has this word as
 * its id, by an earlier version, is found as `LATEST`.
 *
 * @throws PhasegateError `RUN_UNKNOWN` if no run matches, or several do.
 */
export async function findRun(opened: OpenStore, wanted: string): Promise<ListedRun> {
  const { store } = opened;
  const exact = await store.run(wanted);
  if (exact && wanted !== LATEST) return exact;
  const text = wanted.toUpperCase();
  // A run that a task has started is meant by its whole id only.
  const all = text === '' ? [] : (await store.runs()).filter(({ runId }) => parentOf(runId) === undefined);
  const [newest] = all;
  if (wanted === LATEST && newest) {
    if (exact && exact.runId !== newest.runId) throw ofTwo(newest);
    return newest;
  }
  const found = all.filter(({ runId }) => runId.toUpperCase().startsWith(text) || runId.toUpperCase().endsWith(text));
  const whole = found.filter(({ runId }) => runId.toUpperCase() === text);
  const [only, ...others] = whole.length === 1 ? whole : found;
  if (only && others.length === 0) return only;
  throw only ? ambiguous(wanted, found) : unknown(wanted, opened);
}

/**
 * Finds the runs that a user names, each once; all runs if none is named.
 *
 * @param filter Selects the runs of one pipeline. @default all pipelines
 * @throws PhasegateError `RUN_UNKNOWN` if no run matches a name, or several do.
 */
export async function findRuns(
  opened: OpenStore,
  wanted: readonly string[],
  { pipeline }: Pick<RunFilter, 'pipeline'>,
): Promise<readonly ListedRun[]> {
  if (wanted.length === 0) return opened.store.runs({ pipeline });
  const found = new Map<string, ListedRun>();
  for (const one of wanted) {
    const run = await findRun(opened, one);
    if (pipeline === undefined || run.pipeline === pipeline) found.set(run.runId, run);
  }
  return [...found.values()];
}

// --- internal ---

function ofTwo({ runId }: ListedRun): PhasegateError {
  const problem = `Cannot tell which run "${LATEST}" is as a run has this id, and another was started last`;
  return new PhasegateError('RUN_UNKNOWN', problem, {
    hint: `Name the one that was started last as ${argument(runId)}, and the other as ${LATEST.toUpperCase()}.`,
  });
}

/** The most runs that the message about an ambiguous id names. */
const MOST_NAMED = 5;

function unknown(wanted: string, opened: OpenStore): PhasegateError {
  const { name } = opened;
  const problem =
    wanted === LATEST
      ? `Cannot find the latest run as the store ${name} has none`
      : `Cannot find run ${JSON.stringify(oneLine(wanted))} as no id in the store ${name} is that, begins with it or ends with it`;
  return new PhasegateError('RUN_UNKNOWN', problem, {
    hint: `List the runs with: phasegate ls${storeArgument(opened)}`,
  });
}

function ambiguous(wanted: string, found: readonly ListedRun[]): PhasegateError {
  const named = cutList(found, MOST_NAMED, ({ runId, pipeline }) => `${oneLine(runId)}  ${oneLine(pipeline)}`);
  const problem = `Cannot tell which run ${JSON.stringify(oneLine(wanted))} is as ${found.length} ids begin or end with it:\n  ${named.join('\n  ')}`;
  return new PhasegateError('RUN_UNKNOWN', problem, { hint: 'Give more of the id, from its beginning or its end.' });
}
