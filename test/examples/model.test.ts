import { expect, it } from 'vitest';
import { modelOf } from '../../examples/model.ts';

it.each([
  [{}, undefined],
  [{ OPENAI_API_KEY: '', OPENAI_BASE_URL: 'http://x/v1', EXAMPLE_MODEL: 'm' }, undefined],
  [{ OPENAI_API_KEY: 'k' }, { model: 'gpt-5-mini', apiKey: 'k' }],
  [
    { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://x/v1', EXAMPLE_MODEL: 'm' },
    { model: 'm', apiKey: 'k', baseURL: 'http://x/v1', api: 'chat' },
  ],
])('modelOf() reads %j', (env, model) => {
  expect(modelOf(env)).toEqual(model);
});
