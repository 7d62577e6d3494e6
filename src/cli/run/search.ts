/**
 * `phasegate search`.
 *
 * @module
 */
import { foundIn } from '../../projections/search/found-words.ts';
import { type SearchHit, type SearchPosition, searchRuns } from '../../runtime/records/search-runs.ts';
import { findRun } from '../options/find-run.ts';
import { openStore, storeArgument, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { createPainter, span, type Line } from '../terminal/line.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { argument, oneLine } from '../terminal/text.ts';
import { asText, seesColours } from './reporter.ts';

/** Flags of `phasegate search`. */
export interface SearchFlags extends StoreFlags {
  readonly limit?: number | undefined;
  readonly json?: boolean | undefined;
}

/** Prints the records that have a text, as they are found. Its exit code is 1 if a run could not be read whole. @param wanted The run to search. @default all */
export async function searchStored(
  text: string,
  wanted: string | undefined,
  { limit = USUAL_LIMIT, json = false, ...flags }: SearchFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const opened = openStore(flags, 'read', io);
  const runId = wanted === undefined ? undefined : (await findRun(opened, wanted)).runId;
  const paint = createPainter(seesColours(io.stdout, io));
  let left = limit;
  let after: SearchPosition | undefined;
  let isWhole = true;
  do {
    const part = await searchRuns(opened.store, { text, runId, after, limit: left });
    for (const run of part.unreadable) io.stderr.write(`run ${oneLine(run)} is damaged: see ${verify(run, opened)}\n`);
    isWhole &&= part.unreadable.length === 0;
    const lines = part.hits.map((hit) => (json ? JSON.stringify(hit) : paint(lineOf(hit))));
    if (lines.length > 0 && !(await print(asText(lines), io))) {
      await opened.store.close();
      return exitCode.brokenPipe;
    }
    left -= part.hits.length;
    after = part.next ?? undefined;
  } while (after && left > 0);
  await opened.store.close();
  if (left === limit) io.stderr.write(`nothing found${isWhole ? '' : ' in all that could be read'}\n`);
  else if (after) io.stderr.write(`only the first ${limit} places are shown: use --limit for more\n`);
  return isWhole ? exitCode.completed : exitCode.unsuccessful;
}

// --- internal ---

const USUAL_LIMIT = 50;

function verify(runId: string, opened: OpenStore): string {
  return `phasegate verify ${argument(runId)}${storeArgument(opened)}`;
}

function lineOf(hit: SearchHit): Line {
  const { runId, seq, attempt, before, match, after } = hit;
  const place = `${oneLine(foundIn(hit))}${attempt === null ? '' : `, attempt ${attempt}`}`;
  return [
    span(`${oneLine(runId)}  ${seq}  ${place}  `, 'dim'),
    span(inside(before)),
    span(inside(match), 'strong'),
    span(inside(after)),
  ];
}

/** Makes one line of a part of a text. `oneLine` alone would drop the spaces between the parts. */
function inside(part: string): string {
  return oneLine(`|${part}|`).slice(1, -1);
}
