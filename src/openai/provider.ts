/**
 * The provider of a model, by the names of OpenTelemetry.
 *
 * @module
 */
import type { OpenAIModel } from './options.ts';

/**
 * Determines the provider of a model: from the options, otherwise by the host of the server.
 *
 * @returns A value of `gen_ai.provider.name`. An unknown host counts as `openai`, as its protocol does.
 */
export function providerOf({
  provider,
  baseURL,
  client,
}: Pick<OpenAIModel, 'provider' | 'baseURL' | 'client'>): string {
  if (provider !== undefined) return provider;
  const server = baseURL ?? client?.baseURL ?? process.env['OPENAI_BASE_URL'];
  const host = server === undefined || !URL.canParse(server) ? '' : new URL(server).hostname;
  const known = PROVIDERS.find(([domain]) => host === domain || host.endsWith(`.${domain}`));
  return known?.[1] ?? 'openai';
}

// --- internal ---

/** Domains with their providers. Source: the registry of `gen_ai.provider.name`, version 1.42.0-dev. */
const PROVIDERS: readonly (readonly [domain: string, provider: string])[] = [
  ['openai.azure.com', 'azure.ai.openai'],
  ['services.ai.azure.com', 'azure.ai.inference'],
  ['anthropic.com', 'anthropic'],
  ['generativelanguage.googleapis.com', 'gcp.gemini'],
  ['aiplatform.googleapis.com', 'gcp.vertex_ai'],
  ['amazonaws.com', 'aws.bedrock'],
  ['cohere.com', 'cohere'],
  ['deepseek.com', 'deepseek'],
  ['groq.com', 'groq'],
  ['mistral.ai', 'mistral_ai'],
  ['perplexity.ai', 'perplexity'],
  ['x.ai', 'x_ai'],
];
