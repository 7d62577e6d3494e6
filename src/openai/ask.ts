/**
 * The client of OpenAI as a function that asks a model.
 *
 * @module
 */
import { ModelError } from '../llm/model-error.ts';
import type { Ask } from '../llm/port.ts';
import { askChat } from './chat.ts';
import { readFailure } from './failure.ts';
import type { OpenAIModel } from './options.ts';
import { askResponses } from './responses.ts';

/** A function that asks the model. The package is loaded when it is first called. */
export function openaiAsk(options: OpenAIModel): Ask {
  return async (request) => {
    const client = await createClient(options);
    try {
      const asked = options.api === 'chat' ? askChat : askResponses;
      return await asked(client, options, request);
    } catch (error) {
      // The client ends a stream that is aborted as if it were complete, so that it looks cut off.
      request.signal.throwIfAborted();
      throw readFailure(error, options.model);
    }
  };
}

/** Loads the package. @throws `PACKAGE_MISSING` where it is not installed. */
export async function loadPackage<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new ModelError('PACKAGE_MISSING', 'Cannot ask a model of OpenAI as the package "openai" is not installed', {
      hint: 'Run `npm install openai`, or give a function of your own as `ask`.',
      retryable: false,
      cause,
    });
  }
}

// --- internal ---

/** Longest delay that timers keep: the task's own timeout is the one that counts. */
const LONGEST = 2_147_483_647;

async function createClient({ apiKey, baseURL, model }: OpenAIModel) {
  const { OpenAI } = await loadPackage(() => import('openai'));
  const key = apiKey ?? process.env['OPENAI_API_KEY'];
  const server = baseURL ?? process.env['OPENAI_BASE_URL'];
  if (!key && !server) {
    throw new ModelError('MODEL_FAILED', `Cannot ask model "${model}" as there is no API key`, {
      hint: 'Set the variable OPENAI_API_KEY, or give `apiKey`; servers that need none are named by `baseURL`.',
      retryable: false,
    });
  }
  return new OpenAI({
    apiKey: key || 'none',
    ...(server && { baseURL: server }),
    // Tries are the task's, so that each is on record and none is hidden.
    maxRetries: 0,
    timeout: LONGEST,
    logLevel: 'off',
  });
}

function isMissing(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && /\bopenai\b/u.test(String(error));
}
