/**
 * Access control by the application that the dashboard is a part of.
 *
 * The application knows its users, by a cookie or otherwise. Pages of other sites, and of other ports, could still send the browser
 * here with that cookie. So the guard also checks the origin and the site of each request.
 *
 * @module
 */
import type { Context, MiddlewareHandler } from 'hono';
import { isJson, NO_JSON, page, refuseOrigin } from './checks.ts';
import type { Env } from './env.ts';
import { refusalOf } from './error-response.ts';

/** Passes requests on if the application knows their user. @param onError Called if it fails to tell during a stream. */
export function createUserGuard(onError: (thrown: unknown) => void): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { outer } = c.env;
    if (outer === undefined) throw new Error('The request came past the application');
    const refusal = checkOrigin(c);
    if (refusal) return refusal;
    // A stream asks again, when the original request may be gone.
    const again = new Request(outer.request.url, { headers: outer.request.headers });
    const access = await outer.find(outer.request);
    // A copy, as the headers of a redirect cannot be changed.
    if (access instanceof Response) return new Response(access.body, access);
    if (access === undefined) return unauthorized(c);
    c.set('access', access);
    c.set('mayStay', async () => {
      try {
        const now = await outer.find(again);
        return now !== undefined && !(now instanceof Response);
      } catch (thrown) {
        onError(thrown);
        return false;
      }
    });
    return next();
  };
}

// --- internal ---

function checkOrigin(c: Context<Env>): Response | undefined {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  // The browser vouches for the site. Behind a proxy, the server may know its own address by another name.
  const isOwn = site === 'same-origin' || (origin !== undefined && origin === new URL(c.req.url).origin);
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
    if (!isOwn || (site !== undefined && site !== 'same-origin')) return refuseOrigin(c);
    return isJson(c) ? undefined : c.json(NO_JSON, 415);
  }
  // Other sites may link to the page itself.
  if (c.req.path === '/' && origin === undefined) return undefined;
  const isForeign = site === undefined ? origin !== undefined && !isOwn : site !== 'same-origin' && site !== 'none';
  return isForeign ? refuseOrigin(c) : undefined;
}

function unauthorized(c: Context<Env>): Response {
  if (c.req.path.startsWith('/api/')) return c.json(NO_USER, 401);
  return c.html(page('', 'This is a phasegate dashboard. Log in to the application that it is a part of.'), 401);
}

const NO_USER = refusalOf(
  'Cannot answer as the application knows no user of the request, or gives this one no access',
  'Log in to the application, and reload the page.',
);
