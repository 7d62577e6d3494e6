/**
 * Background processes in which the dashboard resumes and retries runs. They continue when the dashboard is closed.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';
import { docsStart } from '../../projections/wording/error-words.ts';
import type { DashboardActions } from '../../server/server-context.ts';
import type { ListedRun } from '../../store/port.ts';
import { STORE_VARIABLE } from '../options/defaults.ts';
import type { OpenStore } from '../options/store-option.ts';
import { openStderrLog } from '../process/stderr-log.ts';

/** Creates the actions of the dashboard on the runs of a store. */
export function actionsOn(opened: OpenStore): DashboardActions {
  return {
    resume: (run) => resumeInBackground(opened, 'resume', run),
    retry: (run) => resumeInBackground(opened, 'retry', run),
  };
}

// --- internal ---

/** Milliseconds between polls. */
const POLL_MS = 100;

/** Starts the command and resolves once the run has a new record, however long loading takes. Rejects if the command ends before. */
async function resumeInBackground(
  { store, location, isFile }: OpenStore,
  command: 'resume' | 'retry',
  before: ListedRun,
): Promise<void> {
  const { runId, seq } = before;
  // All users of the machine see the arguments of a process, and an address may have a password.
  const child = isFile
    ? spawnCommand([command, '--store', location, '--', runId], {})
    : spawnCommand([command, '--', runId], { [STORE_VARIABLE]: location });
  for (;;) {
    const message = child.message();
    const now = await store.run(runId);
    if (now && now.seq > seq) return;
    if (message !== undefined) throw problemOf(command, runId, message);
    await setTimeout(POLL_MS);
  }
}

/** A phasegate command in a background process. */
interface BackgroundCommand {
  /** Returns the last text on standard error; `undefined` until the command has ended. */
  message(): string | undefined;
}

function spawnCommand(args: readonly string[], env: NodeJS.ProcessEnv): BackgroundCommand {
  const [, main = ''] = process.argv;
  const log = openStderrLog();
  const child = spawn(process.execPath, [...process.execArgv.filter(isOfThePipeline), main, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', log.descriptor],
    env: { ...process.env, ...log.env, ...env },
    windowsHide: true,
  });
  let message: string | undefined;
  const end = (failure?: Error) => {
    if (message !== undefined) return;
    const last = log.end();
    message = failure?.message ?? last;
  };
  child.on('exit', () => end());
  child.on('error', end);
  child.unref();
  return { message: () => message };
}

/** True for options that pipelines may need, such as loaders. False for `--inspect`, which would make the child wait for a debugger. */
function isOfThePipeline(option: string): boolean {
  return !option.startsWith('--inspect');
}

/** Error codes that the command may report on standard error. */
const KNOWN: readonly ErrorCode[] = [
  'DEFINITION_INVALID',
  'FILE_UNREADABLE',
  'JOURNAL_DIVERGED',
  'LEASE_LOST',
  'PIPELINE_INVALID',
  'RUN_CHANGED',
  'RUN_ENDED',
  'RUN_HAS_PARENT',
  'RUN_LEASED',
  'RUN_NOT_ENDED',
  'STORE_BUSY',
];

/** Parses the error from the output of a command. Without a known error, the whole output becomes the message. */
function problemOf(command: string, runId: string, output: string): PhasegateError {
  const from = output.startsWith('Cannot ') ? 0 : output.indexOf('\nCannot ') + 1;
  const to = docsStart(output);
  const hasError = output.startsWith('Cannot ', from) && from < to;
  const text = hasError ? output.slice(from, to) : '';
  const named = hasError ? output.slice(to).split('#').at(-1) : '';
  const code = KNOWN.find((one) => one === named);
  if (code !== undefined) {
    const lines = text.split('\n');
    return new PhasegateError(code, lines.slice(0, -1).join('\n'), { hint: lines.at(-1) ?? '' });
  }
  const problem = `Cannot ${command} run ${runId} as the command ended before the run continued:\n${output}`;
  return new PhasegateError('COMMAND_FAILED', problem, {
    hint: `Run it by hand to see its whole output: phasegate ${command} ${runId}`,
  });
}
