/**
 * `phasegate doctor`.
 *
 * @module
 */
import { diagnose, isProblem } from '../../projections/doctor/diagnose.ts';
import { foldGateHistories, type GateHistory } from '../../projections/doctor/gate-history.ts';
import { unclaimedRuns } from '../../projections/run/unclaimed-runs.ts';
import { foldSentBack, type SentBack } from '../../projections/doctor/send-back-counts.ts';
import { parentOf } from '../../runtime/child-ids.ts';
import type { ListedRun, RunStore } from '../../store/port.ts';
import { goodRuns } from '../options/good-runs.ts';
import { findRuns } from '../options/find-run.ts';
import { workHere } from '../options/run-owner.ts';
import { openStore, storeArgument, type StoreFlags } from '../options/store-option.ts';
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

/** Prints problems of review loops in the named runs, or in all runs if none is named, and runs that no process works on. */
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
  const unclaimed = unclaimedRuns(await readyOf(opened.store, runs));
  await opened.store.close();
  const gates = histories.all();
  const sentBack = sentBacks.all();
  const findings = diagnose(gates, sentBack);
  const reader = { now: Date.now(), store: storeArgument(opened), cwd: io.cwd };
  const report = { runs: read.length, gates, sentBack, findings, unclaimed, reader };
  const paint = createPainter(seesColours(io.stdout, io));
  const text = flags.json
    ? `${JSON.stringify({
        runs: read,
        gates: gates.map(gateJson),
        sentBack: sentBack.map(sentBackJson),
        findings,
        unclaimed,
      })}\n`
    : asText(doctorLines(report).map(paint));
  if (!(await print(text, io))) return exitCode.brokenPipe;
  return findings.some(isProblem) || read.length < runs.length ? exitCode.unsuccessful : exitCode.completed;
}

// --- internal ---

/** Those of some runs that a process should continue now, earliest start first. A run that a task has started is continued with its parent. */
async function readyOf(store: RunStore, runs: readonly ListedRun[]): Promise<readonly ListedRun[]> {
  const running = runs.filter(({ runId, status }) => status === 'running' && parentOf(runId) === undefined);
  if (running.length === 0) return [];
  const names = new Set(running.map(({ pipeline }) => pipeline));
  const ready = new Set((await store.ready([...names], Number.MAX_SAFE_INTEGER)).map(({ runId }) => runId));
  // The store lists the run of a killed process only once its lease has expired.
  return running
    .filter((run) => ready.has(run.runId) || workHere(run).state === 'gone')
    .toSorted((a, b) => a.startedAt - b.startedAt);
}

function gateJson({ attempts, ...history }: GateHistory): object {
  return { ...history, attempts: Object.fromEntries(attempts) };
}

function sentBackJson({ by, ...phase }: SentBack): object {
  return { ...phase, by: Object.fromEntries(by) };
}
