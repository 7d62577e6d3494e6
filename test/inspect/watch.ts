/**
 * A viewer of inspected runs: a real WebSocket, with what it got.
 *
 * @module
 */
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

/** A message as the inspector of Stately reads it. */
export interface Message {
  readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot';
  readonly sessionId: string;
  readonly rootId: string;
  readonly parentId?: string;
  readonly name?: string;
  readonly definition?: string;
  readonly event?: { readonly type: string };
  readonly snapshot?: { readonly status: string; readonly value?: string; readonly context?: Record<string, unknown> };
}

/** A viewer that is connected. */
export interface Watch {
  readonly socket: WebSocket;
  readonly messages: readonly Message[];
  /** Resolves once what it got is as asked for. */
  until(isSo: (messages: readonly Message[]) => boolean): Promise<void>;
  /** Resolves with the code that the connection ended with. */
  readonly closed: Promise<number>;
}

/** Connects to an inspected run. */
export async function watch(address: string, headers: Record<string, string> = {}): Promise<Watch> {
  const socket = new WebSocket(address, { headers });
  onTestFinished(() => socket.terminate());
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    messages.push(JSON.parse(data.toString()) as Message);
    for (const look of waiting) look();
  });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    socket,
    messages,
    closed,
    until: (isSo) =>
      new Promise((resolve) => {
        const look = () => {
          if (!isSo(messages)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

/** The status that a request to connect is refused with. */
export function refusal(address: string, headers: Record<string, string>): Promise<number | undefined> {
  const socket = new WebSocket(address, { headers });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.once('open', () => resolve(undefined));
  });
}

/**
 * Which states each statechart was in, by its name, in order; one entry for each actor. The states of work that phases have done
 * are not among them.
 */
export function statesOf(messages: readonly Message[]): readonly string[] {
  return chartsOf(messages).map(({ name, sessionId }) => {
    const values = messages
      .filter((message) => message.type === '@xstate.snapshot' && message.sessionId === sessionId)
      .map((message) => message.snapshot?.value ?? '');
    return `${name}: ${values.filter((value, at) => value !== values[at - 1]).join(' ')}`;
  });
}

/** The registrations of statecharts. */
export function chartsOf(messages: readonly Message[]): readonly Message[] {
  return messages.filter((message) => message.type === '@xstate.actor' && message.definition?.includes('"states"'));
}

/** Whether the run is known to have ended. */
export function isOver(messages: readonly Message[]): boolean {
  return messages.some(({ sessionId, rootId, snapshot }) => sessionId === rootId && snapshot?.status === 'done');
}
