/**
 * The archive format: a run as lines of JSON. The first line is a header. Records follow, each after the contents that it
 * refers to. The last line has the checksum of all others.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { runRecordSchema, type RunRecord } from '../../model/events/event.ts';
import { isWhole, unpackRecord } from '../../model/events/large-values.ts';
import { isSameJson } from '../../model/values/json.ts';
import { sealOf, startSeal, type RunningSeal } from '../../model/events/seal.ts';
import { damageHint } from '../../store/damage.ts';
import { journalProblem } from '../../runtime/records/verify.ts';
import type { ListedRun } from '../../store/port.ts';
import { pagesOf } from '../../store/pages.ts';
import { readPlans } from '../../store/read-run.ts';
import { withoutMark } from '../options/parse-json.ts';
import type { OpenStore } from '../options/store-option.ts';

/** A run read from an archive. */
export interface Archived {
  readonly header: ArchiveHeader;
  readonly records: readonly RunRecord[];
  /** The seal of the records. */
  readonly seal: string;
}

/** The first line of an archive. */
export type ArchiveHeader = z.infer<typeof headerSchema>;

/** Generates the lines of an archive, with the records that the run has so far. @returns The seal of these records. */
export async function* archiveOf(
  opened: Pick<OpenStore, 'store'>,
  run: ListedRun,
): AsyncGenerator<string, string, undefined> {
  const sum = checksum();
  const records = startSeal();
  for await (const text of linesOf(opened, run, records)) {
    // Some readers treat these characters as line ends. In JSON they occur only in strings, so they can be escaped.
    const line = text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
    sum.add(line);
    yield line;
  }
  const seal = records.hex();
  yield JSON.stringify({ sha256: sum.digest(), seal } satisfies Trailer);
  return seal;
}

/**
 * Reads an archive.
 *
 * @param file The file name that the user gave, for errors.
 * @throws PhasegateError `INPUT_INVALID` if the lines are no complete run.
 */
export async function readArchive(file: string, lines: AsyncIterable<string>): Promise<Archived> {
  const contents = new Map<string, string>();
  const records: RunRecord[] = [];
  const sum = checksum();
  let header: ArchiveHeader | undefined;
  let end: Trailer | undefined;
  let number = 0;
  for await (const text of lines) {
    number += 1;
    const line = number === 1 ? withoutMark(text) : text;
    if (line.trim() === '') continue;
    const where = `line ${number}`;
    if (end !== undefined) throw invalid(file, `${where} comes after its end`);
    const value = parse(file, where, line);
    const trailer = trailerSchema.safeParse(value);
    if (trailer.success) {
      end = trailer.data;
      continue;
    }
    sum.add(line);
    if (!header) {
      const parsed = headerSchema.safeParse(value);
      if (!parsed.success) throw invalid(file, `${where} is not the header of a run in a known version`);
      header = parsed.data;
      continue;
    }
    const content = contentSchema.safeParse(value);
    if (content.success) {
      if (!isWhole(content.data)) throw invalid(file, `the content in ${where} does not match its hash`);
      parse(file, `the content in ${where}`, content.data.content);
      contents.set(content.data.hash, content.data.content);
      continue;
    }
    records.push(await readRecord(file, where, value, header, records.length + 1, contents));
  }
  if (!header) throw invalid(file, 'it is empty');
  if (records.length !== header.records)
    throw invalid(file, `it ends after ${records.length} of ${header.records} records`);
  if (end === undefined) throw invalid(file, 'the last line, which has its checksum, is missing');
  if (end.sha256 !== sum.digest()) throw invalid(file, 'its checksum does not match: it was damaged or edited');
  const seal = sealOf(records);
  if (end.seal === undefined && header.version > 1) throw invalid(file, 'it has no seal');
  if (end.seal !== undefined && end.seal !== seal) throw invalid(file, 'its records do not have its seal');
  const problem = journalProblem(records);
  if (problem !== undefined) throw invalid(file, `no run can have written these records. ${problem}`);
  return { header, records, seal };
}

// --- internal ---

/**
 * Generates all lines but the last. The path of the definition is left out: it means nothing on another machine, and resuming
 * would run whatever file is there.
 */
async function* linesOf(
  { store }: Pick<OpenStore, 'store'>,
  run: ListedRun,
  seal: RunningSeal,
): AsyncGenerator<string, void, undefined> {
  const { runId, seq, pipeline, forkOf, startedAt } = run;
  const header: ArchiveHeader = { phasegate: 'run', version: 2, runId, pipeline, records: seq, forkOf, startedAt };
  yield JSON.stringify(header);
  const written = new Set<string>();
  for await (const page of pagesOf((from, limit) => readPlans(store, runId, from, limit), { to: seq })) {
    for (const record of page) {
      const lines: string[] = [];
      const whole = await unpackRecord(record, async (hash) => {
        const content = await store.artifact(hash);
        if (content === undefined || !isWhole({ hash, content })) throw contentDamaged(record, hash);
        if (!written.has(hash)) lines.push(JSON.stringify({ hash, content }));
        written.add(hash);
        return content;
      });
      seal.add(whole);
      yield* lines;
      yield JSON.stringify(record);
    }
  }
}

/** Computes the SHA-256 of lines, each with its line end. */
function checksum(): { add(line: string): void; digest(): string } {
  const hash = createHash('sha256');
  return { add: (line) => void hash.update(`${line}\n`), digest: () => hash.digest('hex') };
}

const headerSchema = z.object({
  phasegate: z.literal('run'),
  /** Version 1 has no seal. */
  version: z.union([z.literal(1), z.literal(2)]),
  runId: z.string().min(1),
  pipeline: z.string(),
  records: z.int().min(1),
  forkOf: z.string().optional(),
  /** The start of the run in milliseconds since 1970; absent in archives of earlier versions. */
  startedAt: z.number().optional(),
});

const contentSchema = z.strictObject({ hash: z.string(), content: z.string() });

/** `seal` is absent in archives of earlier versions. */
const trailerSchema = z.strictObject({ sha256: z.string(), seal: z.string().optional() });

type Trailer = z.infer<typeof trailerSchema>;

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

function isSameAs(record: RunRecord, value: unknown): value is RunRecord {
  return isSameJson(record, value);
}

function invalid(file: string, found: string): PhasegateError {
  return new PhasegateError('INPUT_INVALID', `Cannot import "${file}" as ${found}`, {
    hint: 'Use a complete and unchanged file from phasegate export.',
  });
}

function contentDamaged({ runId, seq }: RunRecord, hash: string): PhasegateError {
  const problem = `Cannot export record ${seq} of run ${runId} as the content ${hash} that it refers to is missing or was changed`;
  return new PhasegateError('STORE_UNREADABLE', problem, { hint: damageHint(runId, seq - 1) });
}
