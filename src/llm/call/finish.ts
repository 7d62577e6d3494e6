/**
 * Finish reasons of answers, by the words of model makers.
 *
 * @module
 */
import type { FinishReason } from './port.ts';

/**
 * The finish reason for a word.
 *
 * @returns `undefined` for an unknown word. Such an answer does not count as complete.
 */
export function finishOf(word: string): FinishReason | undefined {
  return word.length > LONGEST ? undefined : REASONS.get(word.toLowerCase().replaceAll('-', '_'));
}

// --- internal ---

/** Longest word that is looked up, in characters. */
const LONGEST = 40;

/** Words of OpenAI, of makers with an API of their own, and of compatible servers. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['stop_sequence', 'stop'],
  ['end_turn', 'stop'],
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['complete', 'stop'],
  ['completed', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
  ['filtered', 'filtered'],
  ['content_filter', 'filtered'],
  ['content_filtered', 'filtered'],
  ['safety', 'filtered'],
  ['recitation', 'filtered'],
  ['blocklist', 'filtered'],
  ['prohibited_content', 'filtered'],
]);
