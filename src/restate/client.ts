/**
 * A client of runs on Restate: it starts, answers, cancels and shows them, through the ingress of the server.
 *
 * @module
 */
import type { Pipeline } from '../model/definition/define.ts';
import { errorInfo, PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';
import type { Limits } from '../model/plan/policy-schema.ts';
import type { AnswerOptions, Reply } from '../projections/inbox/reply.ts';
import { errorOf, namesOf, type Answered, type RunReport } from './messages.ts';

/** Options of {@link restateRuns}. */
export interface RestateRunsOptions {
  /** Address of the ingress of Restate, such as `http://localhost:8080`. */
  readonly ingress: string;
  /** As `name` of `restateServices`. @default `phasegate` */
  readonly name?: string | undefined;
  /** Headers of each request, such as a token of Restate Cloud. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of the start of a run. */
export interface RestateStartOptions<I = unknown> {
  /** Letters, digits and `. _ : @ -`, at most 128. A run with that id is started once. */
  readonly runId: string;
  /** The input of the run. JSON, validated by the pipeline's `input` schema if it has one. */
  readonly input?: I | undefined;
  /** True if a person is available: a failed review then waits for a decision. @default false */
  readonly attended?: boolean | undefined;
  /** Limits of this run next to those of its pipeline. @default none */
  readonly limits?: Limits | undefined;
}

/**
 * Runs on Restate. Each call rejects with a PhasegateError `RESTATE_FAILED` if the server cannot be reached, or does not answer with JSON.
 */
export interface RestateRuns {
  /**
   * Starts a run, and resolves once its first records are stored.
   *
   * @returns `exists` if there is a run with that id. It is not changed.
   * @throws PhasegateError `INPUT_INVALID`; `PIPELINE_UNSUPPORTED`; `DEFINITION_INVALID` if no worker serves a pipeline of that name.
   */
  start<O, I>(pipeline: Pipeline<O, I>, options: RestateStartOptions<I>): Promise<'started' | 'exists'>;
  /**
   * Answers an item of the inbox. Resolves once the answer is accepted, after which no other is.
   *
   * @throws PhasegateError as `answer` of a run: `ANSWERED`, `ANSWER_INVALID`, `ANSWER_STALE`, `DECISION_INVALID`, `ITEM_UNKNOWN`; `RUN_UNKNOWN`.
   */
  answer(runId: string, item: string, reply: Reply, options?: AnswerOptions): Promise<void>;
  /** Cancels a run, and aborts its work. Does nothing once it has ended. @throws PhasegateError `RUN_UNKNOWN` */
  cancel(runId: string, reason?: string): Promise<void>;
  /** The state of a run. @throws PhasegateError `RUN_UNKNOWN` */
  get(runId: string): Promise<RunReport>;
  /** Records of a run, oldest first; none if there is no such run. @param from Number of the first. @default 1 */
  records(runId: string, from?: number): Promise<readonly RunRecord[]>;
}

/** Creates a client. It needs no package, and works in a browser. */
export function restateRuns({ ingress, name = 'phasegate', headers }: RestateRunsOptions): RestateRuns {
  const service = `${ingress.replace(/\/$/u, '')}/${namesOf(name).run}`;

  async function call<T>(runId: string, handler: string, body?: unknown): Promise<Answered<T>> {
    const url = `${service}/${encodeURIComponent(runId)}/${handler}`;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${response.status} ${(await response.text()).slice(0, MOST_SHOWN)}`);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own services answer with this type
      return (await response.json()) as Answered<T>;
    } catch (cause) {
      throw failed(url, cause);
    }
  }

  async function ask<T>(runId: string, handler: string, body?: unknown): Promise<T> {
    const answered = await call<T>(runId, handler, body);
    if (answered.ok) return answered.value;
    throw errorOf(answered.refusal);
  }

  return {
    start(pipeline, { runId, input, attended, limits }) {
      return ask(runId, 'start', { pipeline: pipeline.name, input, attended, limits });
    },
    async answer(runId, item, reply, { by, nonce } = {}) {
      await ask(runId, 'answer', { item, reply, by, nonce });
    },
    async cancel(runId, reason = 'cancelled') {
      await ask(runId, 'cancel', { reason });
    },
    get: (runId) => ask(runId, 'get'),
    records: (runId, from = 1) => ask(runId, 'records', { from }),
  };
}

// --- internal ---

/** Most characters of a response that are shown in an error. */
const MOST_SHOWN = 500;

function failed(url: string, cause: unknown): PhasegateError {
  const problem = `Cannot call ${url} as Restate gives no answer: ${errorInfo(cause).message}`;
  return new PhasegateError('RESTATE_FAILED', problem, {
    hint: 'Start the server, register a worker that serves these services, and check the address of the ingress.',
    cause,
  });
}
