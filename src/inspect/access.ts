/**
 * Who may look at an inspected run: whoever knows its address, from this machine, and no other page of a browser.
 *
 * @module
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The address that everything is served on: other machines cannot reach it. */
export const LOOPBACK = '127.0.0.1';

/** A new secret part of an address, 128 bits of chance. */
export function createToken(): string {
  return randomBytes(16).toString('base64url');
}

/**
 * Why a request is refused, as a status of HTTP; `undefined` where it is not.
 *
 * The secret in the path keeps out other users of the machine and all pages that were not given it. Origin and host keep out pages
 * that were: those of the web, and names of the web that lead to this machine.
 *
 * @param pages Origins, beside those of this machine, whose pages may read.
 */
export function refusalOf(request: IncomingMessage, token: string, pages: readonly string[]): 403 | 404 | undefined {
  const { host, origin } = request.headers;
  if (host === undefined || !isLocal(`http://${host}`)) return 403;
  if (origin !== undefined && !isLocal(origin) && !pages.includes(origin)) return 403;
  const [path = ''] = (request.url ?? '').split('?');
  return isSame(path.replace(/^\/|\/$/gu, ''), token) ? undefined : 404;
}

// --- internal ---

const LOCAL: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

function isLocal(address: string): boolean {
  return URL.canParse(address) && LOCAL.has(new URL(address).hostname);
}

/** Compares in a time that says nothing of where they differ. */
function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
