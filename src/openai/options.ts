/**
 * Options for the choice of a model and its server.
 *
 * @module
 */
import type { Ask } from '../llm/call/port.ts';
import type { Prices } from '../llm/call/prices.ts';

/**
 * A client of the package `openai`, as created by the application. Subclasses such as `AzureOpenAI` work as well. Its key, headers, `fetch`, proxy
 * and organisation are used. Its own retries and timeout are not.
 */
export interface OpenAIClient {
  readonly chat: { readonly completions: object };
  readonly responses: object;
  readonly baseURL: string;
}

/** Options that all kinds of models share. */
interface Shared {
  /** Prices by model, for `costUsd`. @default no costs are reported */
  readonly prices?: Prices | undefined;
  /**
   * Most concurrent requests to one server, of all tasks and reviewers in this process. A server is a URL with a key, a `client`, or an
   * `ask` function. Further requests wait in order, and their `timeout` includes that wait.
   *
   * @default 'unlimited'
   */
  readonly concurrency?: number | 'unlimited' | undefined;
  /**
   * Models that are asked in order if the previous one gives no complete answer, within the same try. A name is a model behind the same server.
   * Records have a warning (`MODEL_FALLBACK`).
   *
   * @default none
   */
  readonly fallback?: readonly Fallback[] | undefined;
}

/** A model that is asked in place of another one. */
export type Fallback = string | Omit<OpenAIModel, 'fallback'> | Omit<OtherModel, 'fallback'>;

/** A model behind an API of OpenAI, or a compatible one. */
export interface OpenAIModel extends Shared {
  /** Name of the model on the server. */
  readonly model: string;
  readonly models?: undefined;
  readonly ask?: undefined;
  /** Responses, or Chat Completions, which most compatible servers support. @default 'responses' */
  readonly api?: 'responses' | 'chat' | undefined;
  /** An existing client, in place of `apiKey` and `baseURL`. @default a new one */
  readonly client?: OpenAIClient | undefined;
  /** @default the variable OPENAI_API_KEY; required unless a server is given */
  readonly apiKey?: string | undefined;
  /** URL of the server, with the version: `http://localhost:11434/v1`. @default the variable OPENAI_BASE_URL, then OpenAI */
  readonly baseURL?: string | undefined;
  /** False for servers that refuse a schema in the request. The messages contain the schema in any case. @default true */
  readonly structured?: boolean | undefined;
  /** Provider of the model, as a value of `gen_ai.provider.name` of OpenTelemetry. @default by the host of the server, else `openai` */
  readonly provider?: string | undefined;
  /** True to stream the answer, so that progress can be reported. False for servers that cannot. @default true */
  readonly stream?: boolean | undefined;
  /** Further parameters of the request, such as `temperature`, as the API names them. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Any function that asks a model, in place of the OpenAI client. */
export interface OtherModel extends Shared {
  readonly ask: Ask;
  /** Provider of the model, as a value of `gen_ai.provider.name` of OpenTelemetry. @default not reported */
  readonly provider?: string | undefined;
  /** Name of the model in `prices`. */
  readonly model?: string | undefined;
  readonly models?: undefined;
}

/** Models for consecutive attempts, usually the smallest first. */
export interface Ladder {
  readonly model?: undefined;
  /** Attempt 0 asks the first, attempt 1 the second, and so on. The last one serves all later attempts. `prices` must have each. */
  readonly models: readonly [string, ...string[]];
}

/** Several models behind one API. */
export type OpenAILadder = Omit<OpenAIModel, 'model' | 'models'> & Ladder;

/** Several models behind one function, which gets the name of each. */
export type OtherLadder = Omit<OtherModel, 'model' | 'models'> & Ladder;
