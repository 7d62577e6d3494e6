/**
 * The archive format: a run as lines of JSON. The first line is a header. Records follow, each after the contents that it
 * refers to. The last line has the checksum of all others. Runs that its tasks have started follow in the same form.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { isWhole, unpackRecord } from '../../model/events/large-values.ts';
import { startSeal, type RunningSeal } from '../../model/events/seal.ts';
import { damageHint } from '../../store/damage.ts';
import { pagesOf } from '../../store/pages.ts';
import type { ListedRun } from '../../store/port.ts';
import { readPlans } from '../../store/read-run.ts';
import type { OpenStore } from '../options/store-option.ts';

/** The id of a run. Ids of runs that tasks have started grow with each level. */
const idSchema = z
  .string()
  .min(1)
  .max(100_000)
  .regex(/^\P{Surrogate}*$/u);

/** The first line of a run in an archive. */
export const headerSchema = z
  .object({
    phasegate: z.literal('run'),
    /** Version 1 has no seal. Version 3 has `below`. */
    version: z.literal([1, 2, 3]),
    runId: idSchema,
    pipeline: z.string(),
    records: z.int().min(1),
    forkOf: idSchema.optional(),
    /** The start of the run in milliseconds since 1970; absent in archives of earlier versions. */
    startedAt: z.number().optional(),
    /** The number of runs that its tasks have started, which follow. */
    below: z.int().min(1).optional(),
  })
  .refine(({ version, below }) => (version === 3) === (below !== undefined));

/** A value that records after it refer to. */
export const contentSchema = z.strictObject({ hash: z.string(), content: z.string() });

/** The last line of a run in an archive. `seal` is absent in archives of earlier versions. */
export const trailerSchema = z.strictObject({ sha256: z.string(), seal: z.string().optional() });

/** The first line of a run in an archive. */
export type ArchiveHeader = z.infer<typeof headerSchema>;

/** The last line of a run in an archive. */
export type Trailer = z.infer<typeof trailerSchema>;

/**
 * Generates the lines of an archive, with the records that the runs have so far.
 *
 * @param below The runs that its tasks have started.
 * @returns The seal of the records of the run.
 */
export async function* archiveOf(
  opened: Pick<OpenStore, 'store'>,
  run: ListedRun,
  below: readonly ListedRun[] = [],
): AsyncGenerator<string, string, undefined> {
  const seal = yield* partOf(opened, run, below.length);
  for (const one of below) yield* partOf(opened, one, 0);
  return seal;
}

/** Computes the SHA-256 of lines, each with its line end. */
export function checksum(): { add(line: string): void; digest(): string } {
  const hash = createHash('sha256');
  return { add: (line) => void hash.update(`${line}\n`), digest: () => hash.digest('hex') };
}

// --- internal ---

/** Generates the lines of one run. @returns The seal of its records. */
async function* partOf(
  opened: Pick<OpenStore, 'store'>,
  run: ListedRun,
  below: number,
): AsyncGenerator<string, string, undefined> {
  const sum = checksum();
  const records = startSeal();
  for await (const text of linesOf(opened, run, below, records)) {
    // Some readers treat these characters as line ends. In JSON they occur only in strings, so they can be escaped.
    const line = text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
    sum.add(line);
    yield `${line}\n`;
  }
  const seal = records.hex();
  yield `${JSON.stringify({ sha256: sum.digest(), seal } satisfies Trailer)}\n`;
  return seal;
}

/**
 * Generates all lines but the last. The path of the definition is left out: it means nothing on another machine, and resuming
 * would run whatever file is there.
 */
async function* linesOf(
  { store }: Pick<OpenStore, 'store'>,
  run: ListedRun,
  below: number,
  seal: RunningSeal,
): AsyncGenerator<string, void, undefined> {
  const { runId, seq, pipeline, forkOf, startedAt } = run;
  const header: ArchiveHeader = { phasegate: 'run', version: 2, runId, pipeline, records: seq, forkOf, startedAt };
  yield JSON.stringify(below === 0 ? header : { ...header, version: 3, below });
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

function contentDamaged({ runId, seq }: RunRecord, hash: string): PhasegateError {
  const problem = `Cannot export record ${seq} of run ${runId} as the content ${hash} that it refers to is missing or was changed`;
  return new PhasegateError('STORE_UNREADABLE', problem, { hint: damageHint(runId, seq - 1) });
}
