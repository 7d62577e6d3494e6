/**
 * Asking the server.
 *
 * @module
 */
import { useEffect, useState } from 'react';
import type { Refusal } from '../../../../src/server/api.ts';
import { fromWire } from './wire.ts';

/** Why something was not done, with the code and the hint that the server gave. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: string;
  readonly hint: string | undefined;

  constructor({ error }: Refusal) {
    super(error.message);
    this.code = error.code;
    this.hint = error.hint;
  }
}

/** Reads something. @throws Refused */
export async function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answerOf<T>(await sent(path, signal ? { signal } : {}));
}

/** Has something done. @throws Refused */
export async function tell<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return answerOf<T>(await sent(path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

/** What was asked for, or why it cannot be had. */
export type Asked<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'there'; readonly value: T }
  | { readonly state: 'refused'; readonly error: Refused; readonly value?: T | undefined };

/**
 * Asks for something, and again whenever `version` is another: what was there is shown until then.
 *
 * @param path `null` where there is nothing to ask for.
 */
export function useAsked<T>(path: string | null, version: number | string = 0): Asked<T> {
  const [asked, setAsked] = useState<{ readonly path: string | null; readonly answer: Asked<T> }>({
    path,
    answer: { state: 'loading' },
  });
  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    ask<T>(path, abort.signal).then(
      (value) => setAsked({ path, answer: { state: 'there', value } }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setAsked((before) => ({ path, answer: refusedAfter(before.path === path ? before.answer : undefined, error) }));
      },
    );
    return () => abort.abort();
  }, [path, version]);
  return asked.path === path ? asked.answer : { state: 'loading' };
}

// --- internal ---

async function sent(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, request);
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new Refused({
      error: {
        code: 'UNREACHABLE',
        message: 'The server of this dashboard does not answer',
        hint: 'Was phasegate stopped? Start it again and open the address that it prints.',
      },
    });
  }
}

async function answerOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.ok) return fromWire<T>(text);
  throw new Refused(refusalIn(text) ?? { error: { code: `HTTP_${response.status}`, message: response.statusText } });
}

function refusalIn(text: string): Refusal | undefined {
  try {
    const body = fromWire<unknown>(text);
    return isRefusal(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isRefusal(body: unknown): body is Refusal {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object';
}

function refusedAfter<T>(before: Asked<T> | undefined, thrown: unknown): Asked<T> {
  const error = thrown instanceof Refused ? thrown : new Refused({ error: { code: 'APP', message: String(thrown) } });
  return { state: 'refused', error, value: before && 'value' in before ? before.value : undefined };
}
