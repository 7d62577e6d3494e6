/**
 * How a model is asked, whoever makes it: one function that takes messages and promises text.
 *
 * @module
 */

/** One message to a model. What the pipeline says is `system`, what it is about is `user`. */
export interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** The form that the answer has to have. */
export interface AnswerSchema {
  readonly name: string;
  /** A JSON Schema whose root is an object. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Whether the schema keeps to what strict structured output allows: closed objects, and every property required. */
  readonly strict: boolean;
}

/** What a model is asked. */
export interface AskRequest {
  /** Which model is meant, where one is named. */
  readonly model?: string | undefined;
  readonly messages: readonly Message[];
  /** Absent where any text is an answer. The messages say what it says, so it may be left unused. */
  readonly schema?: AnswerSchema | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /**
   * Told each piece of the answer as it comes. To be called where the answer is streamed, and not otherwise. Throws once the pieces
   * have more than `maxAnswerChars`; the signal is aborted then as well.
   */
  readonly onDelta: (text: string) => void;
  /**
   * Told what the answer has used so far, all of it each time, where that is known while the answer comes: so a limit of the run ends it in the
   * middle. What was told last counts if the reply has no `usage`.
   */
  readonly onUsage: (usage: Usage) => void;
  /** Characters of the answer that are taken at most. @default 1000000 */
  readonly maxAnswerChars?: number | undefined;
}

/** Usage of an answer, as far as the maker of the model says it. What is no number from 0 counts as absent. */
export interface Usage {
  /** Tokens of the messages, those from a cache included. */
  readonly inputTokens?: number | null | undefined;
  /** Tokens of the answer, those of reasoning included. */
  readonly outputTokens?: number | null | undefined;
  /** All tokens. @default the sum of both */
  readonly totalTokens?: number | null | undefined;
  /** How many tokens of the messages came from a cache. @default 0 */
  readonly cachedInputTokens?: number | null | undefined;
}

/** Why an answer ended: it was complete, the length was over, the model refused, or a filter stopped it. */
export type FinishReason = 'stop' | 'length' | 'refusal' | 'filtered';

/** What a model answers. */
export interface AskReply {
  /** The whole answer. Of a refusal, what the model says about it. */
  readonly text: string;
  /** All that the answer has used. @default what `onUsage` was told last */
  readonly usage?: Usage | null | undefined;
  /**
   * A {@link FinishReason}, or the word of the maker for it, such as `end_turn`, `max_tokens` or `content-filter`. An answer that ended
   * for a reason that is not known is not used. @default 'stop'
   */
  readonly finishReason?: FinishReason | (string & {}) | null | undefined;
}

/**
 * Asks a model. What it throws is a failed try: an error with `retryable: false` is not tried again, by no gate either unless it
 * has `permanent: false`, and one with `retryAfterMs` not before that time.
 */
export type Ask = (request: AskRequest) => Promise<AskReply>;
