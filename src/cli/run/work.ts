/**
 * `phasegate work`.
 *
 * @module
 */
import { processesAtRest } from '../../actors/command/process.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunOutcome } from '../../projections/run/run-result.ts';
import type { Run } from '../../runtime/run.ts';
import type { PoolSizes } from '../../runtime/workers/places.ts';
import { createWorker, type Worker } from '../../runtime/workers/worker.ts';
import { thisHolder } from '../../store/holder.ts';
import { loadPipeline } from '../load/load.ts';
import { openStore, openStoreToRun, storeArgument, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { WorkerCounts, serveMetrics, type MetricsServer } from './worker-metrics.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { interrupted } from '../process/interrupt.ts';
import { aboutText } from '../show/next-steps.ts';
import { withAddress, withAdvice } from '../terminal/error-text.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { argument, oneLine, reasonText } from '../terminal/text.ts';

/** Flags of `phasegate work`. */
export interface WorkFlags extends StoreFlags {
  /** Most runs at once. @default that of `createWorker` */
  readonly concurrency?: number | undefined;
  /** Sizes of pools by name. @default none */
  readonly pool?: PoolSizes | undefined;
  /** Milliseconds that runs have to end after a signal. @default 8000 */
  readonly grace?: number | undefined;
  /** The port of health and metrics; 0 for any free one. @default none is served */
  readonly metrics?: number | undefined;
  readonly json?: boolean | undefined;
}

/** Works on the runs of some pipelines until the process is interrupted. */
export async function workOnRuns(files: readonly string[], flags: WorkFlags, io: ProgramIo): Promise<ExitCode> {
  const loaded = new Set<Pipeline>();
  for (const file of files) loaded.add(await loadPipeline(file, io));
  const pipelines = [...loaded];
  const opened = openStoreToRun(flags, io) ?? openStore(flags, 'write', io);
  const counts = new WorkerCounts();
  const log = counted(flags.json ? jsonLog(io) : textLog(opened, io), counts);
  let metrics: MetricsServer | undefined;
  try {
    const worker = createWorker(opened.store, pipelines, {
      concurrency: flags.concurrency,
      pools: flags.pool,
      holder: thisHolder(),
      onRun: log.taken,
      onDone: log.done,
      onFailed: ({ runId, error }) => log.failed(runId, error),
      onError: (error) => log.failed(undefined, error),
    });
    const over = interrupted();
    if (flags.metrics !== undefined) {
      const sources = { worker, counts, store: opened.store, pipelines: pipelines.map(({ name }) => name) };
      metrics = await serveMetrics(flags.metrics, sources).catch(async (error: unknown) => {
        await worker.stop();
        throw error;
      });
      io.stderr.write(`phasegate: metrics are at ${metrics.url}\n`);
    }
    const names = pipelines.map(({ name }) => `"${oneLine(name)}"`).join(', ');
    io.stderr.write(`phasegate: works on runs of ${names} in ${oneLine(opened.name)}; Ctrl-C ends it\n`);
    await over;
    await endWorker(worker, flags.grace ?? GRACE_MS, io);
    // Waits for child processes that still stop, as none may outlive the worker.
    await processesAtRest();
    return exitCode.completed;
  } finally {
    metrics?.close();
    await opened.store.close();
  }
}

// --- internal ---

/** Counts what is printed. */
function counted(log: WorkLog, counts: WorkerCounts): WorkLog {
  return {
    taken(run) {
      counts.taken += 1;
      log.taken(run);
    },
    done(run, outcome) {
      counts.letGo(outcome.status);
      log.done(run, outcome);
    },
    failed(runId, error) {
      if (runId === undefined) counts.storeErrors += 1;
      else counts.refused += 1;
      log.failed(runId, error);
    },
  };
}

/** Below the ten seconds after which containers are killed. */
const GRACE_MS = 8000;

/** Lets runs end for some time, then suspends them. Another signal ends the process at once. */
async function endWorker(worker: Worker, graceMs: number, io: ProgramIo): Promise<void> {
  const count = worker.runs.length;
  if (count > 0)
    io.stderr.write(
      `phasegate: waits up to ${graceMs / 1000} s for ${count === 1 ? 'a run' : `${count} runs`}; Ctrl-C again ends it at once\n`,
    );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)));
  await Promise.race([worker.drain(), late]);
  clearTimeout(timer);
  await worker.stop();
}

/** Prints what becomes of runs. */
interface WorkLog {
  readonly taken: (run: Run<unknown>) => void;
  readonly done: (run: Run<unknown>, outcome: RunOutcome<unknown>) => void;
  /** @param runId `undefined` if it is the store that fails. */
  readonly failed: (runId: string | undefined, error: unknown) => void;
}

function textLog(opened: OpenStore, io: ProgramIo): WorkLog {
  const store = storeArgument(opened);
  return {
    taken: (run) => io.stdout.write(`${nameOf(run)} begins\n`),
    done(run, { status, reason }) {
      const asks = run.inbox().map((item) => aboutText(item, run.id));
      const rest =
        asks.length > 0 ? `waits for a person: ${asks.join(', ')}; see phasegate inbox${store}` : 'is suspended';
      const why = reason ? `: ${oneLine(reasonText(reason))}` : '';
      io.stdout.write(`${nameOf(run)} ${status === 'suspended' ? rest : `${status}${why}`}\n`);
    },
    failed(runId, error) {
      const { code, message } = PhasegateError.is(error)
        ? error
        : { code: 'INTERNAL' as const, message: String(error) };
      const what = runId === undefined ? 'phasegate: ' : `${argument(runId)} cannot be continued: `;
      io.stderr.write(`${what}${stripControls(withAddress(withAdvice(code, message)))}\n`);
    },
  };
}

function nameOf(run: Run<unknown>): string {
  return `${argument(run.id)} "${oneLine(run.snapshot().pipeline)}"`;
}

function jsonLog(io: ProgramIo): WorkLog {
  const print = (line: object) => io.stdout.write(`${JSON.stringify(line)}\n`);
  return {
    taken: ({ id }) => print({ type: 'taken', runId: id }),
    done: (run, { status }) => print({ type: 'done', runId: run.id, status, waiting: run.inbox().map(({ id }) => id) }),
    failed(runId, error) {
      const { code, message } = PhasegateError.is(error) ? error : { code: 'INTERNAL', message: String(error) };
      print({ type: 'failed', ...(runId !== undefined && { runId }), code, message });
    },
  };
}
