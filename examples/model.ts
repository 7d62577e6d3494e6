/**
 * Which model the examples ask, by the environment.
 *
 * @module
 */
import type { OpenAIModel } from 'phasegate/openai';

/**
 * The model where OPENAI_API_KEY is set, else none. EXAMPLE_MODEL names it; by default it is `gpt-5-mini`. Where OPENAI_BASE_URL
 * names another server, that is asked by Chat Completions, which most of them have.
 */
export function modelOf(env: Readonly<Record<string, string | undefined>>): OpenAIModel | undefined {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, EXAMPLE_MODEL: name } = env;
  if (!apiKey) return undefined;
  const model = name || 'gpt-5-mini';
  return baseURL ? { model, apiKey, baseURL, api: 'chat' } : { model, apiKey };
}
