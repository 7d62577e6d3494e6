import { describe, expect, it } from 'vitest';
import { providerOf } from '../../src/openai/provider.ts';

describe('providerOf()', () => {
  it.each([
    [{ baseURL: 'https://api.openai.com/v1' }, 'openai'],
    [{ baseURL: 'https://mine.openai.azure.com/openai/v1' }, 'azure.ai.openai'],
    [{ baseURL: 'https://api.mistral.ai/v1' }, 'mistral_ai'],
    [{ baseURL: 'https://notmistral.ai/v1' }, 'openai'],
    [{ baseURL: 'http://localhost:11434/v1' }, 'openai'],
    [{ baseURL: 'no address' }, 'openai'],
    [{ baseURL: 'https://api.mistral.ai/v1', provider: 'mine' }, 'mine'],
  ])('%j is served by %s', (options, provider) => {
    expect(providerOf(options)).toBe(provider);
  });
});
