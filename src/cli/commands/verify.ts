/**
 * `phasegate verify`: damaged and forged runs of a store.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { counted } from '../../model/values/counts.ts';
import { verifyRun, type Verification } from '../../runtime/records/verify.ts';
import { renewHint, restoreHint } from '../../store/damage.ts';
import { findRuns } from '../options/find-run.ts';
import { openStore, storeArgument, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate verify`. */
export interface VerifyFlags extends StoreFlags {
  /** A seal of the one named run, kept elsewhere. */
  readonly seal?: string | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Verifies the named runs, or all runs.
 *
 * @returns `unsuccessful` if one of them has a problem.
 * @throws PhasegateError `INPUT_INVALID` if a seal is given, but not one run.
 */
export async function verifyStored(wanted: readonly string[], flags: VerifyFlags, io: ProgramIo): Promise<ExitCode> {
  const { seal } = flags;
  if (seal !== undefined && wanted.length !== 1) throw needsOneRun(wanted.length);
  const opened = openStore(flags, 'read', io);
  const runs = await findRuns(opened, wanted, {});
  let damaged = 0;
  // Named runs do not need all of the store.
  const problems = wanted.length === 0 ? ((await opened.store.check?.()) ?? []) : [];
  if (problems.length > 0) {
    damaged += 1;
    const { name } = opened;
    const text = flags.json ? JSON.stringify({ store: name, problems }) : storeText(name, problems);
    if (!(await print(`${text}\n`, io))) return exitCode.brokenPipe;
  }
  for (const { runId } of runs) {
    const found = await verifyRun(opened.store, runId, { seal });
    if (found.problems.length > 0) damaged += 1;
    if (
      !(await print(
        `${flags.json ? JSON.stringify(found) : textOf(found, storeArgument(opened), seal !== undefined)}\n`,
        io,
      ))
    )
      return exitCode.brokenPipe;
  }
  await opened.store.close();
  return damaged > 0 ? exitCode.unsuccessful : exitCode.completed;
}

// --- internal ---

function storeText(file: string, problems: readonly string[]): string {
  const advice = 'Restore the store from a copy. To keep what can be read, export its runs: phasegate export <run>';
  return [`✗ ${oneLine(file)}: it is damaged`, ...problems.map((one) => oneLine(one)), advice].join('\n  ');
}

/** @param isSealGiven True if the records had to have a seal. */
function textOf(found: Verification, store: string, isSealGiven: boolean): string {
  const { runId, records, problems, good, isPlanDamaged, seal, sealed, checkedFrom } = found;
  const name = oneLine(runId);
  const facts = [
    ...(sealed === undefined ? [] : [`Records 1 to ${sealed} have the given seal: nobody has changed them since.`]),
    ...(checkedFrom === undefined ? [] : [migratedText(checkedFrom)]),
  ];
  const repair = isPlanDamaged ? renewHint(store) : restoreHint(name, good, store);
  const [first = '', ...more] = problems.map((one) => oneLine(one));
  const lines =
    problems.length === 0
      ? [`✓ ${name}: ${counted(records, 'record')}, seal ${seal}`, ...facts]
      : [`✗ ${name}: ${first}`, ...more, ...facts, isSealGiven && sealed === undefined ? SEEK : repair];
  return lines.join('\n  ');
}

function migratedText(checkedFrom: number): string {
  const earlier = checkedFrom === 2 ? 'Record 1 was' : `Records 1 to ${checkedFrom - 1} were`;
  return `${earlier} stored by an earlier version, and got a checksum when the store was migrated.`;
}

const SEEK =
  'If the seal is of this run, its records were changed since. Find a backup or an archive of the time of the seal.';

function needsOneRun(count: number): PhasegateError {
  const found = count === 0 ? 'no run is named' : `${count} runs are named`;
  return new PhasegateError('INPUT_INVALID', `Cannot verify a seal as ${found}, and a seal is that of one run`, {
    hint: 'Name the run: phasegate verify <run> --seal <seal>.',
  });
}
