/**
 * Access control of the inspector: callers need its secret address, and other pages in a browser are refused.
 *
 * @module
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The address that the server listens on. Other machines cannot reach it. */
export const LOOPBACK = '127.0.0.1';

/** Creates a secret part of an address: 128 random bits. */
export function createToken(): string {
  return randomBytes(16).toString('base64url');
}

/**
 * Checks a request. Returns the HTTP status of the refusal; `undefined` if the request may pass.
 *
 * The secret in the path keeps out other users of the machine, and pages that do not know it. The checks of origin and host keep
 * out pages that do: pages of the web, and host names of the web that resolve to this machine.
 *
 * @param pages Origins of pages that may read, in addition to those of this machine.
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

/** Compares in a time that does not depend on the place of the first difference. */
function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
