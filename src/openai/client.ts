/**
 * The client for requests: a given one, or a new one.
 *
 * @module
 */
import type { OpenAI } from 'openai';
import { ModelError } from '../llm/call/model-error.ts';
import { isMissing } from '../model/errors/phasegate-error.ts';
import type { OpenAIClient, OpenAIModel } from './options.ts';

/** The key and the server from the options or the environment. */
export function serverOf({ apiKey, baseURL }: Pick<OpenAIModel, 'apiKey' | 'baseURL'>) {
  return {
    key: apiKey ?? process.env['OPENAI_API_KEY'],
    server: baseURL ?? process.env['OPENAI_BASE_URL'],
  };
}

/** The client of a model. @throws `PACKAGE_MISSING` if a new one is needed and the package is not installed. */
export async function clientOf(options: OpenAIModel): Promise<OpenAI> {
  const { client, model } = options;
  if (client) {
    if (isClient(client)) return client;
    throw new ModelError('MODEL_FAILED', `Cannot ask model "${model}" as \`client\` is not a client of OpenAI`, {
      hint: 'Give `new OpenAI(…)` or `new AzureOpenAI(…)` of the package "openai", or a function as `ask`.',
      retryable: false,
    });
  }
  const { OpenAI } = await loadPackage(() => import('openai'));
  const { key, server } = serverOf(options);
  if (!key && !server) {
    throw new ModelError('MODEL_FAILED', `Cannot ask model "${model}" as there is no API key`, {
      hint: 'Set the variable OPENAI_API_KEY, or give `apiKey`; for a server without keys, give `baseURL`.',
      retryable: false,
    });
  }
  return new OpenAI({ apiKey: key || 'none', ...(server && { baseURL: server }), logLevel: 'off' });
}

/** Loads the package. @throws `PACKAGE_MISSING` if it is not installed. */
export async function loadPackage<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause, 'openai')) throw cause;
    throw new ModelError('PACKAGE_MISSING', 'Cannot ask a model of OpenAI as the package "openai" is not installed', {
      hint: 'Run `npm install openai`, or give a function of your own as `ask`.',
      retryable: false,
      cause,
    });
  }
}

// --- internal ---

function isClient(client: OpenAIClient): client is OpenAI {
  return [client.chat?.completions, client.responses].every(
    (one) => typeof one === 'object' && one !== null && typeof Reflect.get(one, 'create') === 'function',
  );
}
