/**
 * Which model is asked, and how it is reached.
 *
 * @module
 */
import type { Ask } from '../llm/port.ts';
import type { Prices } from '../llm/prices.ts';

/** A model behind an API of OpenAI, or one that is compatible. */
export interface OpenAIModel {
  /** The name that the server knows the model by. */
  readonly model: string;
  readonly models?: undefined;
  readonly ask?: undefined;
  /** Responses, or Chat Completions, which most compatible servers have. @default 'responses' */
  readonly api?: 'responses' | 'chat' | undefined;
  /** @default the variable OPENAI_API_KEY; needed unless a server is named */
  readonly apiKey?: string | undefined;
  /** Where the server is, with the version: `http://localhost:11434/v1`. @default the variable OPENAI_BASE_URL, then OpenAI */
  readonly baseURL?: string | undefined;
  /** Whether the server is told the schema of the answer; the model is told in any case. Off for servers that refuse it. @default true */
  readonly structured?: boolean | undefined;
  /** Who serves the model, in the words of `gen_ai.provider.name` of OpenTelemetry. @default by the host of the server, else `openai` */
  readonly provider?: string | undefined;
  /** What else is in the request, such as `temperature`, in the words of the API. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Prices by model, for `costUsd`. @default no costs are reported */
  readonly prices?: Prices | undefined;
}

/** Any function that asks a model, in place of the client of OpenAI. */
export interface OtherModel {
  readonly ask: Ask;
  /** Who serves the model, in the words of `gen_ai.provider.name` of OpenTelemetry. @default not told */
  readonly provider?: string | undefined;
  /** Under which name `prices` has it. */
  readonly model?: string | undefined;
  readonly models?: undefined;
  /** Prices by model, for `costUsd`. @default no costs are reported */
  readonly prices?: Prices | undefined;
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
