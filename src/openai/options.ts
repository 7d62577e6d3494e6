/**
 * Which model is asked, and how it is reached.
 *
 * @module
 */
import type { Ask } from '../llm/call/port.ts';
import type { Prices } from '../llm/call/prices.ts';

/**
 * A client of the package `openai` as an application has made it, also one of a class that extends it, such as `AzureOpenAI`. Its key, headers,
 * `fetch`, proxy and organisation are used as they are; its own retries and timeout are not.
 */
export interface OpenAIClient {
  readonly chat: { readonly completions: object };
  readonly responses: object;
  readonly baseURL: string;
}

/** Options that are the same for each way to ask. */
interface Shared {
  /** Prices by model, for `costUsd`. @default no costs are reported */
  readonly prices?: Prices | undefined;
  /**
   * Requests at once, of all tasks and reviewers in this process that ask the same server with the same key, the same `client` or the
   * same `ask`. Others wait for their turn, in order; that counts for their `timeout`. @default 'unlimited'
   */
  readonly concurrency?: number | 'unlimited' | undefined;
  /**
   * Models that are asked in turn where the one before has no whole answer, in the same try: a name is one behind the same server. Records have
   * a warning (`MODEL_FALLBACK`). @default none
   */
  readonly fallback?: readonly Fallback[] | undefined;
}

/** A model that is asked in place of another one. */
export type Fallback = string | Omit<OpenAIModel, 'fallback'> | Omit<OtherModel, 'fallback'>;

/** A model behind an API of OpenAI, or one that is compatible. */
export interface OpenAIModel extends Shared {
  /** The name that the server knows the model by. */
  readonly model: string;
  readonly models?: undefined;
  readonly ask?: undefined;
  /** Responses, or Chat Completions, which most compatible servers have. @default 'responses' */
  readonly api?: 'responses' | 'chat' | undefined;
  /** A client that is ready, in place of `apiKey` and `baseURL`. @default one is made */
  readonly client?: OpenAIClient | undefined;
  /** @default the variable OPENAI_API_KEY; needed unless a server is named */
  readonly apiKey?: string | undefined;
  /** Where the server is, with the version: `http://localhost:11434/v1`. @default the variable OPENAI_BASE_URL, then OpenAI */
  readonly baseURL?: string | undefined;
  /** Whether the server is told the schema of the answer; the model is told in any case. Off for servers that refuse it. @default true */
  readonly structured?: boolean | undefined;
  /** Who serves the model, in the words of `gen_ai.provider.name` of OpenTelemetry. @default by the host of the server, else `openai` */
  readonly provider?: string | undefined;
  /** Whether the answer is asked for in pieces, so that progress can be reported. Off for servers that cannot. @default true */
  readonly stream?: boolean | undefined;
  /** What else is in the request, such as `temperature`, in the words of the API. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Any function that asks a model, in place of the client of OpenAI. */
export interface OtherModel extends Shared {
  readonly ask: Ask;
  /** Who serves the model, in the words of `gen_ai.provider.name` of OpenTelemetry. @default not told */
  readonly provider?: string | undefined;
  /** Under which name `prices` has it. */
  readonly model?: string | undefined;
  readonly models?: undefined;
}

/** Models that an attempt after the other asks, the small one first. */
export interface Ladder {
  readonly model?: undefined;
  /** Attempt 0 asks the first, attempt 1 the second, and so on; the last one is asked in all that follow. `prices` has each. */
  readonly models: readonly [string, ...string[]];
}

/** Several models behind one API. */
export type OpenAILadder = Omit<OpenAIModel, 'model' | 'models'> & Ladder;

/** Several models that a function asks, which is told the name of each. */
export type OtherLadder = Omit<OtherModel, 'model' | 'models'> & Ladder;
