/**
 * Checks and pages that all guards share.
 *
 * @module
 */
import type { Context } from 'hono';
import type { Env } from './env.ts';
import { refusalOf } from './error-response.ts';

export const NO_JSON = refusalOf(
  'Cannot read the request as it is not application/json',
  'Set the content-type header.',
);

/** True if the body of a request is JSON, which forms of other pages cannot send. */
export function isJson(c: Context<Env>): boolean {
  return /^application\/json(?:;|$)/iu.test(c.req.header('content-type')?.trim() ?? '');
}

/** Refuses a request of another page, or a change by a program that does not state the origin of the dashboard. */
export function refuseOrigin(c: Context<Env>): Response {
  const isStated = c.req.header('origin') !== undefined || (c.req.header('sec-fetch-site') ?? 'none') !== 'none';
  return c.json(isStated ? WRONG_ORIGIN : originMissing(new URL(c.req.url).origin), 403);
}

/** A small page. @param head, text Markup. */
export function page(head: string, text: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>phasegate</title>${head}</head><body><p>${text}</p></body></html>\n`;
}

// --- internal ---

const WRONG_ORIGIN = refusalOf(
  'Cannot answer as the request comes from another page',
  'Use the page of the dashboard.',
);
function originMissing(own: string): ReturnType<typeof refusalOf> {
  return refusalOf('Cannot change anything as the request does not state its origin', `Send the header origin: ${own}`);
}
