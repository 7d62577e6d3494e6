/**
 * Going on with runs for the dashboard: in processes of their own, which go on when it is closed.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';
import { docsStart } from '../../projections/wording/error-words.ts';
import type { DashboardActions } from '../../server/server-context.ts';
import type { ListedRun } from '../../store/port.ts';
import type { OpenStore } from '../options/store-option.ts';
import { openOwnLog } from '../process/stderr-log.ts';

/** What the dashboard can do with the runs of a store. */
export function actionsOn(kept: OpenStore): DashboardActions {
  return { resume: (run) => goOn(kept, 'resume', run), retry: (run) => goOn(kept, 'retry', run) };
}

// --- internal ---

/** Milliseconds between looks. */
const LOOK_MS = 100;

/** Resolves once the run has another record, however long its pipeline takes to be loaded. */
async function goOn({ store, path }: OpenStore, command: 'resume' | 'retry', before: ListedRun): Promise<void> {
  const { runId, seq } = before;
  const child = begin([command, '--store', path, '--', runId]);
  for (;;) {
    const said = child.said();
    const now = await store.run(runId);
    if (now && now.seq > seq) return;
    if (said !== undefined) throw problemOf(command, runId, said);
    await setTimeout(LOOK_MS);
  }
}

/** A command of ours that is on its own. */
interface Begun {
  /** What it has said last on standard error, once it has ended. */
  said(): string | undefined;
}

function begin(args: readonly string[]): Begun {
  const [, main = ''] = process.argv;
  const log = openOwnLog();
  const child = spawn(process.execPath, [...process.execArgv.filter(isOfThePipeline), main, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', log.descriptor],
    env: { ...process.env, ...log.env },
    windowsHide: true,
  });
  let said: string | undefined;
  const end = (failure?: Error) => {
    if (said !== undefined) return;
    const last = log.end();
    said = failure?.message ?? last;
  };
  child.on('exit', () => end());
  child.on('error', end);
  child.unref();
  return { said: () => said };
}

/** Loaders and the like, but not what has this process wait for a debugger. */
function isOfThePipeline(option: string): boolean {
  return !option.startsWith('--inspect');
}

/** What such a command is known to be refused with. */
const KNOWN: readonly ErrorCode[] = [
  'DEFINITION_INVALID',
  'FILE_UNREADABLE',
  'JOURNAL_DIVERGED',
  'LEASE_LOST',
  'PIPELINE_INVALID',
  'RUN_CHANGED',
  'RUN_ENDED',
  'RUN_LEASED',
  'RUN_NOT_ENDED',
  'STORE_BUSY',
];

/** The error that a command has told, else all that it has told. */
function problemOf(command: string, runId: string, said: string): PhasegateError {
  const from = said.startsWith('Cannot ') ? 0 : said.indexOf('\nCannot ') + 1;
  const to = docsStart(said);
  const isTold = said.startsWith('Cannot ', from) && from < to;
  const told = isTold ? said.slice(from, to) : '';
  const named = isTold ? said.slice(to).split('#').at(-1) : '';
  const code = KNOWN.find((one) => one === named);
  if (code !== undefined) {
    const lines = told.split('\n');
    return new PhasegateError(code, lines.slice(0, -1).join('\n'), { hint: lines.at(-1) ?? '' });
  }
  const problem = `Cannot ${command} run ${runId} as the command has ended before the run went on:\n${said}`;
  return new PhasegateError('COMMAND_FAILED', problem, {
    hint: `Run it by hand to see its whole output: phasegate ${command} ${runId}`,
  });
}
