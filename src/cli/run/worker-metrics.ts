/**
 * Health and metrics of a worker, over HTTP on this machine: `/health`, and `/metrics` as Prometheus reads it.
 *
 * @module
 */
import { createServer, type ServerResponse } from 'node:http';
import { errorInfo } from '../../model/errors/phasegate-error.ts';
import type { RunOutcome } from '../../projections/run/run-result.ts';
import { connections, HOST, listen } from '../../server/http/listen.ts';
import type { Worker } from '../../runtime/workers/worker.ts';
import type { RunStore } from '../../store/port.ts';
import { inTime } from '../../store/waits.ts';
import { stripControls } from '../terminal/strip-controls.ts';

/** Counts of a worker since its start. */
export class WorkerCounts {
  taken = 0;
  /** Runs that were let go, by their status. */
  readonly done = new Map<RunOutcome<unknown>['status'], number>();
  /** Runs that could not be continued. */
  refused = 0;
  storeErrors = 0;

  /** Counts a run that was let go. */
  letGo(status: RunOutcome<unknown>['status']): void {
    this.done.set(status, (this.done.get(status) ?? 0) + 1);
  }
}

/** Sources of the metrics. */
export interface MetricsOptions {
  readonly worker: Worker;
  readonly counts: WorkerCounts;
  readonly store: Pick<RunStore, 'ready'>;
  /** Names of the pipelines. */
  readonly pipelines: readonly string[];
}

/** A server of metrics. */
export interface MetricsServer {
  readonly url: string;
  readonly close: () => void;
}

/** Serves them on 127.0.0.1. @param port 0 for any free port. @throws PhasegateError `PORT_UNUSABLE` */
export async function serveMetrics(port: number, options: MetricsOptions): Promise<MetricsServer> {
  const server = createServer(connections, (request, response) => {
    const { method, url = '' } = request;
    const answer = method === 'GET' ? ANSWERS[url.replace(/\?.*$/su, '')] : undefined;
    if (answer) void answer(options).then((one) => send(response, one));
    else send(response, { status: 404, text: 'There are /health and /metrics.\n' });
  });
  const bound = await listen(server, port, 'metrics');
  // They must not keep the process alive.
  server.unref();
  return {
    url: `http://${HOST}:${bound}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

// --- internal ---

interface Answer {
  readonly status: number;
  readonly text: string;
}

const ANSWERS: Readonly<Record<string, (options: MetricsOptions) => Promise<Answer>>> = {
  '/health': async (options) => {
    const { problem } = await look(options);
    return problem === undefined ? { status: 200, text: 'ok\n' } : { status: 503, text: `${problem}\n` };
  },
  '/metrics': async (options) => ({ status: 200, text: metricsText(options, await look(options)) }),
};

function send(response: ServerResponse, { status, text }: Answer): void {
  response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
}

/** The most ready runs that are counted, as each is read. */
const MOST_READY = 1000;

/** Milliseconds in which the store must answer. Prometheus waits for ten seconds. */
const ANSWER_MS = 5000;

interface Look {
  /** Runs that wait for a worker. */
  readonly ready: number;
  /** The error of a store that does not answer. */
  readonly problem: string | undefined;
}

async function look({ store, pipelines }: MetricsOptions): Promise<Look> {
  try {
    const ready = await inTime(Promise.resolve(store.ready(pipelines, MOST_READY)), ANSWER_MS);
    return { ready: ready.length, problem: undefined };
  } catch (error) {
    return { ready: NaN, problem: `The store does not answer: ${stripControls(errorInfo(error).message)}` };
  }
}

function metricsText({ worker, counts }: MetricsOptions, { ready, problem }: Look): string {
  const done = [...counts.done].map(([status, count]) => [`{status="${status}"}`, count] as const);
  return [
    metric('runs_working', 'gauge', 'Runs that the worker works on now.', [['', worker.runs.length]]),
    metric('concurrency', 'gauge', 'The most runs that it works on at once.', [['', worker.concurrency]]),
    metric('runs_ready', 'gauge', `Runs that wait for a worker, up to ${MOST_READY}.`, [['', ready]]),
    metric('store_up', 'gauge', '1 if the store answers.', [['', problem === undefined ? 1 : 0]]),
    metric('runs_taken_total', 'counter', 'Runs that it has begun to work on.', [['', counts.taken]]),
    metric('runs_done_total', 'counter', 'Runs that it has let go, by their status.', done),
    metric('runs_refused_total', 'counter', 'Runs that it could not continue.', [['', counts.refused]]),
    metric('store_errors_total', 'counter', 'Looks for runs that the store has failed.', [['', counts.storeErrors]]),
  ].join('');
}

function metric(
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  values: readonly (readonly [labels: string, value: number])[],
): string {
  const lines = values.map(([labels, value]) => `phasegate_${name}${labels} ${value}\n`);
  return `# HELP phasegate_${name} ${help}\n# TYPE phasegate_${name} ${type}\n${lines.join('')}`;
}
