/**
 * Addresses of the server.
 *
 * @module
 */

/** Returns the address of a path such as `/api/runs`. It is relative to the page, as the server may be a part of an application. */
export function addressOf(path: string): string {
  return `.${path}`;
}
