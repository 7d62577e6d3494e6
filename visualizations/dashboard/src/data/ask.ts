/**
 * Requests to the server.
 *
 * @module
 */
import { useEffect, useRef, useState } from 'react';
import type { Refusal } from '../../../../src/server/api.ts';
import { addressOf } from './address.ts';
import { parseResponse } from './json-protocol.ts';

/** A refused request, with the code and the hint of the server. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: string;
  readonly hint: string | undefined;
  /** The problems of a refused input. */
  readonly problems: NonNullable<Refusal['error']['problems']>;

  constructor({ error }: Refusal) {
    super(error.message);
    this.problems = error.problems ?? [];
    this.code = error.code;
    this.hint = error.hint;
  }
}

/** The code for a server that cannot be reached. */
export const UNREACHABLE = 'UNREACHABLE';

/** Reads from the server. @throws Refused */
export async function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  const begun = await takeEarly(path);
  return answerOf<T>(begun ?? (await sent(path, signal ? { signal } : {})));
}

/** Begins to read before the page that needs it is drawn. The first `ask` for the path takes the response. */
export function askEarly(path: string): void {
  const begun = sent(path, {}).catch(() => undefined);
  early.set(path, begun);
}

/** Posts to the server. @throws Refused */
export async function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return answerOf<T>(await sent(path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

/** The state of a request. A refused one may still have the value of an earlier response. */
export type Asked<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'there'; readonly value: T }
  | { readonly state: 'refused'; readonly error: Refused; readonly value?: T | undefined };

/**
 * Reads from the server, and reads again each time `version` changes. The previous value stays until the new one is there.
 *
 * It never sends two requests at once. Changes during a request cause one more request after it. So a value that changes all the
 * time is shown as often as the server can send it.
 *
 * @param path `null` if there is nothing to read.
 */
export function useAsked<T>(path: string | null, version: number | string = 0): Asked<T> {
  const [asked, setAsked] = useState<{ readonly path: string | null; readonly answer: Asked<T> }>({
    path,
    answer: { state: 'loading' },
  });
  const asking = useRef<Asking | null>(null);
  useEffect(() => {
    if (path === null) return undefined;
    const own: Asking = { abort: new AbortController(), isStale: false };
    const { signal } = own.abort;
    asking.current = own;
    const keepAsking = async () => {
      for (;;) {
        own.isStale = false;
        const answer = await answerTo<T>(path, signal);
        if (signal.aborted) return;
        setAsked((before) => ({ path, answer: before.path === path ? after(before.answer, answer) : answer }));
        if (!(await hasGoneStale(own))) return;
      }
    };
    void keepAsking();
    return () => {
      own.abort.abort();
      own.wake?.();
      asking.current = null;
    };
  }, [path]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const own = asking.current;
    if (!own) return;
    own.isStale = true;
    own.wake?.();
  }, [version]);
  return asked.path === path ? asked.answer : { state: 'loading' };
}

/** Converts anything thrown into a refusal. */
export function refusedBy(thrown: unknown): Refused {
  return thrown instanceof Refused ? thrown : new Refused({ error: { code: 'APP', message: String(thrown) } });
}

// --- internal ---

/** Requests that nobody has asked for yet, by path. */
const early = new Map<string, Promise<Response | undefined>>();

/** Takes an early response. One that was refused is asked for again, as the page may be drawn much later. */
async function takeEarly(path: string): Promise<Response | undefined> {
  const begun = early.get(path);
  early.delete(path);
  const response = await begun;
  return response?.ok ? response : undefined;
}

interface Asking {
  readonly abort: AbortController;
  /** True if something may have changed since the last request. */
  isStale: boolean;
  wake?: () => void;
}

/** Milliseconds between two requests. */
const PAUSE_MS = 250;

/** Waits for a change after a short pause. @returns False if the component no longer needs the value. */
async function hasGoneStale(own: Asking): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  if (!own.isStale && !own.abort.signal.aborted) await new Promise<void>((resolve) => (own.wake = resolve));
  return !own.abort.signal.aborted;
}

async function answerTo<T>(path: string, signal: AbortSignal): Promise<Asked<T>> {
  try {
    return { state: 'there', value: await ask<T>(path, signal) };
  } catch (thrown) {
    return { state: 'refused', error: refusedBy(thrown) };
  }
}

/** A failed request keeps the previous value. */
function after<T>(before: Asked<T>, now: Asked<T>): Asked<T> {
  if (now.state !== 'refused') return now;
  return { ...now, value: 'value' in before ? before.value : undefined };
}

async function sent(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(addressOf(path), request);
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new Refused({
      error: {
        code: UNREACHABLE,
        message: 'The dashboard server does not respond',
        hint: 'phasegate may have stopped. This page reconnects when it runs again on the same port. On another port, open the URL that it prints.',
      },
    });
  }
}

async function answerOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.ok) return parseResponse<T>(text);
  throw new Refused(refusalIn(text) ?? { error: { code: `HTTP_${response.status}`, message: response.statusText } });
}

function refusalIn(text: string): Refusal | undefined {
  try {
    const body = parseResponse<unknown>(text);
    return isRefusal(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isRefusal(body: unknown): body is Refusal {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object';
}
