/**
 * Who may ask.
 *
 * Every user of the machine, and every page in any browser on it, can reach a loopback port. So each request has to have a
 * cookie that is given for a secret only. A page of another site could still lead the browser here, under a name that it has
 * pointed at the loopback address, or from another port, which counts as the same site: so the names of the host, of the page
 * that asks, and of its site are looked at as well.
 *
 * @module
 */
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { refusalOf } from './error-response.ts';

/** What requests come with. */
export interface Env {
  readonly Bindings: HttpBindings;
}

/** What lets somebody in. */
export interface Secrets {
  /** As in the URL. */
  readonly token: string;
  /** As in the cookie: not the token, as what a browser keeps must not be good for another. */
  readonly session: string;
}

/** Makes a secret that nobody guesses: 256 bits. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The cookie of a server: the same for the same secret, and another where nothing can be changed, so that one that is good for
 * looking is never good for more.
 */
export function sessionOf(secret: string, readOnly: boolean): string {
  return createHmac('sha256', secret)
    .update(readOnly ? 'look' : 'change')
    .digest('base64url');
}

/** Sets what browsers are told of every answer. */
export const tellBrowsers: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  for (const [name, value] of HEADERS) c.res.headers.set(name, value);
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
};

/** Lets in who has the token, or the cookie that it is exchanged for. */
export function createGuard(secrets: Secrets): MiddlewareHandler<Env> {
  return async (c, next) => {
    const answer = await atTheDoor(secrets, c);
    if (answer === undefined) return next();
    // There are only so many connections, and they are for those who are let in.
    answer.headers.set('connection', 'close');
    return answer;
  };
}

// --- internal ---

/** @returns What is answered to who is not let in, or has to come again with the cookie. */
async function atTheDoor({ token, session }: Secrets, c: Context<Env>): Promise<Response | undefined> {
  const { localPort = 0 } = c.env.incoming.socket;
  const host = c.req.header('host') ?? '';
  if (!namesOf(localPort).includes(host)) {
    return c.json(refusalOf(`Cannot answer as the host is named ${JSON.stringify(host)}`, HOW_TO_NAME_IT), 403);
  }
  const origin = c.req.header('origin');
  if (origin !== undefined && origin !== `http://${host}`) return c.json(FOREIGN, 403);
  const isPage = c.req.method === 'GET' && c.req.path === '/';
  const site = c.req.header('sec-fetch-site') ?? 'none';
  if (site !== 'same-origin' && site !== 'none' && !isPage) return c.json(FOREIGN, 403);

  const name = `phasegate-${localPort}`;
  const given = isPage ? c.req.query('token') : undefined;
  if (given !== undefined && isSame(given, token)) {
    setCookie(c, name, session, { httpOnly: true, sameSite: 'Strict', path: '/' });
    // Browsers keep a strict cookie to themselves all along a redirect that another site has led to.
    return site === 'none' || site === 'same-origin' ? c.redirect('/', 303) : c.html(GO_ON);
  }
  if (!isSame(getCookie(c, name) ?? '', session)) return stranger(c);
  if (c.req.method === 'POST') {
    if (origin === undefined && site !== 'same-origin') return c.json(FOREIGN, 403);
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

const HOW_TO_NAME_IT = 'Open the URL that was printed when the dashboard was started, with the port that it has there.';
const FOREIGN = refusalOf('Cannot answer as the request comes from another page', 'Use the page of the dashboard.');
const NO_JSON = refusalOf('Cannot read the request as it is not application/json', 'Set its content-type.');
const NO_COOKIE = refusalOf('Cannot answer as the request has no cookie that is good', HOW_TO_NAME_IT);

const GO_ON = page('<meta http-equiv="refresh" content="0; url=/">', 'The dashboard opens.');
const STRANGER = page(
  '',
  'This is the dashboard of phasegate. Open the URL that was printed when it was started: its token lets you in. After a new start it is another.',
);

function page(head: string, text: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>phasegate</title>${head}</head><body><p>${text}</p></body></html>\n`;
}

/** The names that a browser on this machine has for the server: those that others point at it are not among them. */
function namesOf(port: number): readonly string[] {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'];
  return port === HTTP_PORT ? hosts : hosts.map((host) => `${host}:${port}`);
}

/** Browsers leave it out. */
const HTTP_PORT = 80;

function stranger(c: Context<Env>): Response | Promise<Response> {
  return c.req.path.startsWith('/api/') ? c.json(NO_COOKIE, 401) : c.html(STRANGER, 401);
}

/** Takes as long wherever the two differ, and however long they are. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
