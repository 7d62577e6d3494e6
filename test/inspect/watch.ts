/**
 * A viewer of inspected runs: a real WebSocket that stores its messages.
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

/** A connected viewer. */
export interface Watch {
  readonly socket: WebSocket;
  readonly messages: readonly Message[];
  /** Resolves once the messages satisfy the condition. */
  until(isSo: (messages: readonly Message[]) => boolean): Promise<void>;
  /** Resolves with the code of the end of the connection. */
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

/** Returns the status of a refused request to connect. */
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
 * Returns the states of each statechart in order, one line for each actor with its name. States of finished work are
 * excluded.
 */
export function statesOf(messages: readonly Message[]): readonly string[] {
  return chartsOf(messages).map(({ name, sessionId }) => {
    const values = messages
      .filter((message) => message.type === '@xstate.snapshot' && message.sessionId === sessionId)
      .map((message) => message.snapshot?.value ?? '');
    return `${name}: ${values.filter((value, at) => value !== values[at - 1]).join(' ')}`;
  });
}

/** Returns the registrations of statecharts. */
export function chartsOf(messages: readonly Message[]): readonly Message[] {
  return messages.filter((message) => message.type === '@xstate.actor' && message.definition?.includes('"states"'));
}

/** True if the messages contain the end of the run. */
export function isOver(messages: readonly Message[]): boolean {
  return messages.some(({ sessionId, rootId, snapshot }) => sessionId === rootId && snapshot?.status === 'done');
}
