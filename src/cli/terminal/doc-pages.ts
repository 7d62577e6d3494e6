/**
 * Pages of the documentation, by their address.
 *
 * @module
 */

const BASE = 'https://github.com/phasegate/phasegate/blob/main/docs';

/** The address of a page. */
export function pageOf(page: string): string {
  return `${BASE}/${page}`;
}

/** How to do each thing. */
export const GUIDE_PAGE = pageOf('guide.md');
