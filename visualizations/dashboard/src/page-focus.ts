/**
 * The focus after navigation.
 *
 * @module
 */
import { useEffect, useRef } from 'react';
import type { Route } from './route.ts';

/**
 * Moves the focus to the content, and scrolls to its top, when another page is shown. The views of one run are one page. The first page
 * leaves the focus to the browser.
 */
export function usePageFocus(route: Route): void {
  const page = pageOf(route);
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    focusMain();
    scrollTo(0, 0);
  }, [page]);
}

/** Moves the focus to the content. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

// --- internal ---

function pageOf(route: Route): string {
  if (route.page === 'run') return `run ${route.run}`;
  return route.page === 'item' ? `item ${route.item}` : route.page;
}
