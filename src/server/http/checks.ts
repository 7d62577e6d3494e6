/**
 * Checks and pages that all guards share.
 *
 * @module
 */
import type { Context } from 'hono';
import type { Env } from './env.ts';
import { refusalOf } from './error-response.ts';

export const WRONG_ORIGIN = refusalOf(
  'Cannot answer as the request comes from another page',
  'Use the page of the dashboard.',
);
export const NO_JSON = refusalOf(
  'Cannot read the request as it is not application/json',
  'Set the content-type header.',
);

/** True if the body of a request is JSON, which forms of other pages cannot send. */
export function isJson(c: Context<Env>): boolean {
  return /^application\/json(?:;|$)/iu.test(c.req.header('content-type')?.trim() ?? '');
}

/** A small page. @param head, text Markup. */
export function page(head: string, text: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>phasegate</title>${head}</head><body><p>${text}</p></body></html>\n`;
}
