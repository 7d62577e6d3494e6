/**
 * The port of models: one function that takes messages and promises text.
 *
 * @module
 */

/** One message to a model. Instructions of the pipeline are `system`, the data is `user`. */
export interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** The required form of the answer. */
export interface AnswerSchema {
  readonly name: string;
  /** A JSON Schema whose root is an object. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** True if the schema fulfills the rules of strict structured output: closed objects, and every property required. */
  readonly strict: boolean;
}

/** A request to a model. */
export interface AskRequest {
  /** Name of the model, if one is given. */
  readonly model?: string | undefined;
  readonly messages: readonly Message[];
  /** Absent if any text is an answer. The messages describe the schema as well, so a model may ignore it. */
  readonly schema?: AnswerSchema | undefined;
  /** Aborted when the answer is no longer awaited. */
  readonly signal: AbortSignal;
  /**
   * Takes each piece of a streamed answer. Do not call it if the answer is not streamed. It throws, and the signal is aborted, once the
   * pieces exceed `maxAnswerChars`.
   */
  readonly onDelta: (text: string) => void;
  /**
   * Takes the total usage of the answer so far, if the server states it during the answer. A limit of the run can then end the answer in
   * the middle. The last total counts if the reply has no `usage`.
   */
  readonly onUsage: (usage: Usage) => void;
  /** Most characters of the answer. @default 1000000 */
  readonly maxAnswerChars?: number | undefined;
}

/** Usage of an answer, as far as the maker of the model states it. A value that is not a number from 0 counts as absent. */
export interface Usage {
  /** Tokens of the messages, including cached ones. */
  readonly inputTokens?: number | null | undefined;
  /** Tokens of the answer, including reasoning. */
  readonly outputTokens?: number | null | undefined;
  /** All tokens. @default the sum of both */
  readonly totalTokens?: number | null | undefined;
  /** Tokens of the messages that came from a cache. @default 0 */
  readonly cachedInputTokens?: number | null | undefined;
}

/** Finish reason of an answer: it was complete, the length limit was reached, the model refused, or a filter stopped it. */
export type FinishReason = 'stop' | 'length' | 'refusal' | 'filtered';

/** The reply of a model. */
export interface AskReply {
  /** The whole answer. For a refusal, the model's explanation. */
  readonly text: string;
  /** Total usage of the answer. @default the last total of `onUsage` */
  readonly usage?: Usage | null | undefined;
  /**
   * A {@link FinishReason}, or the maker's word for it, such as `end_turn`, `max_tokens` or `content-filter`. An answer with an unknown
   * reason is not used.
   *
   * @default 'stop'
   */
  readonly finishReason?: FinishReason | (string & {}) | null | undefined;
}

/**
 * Asks a model. An error fails the try. The task does not try again after an error with `retryable: false`, and its gate does so only with
 * `permanent: false`. After an error with `retryAfterMs` it waits at least that long.
 */
export type Ask = (request: AskRequest) => Promise<AskReply>;
