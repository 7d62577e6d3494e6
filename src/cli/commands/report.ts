/**
 * `phasegate report`.
 *
 * @module
 */
import { startSeal } from '../../model/events/seal.ts';
import { wholeRecord } from '../../store/read-run.ts';
import { findRun } from '../options/find-run.ts';
import { withLiveness } from '../options/run-owner.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import type { ExitCode } from '../process/exit-code.ts';
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
  const opened = openStore(flags, 'read', io);
  const run = await findRun(opened, wanted);
  const fold = foldReport();
  const seal = startSeal();
  for (let next = 1; next <= run.seq; next += AT_ONCE) {
    for (const record of await opened.store.read(run.runId, next, Math.min(AT_ONCE, run.seq - next + 1))) {
      // The seal needs large values such as outputs, and the report does not keep them.
      seal.add(await wholeRecord(opened.store, record));
      fold.apply(record);
    }
  }
  await opened.store.close();
  const text = textOf(fold.data(withLiveness(run), seal.hex()), flags);
  const what = `the report on run ${oneLine(run.runId)} of "${oneLine(run.pipeline)}"`;
  return writeOut(text, flags.out, `${what} is in ${oneLine(flags.out ?? '')}`, io);
}

// --- internal ---

const AT_ONCE = 1000;

function textOf(data: ReportData, { html, json }: ReportFlags): string {
  if (json) return `${JSON.stringify(data)}\n`;
  return html ? asHtml(documentOf(data)) : asMarkdown(documentOf(data));
}
