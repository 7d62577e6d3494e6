/**
 * `phasegate verify`: damaged and forged runs of a store.
 *
 * @module
 */
import { verifyRun } from '../../runtime/records/verify.ts';
import { findRuns } from '../options/find-run.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate verify`. */
export interface VerifyFlags extends StoreFlags {
  readonly json?: boolean | undefined;
}

/** Verifies the named runs, or all runs. @returns `unsuccessful` if one of them has a problem. */
export async function verifyStored(wanted: readonly string[], flags: VerifyFlags, io: ProgramIo): Promise<ExitCode> {
  const opened = openStore(flags, 'read', io);
  const runs = await findRuns(opened, wanted, {});
  let damaged = 0;
  for (const { runId } of runs) {
    const found = await verifyRun(opened.store, runId);
    if (found.problems.length > 0) damaged += 1;
    if (!(await print(`${flags.json ? JSON.stringify(found) : textOf(found)}\n`, io))) return exitCode.brokenPipe;
  }
  await opened.store.close();
  return damaged > 0 ? exitCode.unsuccessful : exitCode.completed;
}

// --- internal ---

function textOf({ runId, records, problems }: Awaited<ReturnType<typeof verifyRun>>): string {
  const name = oneLine(runId);
  if (problems.length === 0) return `✓ ${name}: ${records} records`;
  const [first = '', ...more] = problems.map((one) => oneLine(one));
  return [`✗ ${name}: ${first}`, ...more.map((one) => `  ${one}`), ADVICE].join('\n');
}

const ADVICE =
  '  Restore the store from a copy, or go on before the damage: phasegate fork <run> --at <last good record>';
