/**
 * The OpenAI client as a function that asks a model.
 *
 * @module
 */
import type { Ask } from '../llm/call/port.ts';
import { askChat } from './chat.ts';
import { clientOf } from './client.ts';
import { readFailure } from './failure.ts';
import type { OpenAIModel } from './options.ts';
import { askResponses } from './responses.ts';

/** Creates a function that asks the model. The package is loaded on its first call. */
export function openaiAsk(options: OpenAIModel): Ask {
  return async (request) => {
    const client = await clientOf(options);
    try {
      const asked = options.api === 'chat' ? askChat : askResponses;
      return await asked(client, options, request);
    } catch (error) {
      // The client ends an aborted stream as if it were complete, which would look like a cut-off answer.
      request.signal.throwIfAborted();
      throw readFailure(error, options.model);
    }
  };
}
