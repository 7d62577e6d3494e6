/**
 * Validation of a model's reply: distinguishes complete answers from refusals, errors and incomplete ones.
 *
 * @module
 */
import { z } from 'zod';
import { maskKnown } from '../../model/values/known-secrets.ts';
import { finishOf } from './finish.ts';
import { excerpt, unusable } from './model-error.ts';
import type { AskReply } from './port.ts';

/** A reply with validated fields. */
export interface ReadReply extends AskReply {
  /** True if its text exceeds the limit; the text is then omitted. */
  readonly isTooLong: boolean;
}

/** Validates the result of `ask`. @throws `MODEL_ANSWER_INVALID` if it is not a reply. */
export function readReply(given: unknown, who: string, most: number): ReadReply {
  const parsed = replySchema.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
    throw unusable(who, `\`ask\` returned a value that is not { text, usage?, finishReason? }: ${lines.join('; ')}`, {
      hint: 'Return the whole text of the answer, and `usage` in tokens.',
      retryable: false,
    });
  }
  const { text, usage, finishReason } = parsed.data;
  const isTooLong = text.length > most;
  return {
    text: isTooLong ? '' : maskKnown(text),
    usage: isUsage(usage) ? usage : undefined,
    finishReason,
    isTooLong,
  };
}

/** The text of a complete answer that is not empty. @throws `MODEL_ANSWER_INVALID` if there is none. */
export function wholeText({ text, finishReason }: AskReply, who: string, retryEmpty: boolean): string {
  const hint = 'Change what is asked, or ask another model.';
  switch (finishOf(finishReason ?? 'stop')) {
    case 'stop':
      if (text.trim() !== '') return text;
      throw unusable(who, 'it is empty', { hint: 'Ask again, or ask another model.', retryable: retryEmpty });
    case 'length':
      throw unusable(who, `it was cut off after ${text.length} characters`, {
        hint: 'Allow the model more tokens, or ask for less.',
        retryable: false,
      });
    case 'refusal': {
      const said = text.trim();
      const found = said === '' ? 'it does not say why' : said.slice(0, LONGEST_REFUSAL);
      throw unusable(who, `the model refused: ${found}`, { hint, retryable: false });
    }
    case 'filtered':
      throw unusable(who, 'a content filter has stopped it', { hint, retryable: false });
    case undefined:
      throw unusable(who, `it ended for an unknown reason: ${excerpt(finishReason ?? '')}`, {
        hint: 'Ask again. If it happens each time, look up the reason in the documentation of the model.',
        retryable: retryEmpty,
      });
  }
}

// --- internal ---

/** Most characters of a refusal in an error. */
const LONGEST_REFUSAL = 4000;

/** Usage is validated separately, so that a defect in it does not cost the answer. */
const replySchema = z.object({ text: z.string(), usage: z.unknown().optional(), finishReason: z.string().nullish() });

function isUsage(usage: unknown): usage is NonNullable<AskReply['usage']> {
  return typeof usage === 'object' && usage !== null;
}
