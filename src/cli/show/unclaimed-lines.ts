/**
 * Runs that no process works on, as lines of `phasegate doctor`.
 *
 * @module
 */
import { relative } from 'node:path';
import { cutList } from '../../model/values/counts.ts';
import type { UnclaimedRuns } from '../../projections/run/unclaimed-runs.ts';
import { span, type Line } from '../terminal/line.ts';
import { isPlaced } from '../terminal/program-io.ts';
import { argument, duration, oneLine } from '../terminal/text.ts';

/** The place and the time of reading. */
export interface Reader {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The argument that names the store; empty for the usual one. */
  readonly store: string;
  /** The working directory. */
  readonly cwd: string;
}

/** Creates the lines of one version of a pipeline. */
export function unclaimedLines(unclaimed: UnclaimedRuns, { now, store, cwd }: Reader): readonly Line[] {
  const { pipeline, source, since, runs } = unclaimed;
  const named = cutList(runs, MOST_NAMED, oneLine).join(', ');
  const [subject, verb] =
    runs.length === 1 ? ['A run is', 'works on it'] : [`${runs.length} runs of one version are`, 'works on them'];
  const last = `the latest record ${runs.length === 1 ? 'is' : 'of one is'} ${duration(now - since)} old`;
  const gone = source === undefined || isPlaced(source) ? '' : `${oneLine(source)} is not there. `;
  const file = isPlaced(source) ? argument(shortest(source, cwd)) : '<pipeline>';
  const command = source === undefined ? 'the program that defines it' : `phasegate work ${file}${store}`;
  return [
    [],
    [span('! ', 'warn'), span(oneLine(pipeline), 'strong'), span('  UNCLAIMED', 'dim')],
    [span(`  ${subject} ready, and no process ${verb}; ${last}.`)],
    [span(`  See ${named}.`, 'dim')],
    [
      span(
        `  → ${gone}Start a worker that has the definition of ${runs.length === 1 ? 'this run' : 'these runs'}: ${command}`,
      ),
    ],
  ];
}

// --- internal ---

const MOST_NAMED = 3;

/** A path as one would type it. */
function shortest(path: string, cwd: string): string {
  const within = relative(cwd, path);
  return within.startsWith('..') ? path : within;
}
