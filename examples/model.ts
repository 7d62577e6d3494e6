/**
 * The model of the examples, selected by environment variables.
 *
 * @module
 */
import type { OpenAIModel } from 'phasegate/openai';

/**
 * Returns the model if OPENAI_API_KEY is set. EXAMPLE_MODEL is its name, by default `gpt-5-mini`. A server in OPENAI_BASE_URL is
 * called through Chat Completions, which most servers support.
 *
 * @returns `undefined` without OPENAI_API_KEY.
 */
export function modelOf(env: Readonly<Record<string, string | undefined>>): OpenAIModel | undefined {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, EXAMPLE_MODEL: name } = env;
  if (!apiKey) return undefined;
  const model = name || 'gpt-5-mini';
  return baseURL ? { model, apiKey, baseURL, api: 'chat' } : { model, apiKey };
}
