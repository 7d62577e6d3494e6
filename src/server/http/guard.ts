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
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Access } from './access.ts';
import { NO_JSON, isJson, page, refuseOrigin } from './checks.ts';
import { refusalOf } from './error-response.ts';
import type { Env } from './env.ts';

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
 * never allows changes. So has a server on another port, as browsers send it the cookies of all ports.
 */
export function sessionOf(secret: string, readOnly: boolean, port: number): string {
  return createHmac('sha256', secret)
    .update(`${readOnly ? 'look' : 'change'} ${port}`)
    .digest('base64url');
}

/** The owner of the token: its secrets, the port of the server, and the rights that they give. */
export interface TokenAccess extends Secrets {
  readonly port: number;
  readonly access: Access;
}

/** Passes requests on if they have the token, or the cookie that the token is exchanged for. @param own Called for each request. */
export function createGuard(own: () => TokenAccess): MiddlewareHandler<Env> {
  return async (c, next) => {
    const given = own();
    const answer = await checkAccess(given, c);
    if (answer === undefined) {
      c.set('access', given.access);
      return next();
    }
    // Connections are limited in number, so one that has no access is closed.
    answer.headers.set('connection', 'close');
    return answer;
  };
}

// --- internal ---

/** @returns The refusal, or the redirect that follows a good token; `undefined` if the request may pass. */
async function checkAccess({ token, session, port }: TokenAccess, c: Context<Env>): Promise<Response | undefined> {
  const host = c.req.header('host') ?? '';
  if (!namesOf(port).includes(host)) {
    return c.json(
      refusalOf(
        `Cannot answer as the host must be a name of this machine: it is ${JSON.stringify(host)}`,
        USE_PRINTED_URL,
      ),
      403,
    );
  }
  const origin = c.req.header('origin');
  if (origin !== undefined && origin !== `http://${host}`) return refuseOrigin(c);
  const isPage = c.req.method === 'GET' && c.req.path === '/';
  const site = c.req.header('sec-fetch-site') ?? 'none';
  if (site !== 'same-origin' && site !== 'none' && !isPage) return refuseOrigin(c);

  const name = `phasegate-${port}`;
  const given = isPage ? c.req.query('token') : undefined;
  if (given !== undefined && isSame(given, token)) {
    setCookie(c, name, session, { httpOnly: true, sameSite: 'Strict', path: '/' });
    // Browsers withhold a strict cookie during a redirect chain that another site began.
    return site === 'none' || site === 'same-origin' ? c.redirect('/', 303) : c.html(REDIRECT_PAGE);
  }
  if (!isSame(getCookie(c, name) ?? '', session)) return unauthorized(c);
  if (c.req.method === 'POST') {
    if (origin === undefined && site !== 'same-origin') return refuseOrigin(c);
    if (!isJson(c)) return c.json(NO_JSON, 415);
  }
  return undefined;
}

const USE_PRINTED_URL = 'Open the URL that the dashboard printed at its start, with the same port.';
const NO_COOKIE = refusalOf('Cannot answer as the request has no valid cookie', USE_PRINTED_URL);

const REDIRECT_PAGE = page('<meta http-equiv="refresh" content="0; url=/">', 'Opening the dashboard.');
const LOGIN_PAGE = page(
  '',
  'This is the phasegate dashboard. Open the URL that it printed at its start: the token in it grants access. Each start has a new token.',
);

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
