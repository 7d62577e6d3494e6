/**
 * Access control.
 *
 * Every user of the machine, and every page in any browser on it, can reach a loopback port. So each request needs a cookie, and
 * the server gives the cookie only for a secret. A page of another site could still send the browser here: under a name that
 * resolves to the loopback address, or from another port, which counts as the same site. So the guard also checks the host, the
 * origin and the site of each request.
 *
 * @module
 */
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { refusalOf } from './error-response.ts';

/** The bindings of each request. */
export interface Env {
  readonly Bindings: HttpBindings;
}

/** The secrets that grant access. */
export interface Secrets {
  /** The token in the URL. */
  readonly token: string;
  /** The value of the cookie. It is not the token, so that a stored cookie cannot be used as a token. */
  readonly session: string;
}

/** Creates a random secret of 256 bits. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Derives the cookie from a secret. A read-only server has another cookie for the same secret, so a cookie that may only read
 * never allows changes.
 */
export function sessionOf(secret: string, readOnly: boolean): string {
  return createHmac('sha256', secret)
    .update(readOnly ? 'look' : 'change')
    .digest('base64url');
}

/** Sets the security headers of every response. */
export const setSecurityHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  for (const [name, value] of HEADERS) c.res.headers.set(name, value);
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
};

/** Passes requests on if they have the token, or the cookie that the token is exchanged for. */
export function createGuard(secrets: Secrets): MiddlewareHandler<Env> {
  return async (c, next) => {
    const answer = await checkAccess(secrets, c);
    if (answer === undefined) return next();
    // Connections are limited in number, so one that has no access is closed.
    answer.headers.set('connection', 'close');
    return answer;
  };
}

// --- internal ---

/** @returns The refusal, or the redirect that follows a good token; `undefined` if the request may pass. */
async function checkAccess({ token, session }: Secrets, c: Context<Env>): Promise<Response | undefined> {
  const { localPort = 0 } = c.env.incoming.socket;
  const host = c.req.header('host') ?? '';
  if (!namesOf(localPort).includes(host)) {
    return c.json(
      refusalOf(
        `Cannot answer as the host must be a name of this machine: it is ${JSON.stringify(host)}`,
        USE_PRINTED_URL,
      ),
      403,
    );
  }
  const origin = c.req.header('origin');
  if (origin !== undefined && origin !== `http://${host}`) return c.json(WRONG_ORIGIN, 403);
  const isPage = c.req.method === 'GET' && c.req.path === '/';
  const site = c.req.header('sec-fetch-site') ?? 'none';
  if (site !== 'same-origin' && site !== 'none' && !isPage) return c.json(WRONG_ORIGIN, 403);

  const name = `phasegate-${localPort}`;
  const given = isPage ? c.req.query('token') : undefined;
  if (given !== undefined && isSame(given, token)) {
    setCookie(c, name, session, { httpOnly: true, sameSite: 'Strict', path: '/' });
    // Browsers withhold a strict cookie during a redirect chain that another site began.
    return site === 'none' || site === 'same-origin' ? c.redirect('/', 303) : c.html(REDIRECT_PAGE);
  }
  if (!isSame(getCookie(c, name) ?? '', session)) return unauthorized(c);
  if (c.req.method === 'POST') {
    if (origin === undefined && site !== 'same-origin') return c.json(WRONG_ORIGIN, 403);
    if (!/^application\/json(?:;|$)/iu.test(c.req.header('content-type')?.trim() ?? '')) return c.json(NO_JSON, 415);
  }
  return undefined;
}

const HEADERS: readonly (readonly [name: string, value: string])[] = [
  [
    'content-security-policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
];

const USE_PRINTED_URL = 'Open the URL that the dashboard printed at its start, with the same port.';
const WRONG_ORIGIN = refusalOf(
  'Cannot answer as the request comes from another page',
  'Use the page of the dashboard.',
);
const NO_JSON = refusalOf('Cannot read the request as it is not application/json', 'Set the content-type header.');
const NO_COOKIE = refusalOf('Cannot answer as the request has no valid cookie', USE_PRINTED_URL);

const REDIRECT_PAGE = page('<meta http-equiv="refresh" content="0; url=/">', 'Opening the dashboard.');
const LOGIN_PAGE = page(
  '',
  'This is the phasegate dashboard. Open the URL that it printed at its start: the token in it grants access. Each start has a new token.',
);

function page(head: string, text: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>phasegate</title>${head}</head><body><p>${text}</p></body></html>\n`;
}

/** The host names that a browser on this machine has for the server. Other names that resolve to this address are refused. */
function namesOf(port: number): readonly string[] {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'];
  return port === HTTP_PORT ? hosts : hosts.map((host) => `${host}:${port}`);
}

/** Browsers omit this port from the host. */
const HTTP_PORT = 80;

function unauthorized(c: Context<Env>): Response | Promise<Response> {
  return c.req.path.startsWith('/api/') ? c.json(NO_COOKIE, 401) : c.html(LOGIN_PAGE, 401);
}

/** Compares in constant time, whatever the lengths are. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
