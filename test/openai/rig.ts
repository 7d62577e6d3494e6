/**
 * Runs of one phase with a model as task, and optionally as reviewer, with readable lines.
 *
 * @module
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  definePipeline,
  phase,
  startRun,
  type Inputs,
  type Policy,
  type Run,
  type RunResult,
  type Task,
} from '../../src/index.ts';
import type { RunEvent, RunRecord } from '../../src/records.ts';
import { openaiReviewer, openaiTask } from '../../src/openai.ts';
import { listen, type Api, type Entry, type Server } from './server.ts';

/** A clock whose short waits end at once. The test ends the others. */
export interface HurriedClock {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  /** Ends every wait of this length. */
  fire(ms: number): void;
}

/** @param patience Waits shorter than this end at once, in milliseconds. */
export function hurriedClock(patience = 400_000): HurriedClock {
  const waiting = new Map<object, { readonly run: () => void; readonly ms: number }>();
  return {
    setTimeout(run, ms) {
      const timer = {};
      waiting.set(timer, { run, ms });
      if (ms < patience) setImmediate(() => waiting.delete(timer) && run());
      return timer;
    },
    clearTimeout(timer) {
      waiting.delete(timer as object);
    },
    fire(ms) {
      for (const [timer, one] of waiting) {
        if (one.ms === ms && waiting.delete(timer)) one.run();
      }
    },
  };
}

/** The type of tasks from `openaiTask` and `openaiReviewer`. */
export type AnyModelTask = Task<string, unknown, Inputs>;

export interface Told {
  readonly result: RunResult;
  readonly records: readonly RunRecord[];
  /** Lines of tries, questions, decisions and the end. */
  readonly lines: readonly string[];
}

/** Runs a phase `note` to its end. */
export async function tell(
  task: AnyModelTask,
  review?: AnyModelTask,
  options: { readonly policy?: Policy; readonly clock?: HurriedClock; readonly onRun?: (run: Run) => void } = {},
): Promise<Told> {
  const { policy, clock = hurriedClock(), onRun } = options;
  const note = phase('note', { tasks: [task], ...(review && { review }) });
  const run = startRun(definePipeline({ name: 'p', phases: [note], ...(policy && { policy }) }), {
    clock,
    input: 'gates',
  });
  onRun?.(run);
  const records: RunRecord[] = [];
  run.events$.subscribe((record) => records.push(record));
  const result = await run.result;
  return { result, records, lines: records.flatMap(({ event }) => lineOf(event)) };
}

/** Starts a server that answers from a list, until the test ends. */
export async function serve(...entries: readonly Entry[]): Promise<Server> {
  const server = await listen(entries);
  onTestFinished(server.close);
  return server;
}

/** Starts a server with a request handler, until the test ends. @returns Its `baseURL`. */
export async function serveBy(listener: RequestListener): Promise<{ readonly url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

/** Options for waits without jitter, so that lines can be compared. */
export const STEADY = { backoff: { jitter: false } };

/** Options of a model behind a server. */
export function modelOf(server: Pick<Server, 'url'>, api: Api) {
  return { model: 'm', api, apiKey: 'k', baseURL: server.url, retry: STEADY };
}

/** A reviewer with a model behind a server. */
export function editorOf(server: Pick<Server, 'url'>, api: Api, more: object = {}) {
  return openaiReviewer('editor', { ...modelOf(server, api), criteria: 'It is short.', ...more });
}

/** A task without a model. */
export function plainTask(...outputs: readonly unknown[]): AnyModelTask {
  let calls = 0;
  return openaiTask('draft', {
    ask: () => {
      const text = String(outputs[Math.min(calls, outputs.length - 1)]);
      calls += 1;
      return Promise.resolve({ text });
    },
  });
}

// --- internal ---

function lineOf(event: RunEvent): readonly string[] {
  if (event.type === 'task.retrying') {
    return [`${event.task} retrying after try ${event.try} in ${event.delayMs} ms: ${messageOf(event.error)}`];
  }
  if (event.type === 'task.failed') return [`${event.task} failed at try ${event.try}: ${messageOf(event.error)}`];
  if (event.type === 'task.completed') return [`${event.task} completed at try ${event.try}`];
  if (event.type === 'review.decided') {
    const { verdict } = event;
    return [`verdict ${verdict.type}${verdict.type === 'unavailable' ? `: ${messageOf(verdict.error)}` : ''}`];
  }
  return event.type === 'run.ended' ? [event.status] : [];
}

function messageOf({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${code} ${message.split('\n', 1)[0]}`;
}
