/**
 * Addresses of documentation pages.
 *
 * @module
 */

const BASE = 'https://github.com/phasegate/phasegate/blob/main/docs';

/** Returns the address of a page. */
export function pageOf(page: string): string {
  return `${BASE}/${page}`;
}

/** The address of the guide. */
export const GUIDE_PAGE = pageOf('guide.md');
