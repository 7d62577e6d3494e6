/**
 * Messages of the protocol between a program's standard input and output.
 *
 * @module
 */
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { ProcessInput } from '../actors/command/process.ts';
import type { AgentEvent } from '../agents/agent-event.ts';
import { fieldsOf } from '../agents/jsonl/json-fields.ts';
import { createLineSplitter } from '../agents/process/line-splitter.ts';

/** Receivers of what the connection does not get. */
export interface MessageReceiver {
  /** Takes the parameters of an update. The package would print one that it does not know on the console, and drop it. */
  readonly update: (params: unknown) => void;
  /** Takes a line that is no message. */
  readonly tell: (event: AgentEvent) => void;
}

/** A stream of messages, fed with the output of a program. */
export interface MessageStream {
  readonly stream: Stream;
  /** Takes a piece of standard output. */
  push(chunk: Uint8Array): void;
  /** Ends the stream, as the program has ended. */
  end(): void;
}

/**
 * Creates the stream. A line that is too long or is no message, and a response that was not asked for, is told as raw: the package would
 * print it on the console, or end the connection.
 *
 * @param most Most bytes of a line.
 */
export function createMessageStream(
  input: ProcessInput,
  most: number,
  { update, tell }: MessageReceiver,
): MessageStream {
  const asked = new Set<unknown>();
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  let isOpen = true;
  const lines = createLineSplitter(most, {
    line(text) {
      const message = messageIn(text);
      if (message && 'method' in message && !('id' in message) && message.method === UPDATE) {
        update(message.params);
        return;
      }
      const isExpected = message && ('method' in message || asked.delete(message.id));
      if (isExpected && isOpen) controller?.enqueue(message);
      else tell({ type: 'raw', because: message ? 'unknown' : 'notJson', text });
    },
    tooLong: (start, bytes) => tell({ type: 'raw', because: 'tooLong', text: `${start}… (${bytes} bytes)` }),
  });
  const close = () => {
    isOpen = false;
  };
  return {
    stream: {
      readable: new ReadableStream<AnyMessage>({ start: (made) => void (controller = made), cancel: close }),
      writable: new WritableStream<AnyMessage>({
        write(message) {
          if ('method' in message && 'id' in message) asked.add(message.id);
          input.write(encoder.encode(`${JSON.stringify(message)}\n`));
        },
      }),
    },
    push: (chunk) => lines.push(chunk),
    end() {
      lines.end();
      if (isOpen) controller?.close();
      isOpen = false;
    },
  };
}

// --- internal ---

/** The notification of an update. */
const UPDATE = 'session/update';

/** The message in a line; `undefined` if it has not the form of one. */
function messageIn(text: string): AnyMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is AnyMessage {
  const { jsonrpc, id, method, error, ...rest } = fieldsOf(value);
  if (jsonrpc !== '2.0') return false;
  const hasId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') return id === undefined || hasId;
  const { code, message } = fieldsOf(error);
  const isError = typeof code === 'number' && typeof message === 'string';
  return hasId && method === undefined && 'result' in rest !== isError;
}
