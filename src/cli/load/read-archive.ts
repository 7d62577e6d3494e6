/**
 * Reading of archives. Their text is not trusted.
 *
 * @module
 */
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { runRecordSchema, type RunRecord } from '../../model/events/event.ts';
import { isWhole, unpackRecord } from '../../model/events/large-values.ts';
import { sealOf } from '../../model/events/seal.ts';
import { renamedBelow } from '../../model/handlers/work-key.ts';
import { isSameJson } from '../../model/values/json.ts';
import { journalProblem } from '../../runtime/records/verify.ts';
import type { RunCopy } from '../../runtime/records/restore-runs.ts';
import { isChildRunId } from '../../store/run-id.ts';
import { withoutMark } from '../options/parse-json.ts';
import { checksum, contentSchema, headerSchema, trailerSchema, type ArchiveHeader, type Trailer } from './archive.ts';

/** A run read from an archive. */
export interface Archived extends RunCopy {
  readonly pipeline: string;
  /** The number of runs that its tasks have started. */
  readonly below: number;
  /** The seal of the records. */
  readonly seal: string;
}

/**
 * Reads an archive.
 *
 * @param file The file name that the user gave, for errors.
 * @returns The run, then those that its tasks have started.
 * @throws PhasegateError `INPUT_INVALID` if the lines are no complete run, or if one of the others is not of it.
 */
export async function readArchive(
  file: string,
  lines: AsyncIterable<string>,
): Promise<readonly [Archived, ...Archived[]]> {
  const rest = numbered(lines);
  try {
    const root = await readPart(file, rest);
    if (!root) throw invalid(file, 'it is empty');
    const below: Archived[] = [];
    const ids = new Set<string>();
    while (below.length < root.below) {
      const run = await readPart(file, rest);
      if (!run) throw invalid(file, `it ends after ${below.length + 1} of ${root.below + 1} runs`);
      const { runId } = run;
      // The id of the first may be replaced by a safe one, and those of the others begin with it.
      const id = renamedBelow(runId, root.runId, 'r') ?? '';
      if (!isChildRunId(id)) throw invalid(file, `no task of its run has started run ${quoted(runId)}`);
      if (ids.has(id)) throw invalid(file, `run ${quoted(runId)} is there twice`);
      ids.add(id);
      below.push(run);
    }
    const { value: after } = await rest.next();
    if (after) throw invalid(file, `${after.where} comes after its end`);
    return [root, ...below];
  } finally {
    await rest.return(undefined);
  }
}

// --- internal ---

/** A line that is not blank. */
interface Line {
  readonly where: string;
  readonly text: string;
}

async function* numbered(lines: AsyncIterable<string>): AsyncGenerator<Line, undefined, undefined> {
  let number = 0;
  for await (const text of lines) {
    number += 1;
    const line = number === 1 ? withoutMark(text) : text;
    if (line.trim() !== '') yield { where: `line ${number}`, text: line };
  }
}

/** Reads the next run, up to its last line. `undefined` if there is no further line. */
async function readPart(file: string, lines: AsyncIterator<Line, undefined>): Promise<Archived | undefined> {
  const contents = new Map<string, string>();
  const records: RunRecord[] = [];
  const sum = checksum();
  let header: ArchiveHeader | undefined;
  let end: Trailer | undefined;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const { where, text } = next.value;
    const value = parse(file, where, text);
    if (!header) {
      const parsed = headerSchema.safeParse(value);
      if (!parsed.success) throw invalid(file, `${where} is not the header of a run in a known version`);
      header = parsed.data;
      sum.add(text);
      continue;
    }
    const trailer = trailerSchema.safeParse(value);
    if (trailer.success) {
      end = trailer.data;
      break;
    }
    sum.add(text);
    const content = contentSchema.safeParse(value);
    if (content.success) {
      if (!isWhole(content.data)) throw invalid(file, `the content in ${where} does not match its hash`);
      parse(file, `the content in ${where}`, content.data.content);
      contents.set(content.data.hash, content.data.content);
      continue;
    }
    records.push(await readRecord(file, where, value, header, records.length + 1, contents));
  }
  if (!header) return undefined;
  if (records.length !== header.records)
    throw invalid(file, `it ends after ${records.length} of ${header.records} records`);
  if (end === undefined) throw invalid(file, 'the last line, which has its checksum, is missing');
  if (end.sha256 !== sum.digest()) throw invalid(file, 'its checksum does not match: it was damaged or edited');
  const seal = sealOf(records);
  if (end.seal === undefined && header.version > 1) throw invalid(file, 'it has no seal');
  if (end.seal !== undefined && end.seal !== seal) throw invalid(file, 'its records do not have its seal');
  const problem = journalProblem(records);
  if (problem !== undefined) throw invalid(file, `no run can have written these records. ${problem}`);
  const { runId, pipeline, forkOf, startedAt, below = 0 } = header;
  return { runId, pipeline, records, origin: { forkOf, startedAt }, below, seal };
}

function parse(file: string, where: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(file, `${where} is no JSON: ${errorInfo(cause).message}`);
  }
}

async function readRecord(
  file: string,
  where: string,
  value: unknown,
  { runId }: ArchiveHeader,
  seq: number,
  contents: ReadonlyMap<string, string>,
): Promise<RunRecord> {
  const parsed = runRecordSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(file, `${where} is no record: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
  }
  // The seal needs the fields in the order in which they were written, and all of them.
  if (!isSameAs(parsed.data, value)) throw invalid(file, `the record in ${where} has fields of a later version`);
  const record = value;
  if (record.runId !== runId) throw invalid(file, `the record in ${where} is of another run`);
  if (record.seq !== seq) throw invalid(file, `${where} has record ${record.seq} where record ${seq} is due`);
  return unpackRecord(record, (hash) => {
    const content = contents.get(hash);
    if (content !== undefined) return content;
    throw invalid(file, `the record in ${where} refers to the content ${hash}, which is not there`);
  });
}

function quoted(id: string): string {
  return JSON.stringify(id.slice(0, 200));
}

function isSameAs(record: RunRecord, value: unknown): value is RunRecord {
  return isSameJson(record, value);
}

function invalid(file: string, found: string): PhasegateError {
  return new PhasegateError('INPUT_INVALID', `Cannot import "${file}" as ${found}`, {
    hint: 'Use a complete and unchanged file from phasegate export.',
  });
}
