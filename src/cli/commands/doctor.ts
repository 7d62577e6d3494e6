/**
 * `phasegate doctor`.
 *
 * @module
 */
import { diagnose, isProblem } from '../../projections/doctor/diagnose.ts';
import { foldGateHistories, type GateHistory } from '../../projections/doctor/gate-history.ts';
import { foldSentBack, type SentBack } from '../../projections/doctor/send-back-counts.ts';
import { goodRuns } from '../options/good-runs.ts';
import { findRuns } from '../options/find-run.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { doctorLines } from '../show/doctor-lines.ts';
import { createPainter } from '../terminal/line.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Flags of `phasegate doctor`. */
export interface DoctorFlags extends StoreFlags {
  readonly pipeline?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Prints problems of review loops in the named runs, or in all runs if none is named. */
export async function examineRuns(wanted: readonly string[], flags: DoctorFlags, io: ProgramIo): Promise<ExitCode> {
  const opened = openStore(flags, 'read', io);
  const runs = await findRuns(opened, wanted, flags);
  const histories = foldGateHistories();
  const sentBacks = foldSentBack();
  const read: string[] = [];
  for await (const { run, records } of goodRuns(opened, runs, wanted.length > 0, io)) {
    read.push(run.runId);
    for (const record of records) {
      histories.apply(record);
      sentBacks.apply(record);
    }
  }
  await opened.store.close();
  const gates = histories.all();
  const sentBack = sentBacks.all();
  const findings = diagnose(gates, sentBack);
  const paint = createPainter(seesColours(io.stdout, io));
  const text = flags.json
    ? `${JSON.stringify({
        runs: read,
        gates: gates.map(gateJson),
        sentBack: sentBack.map(sentBackJson),
        findings,
      })}\n`
    : asText(doctorLines({ runs: read.length, gates, sentBack, findings }).map(paint));
  if (!(await print(text, io))) return exitCode.brokenPipe;
  return findings.some(isProblem) ? exitCode.unsuccessful : exitCode.completed;
}

// --- internal ---

function gateJson({ attempts, ...history }: GateHistory): object {
  return { ...history, attempts: Object.fromEntries(attempts) };
}

function sentBackJson({ by, ...phase }: SentBack): object {
  return { ...phase, by: Object.fromEntries(by) };
}
