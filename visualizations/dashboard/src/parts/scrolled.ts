/**
 * Regions that scroll.
 *
 * @module
 */

/** The attributes of a region that may scroll and has nothing to focus: the keyboard can focus it, and scrolls it then. */
export const SCROLLED = { tabIndex: 0 } as const;
