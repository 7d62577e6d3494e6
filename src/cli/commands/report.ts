/**
 * `phasegate report`.
 *
 * @module
 */
import { hasCode } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { startSeal, type RunningSeal } from '../../model/events/seal.ts';
import { withWaitsBelow } from '../../runtime/inbox/waits-below.ts';
import type { RunStore } from '../../store/port.ts';
import { readPlans, wholeRecord } from '../../store/read-run.ts';
import { pagesOf } from '../../store/pages.ts';
import { findRun } from '../options/find-run.ts';
import { withLiveness } from '../options/run-owner.ts';
import { keptFilesOf, openStore, type StoreFlags } from '../options/store-option.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { outputOrStandard, refuseDefinitions } from '../process/output-file.ts';
import { writeOut } from '../process/write-out.ts';
import { foldReport, type ReportData } from '../report/data.ts';
import { asHtml } from '../report/html.ts';
import { asMarkdown } from '../report/markdown.ts';
import { documentOf } from '../report/sections.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate report`. */
export interface ReportFlags extends StoreFlags {
  /** True for an HTML page. @default false, for Markdown */
  readonly html?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** A file. @default standard output */
  readonly out?: string | undefined;
}

/** Writes a report on a run: its course, defects and measures. */
export async function reportStored(wanted: string, flags: ReportFlags, io: ProgramIo): Promise<ExitCode> {
  const { out } = flags;
  const file = outputOrStandard(out, keptFilesOf(flags, io), io);
  const opened = openStore(flags, 'read', io);
  const run = await findRun(opened, wanted);
  refuseDefinitions(file, [run]);
  const fold = foldReport();
  let seal: RunningSeal | undefined = startSeal();
  for await (const page of pagesOf((from, limit) => readPlans(opened.store, run.runId, from, limit), { to: run.seq })) {
    for (const record of page) {
      seal = await sealed(seal, opened.store, record);
      fold.apply(record);
    }
  }
  const [shown = run] = (await withWaitsBelow(opened.store, [run])).map(withLiveness);
  await opened.store.close();
  const text = textOf(fold.data(shown, run.damage === undefined ? (seal?.hex() ?? null) : null), flags);
  const what = `the report on run ${oneLine(run.runId)} of "${oneLine(run.pipeline)}"`;
  return writeOut(text, file, `${what} is in ${oneLine(out ?? '')}`, io);
}

// --- internal ---

/** Adds a record to a seal, which needs large values such as outputs. The report does not: if one is damaged, it has no seal. */
async function sealed(
  seal: RunningSeal | undefined,
  store: RunStore,
  record: RunRecord,
): Promise<RunningSeal | undefined> {
  try {
    seal?.add(await wholeRecord(store, record));
    return seal;
  } catch (error) {
    if (hasCode(error, 'STORE_UNREADABLE')) return undefined;
    throw error;
  }
}

function textOf(data: ReportData, { html, json }: ReportFlags): string {
  if (json) return `${JSON.stringify(data)}\n`;
  return html ? asHtml(documentOf(data)) : asMarkdown(documentOf(data));
}
