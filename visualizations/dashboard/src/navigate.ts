/**
 * Navigation by the URL hash.
 *
 * @module
 */
import { useSyncExternalStore } from 'react';
import { hashOf, type Route, routeOf } from './route.ts';

/** Navigates to a route. @param how `replace` adds no entry to the history, as for a slider. @default 'push' */
export function go(route: Route, how: 'push' | 'replace' = 'push'): void {
  const hash = hashOf(route);
  if (hash === location.hash) return;
  if (how === 'replace') {
    history.replaceState(null, '', hash);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else location.hash = hash;
}

/** Reads the current route. */
export function useRoute(): Route {
  return routeOf(useSyncExternalStore(listen, readHash));
}

// --- internal ---

function listen(onChange: () => void): () => void {
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
}

function readHash(): string {
  return location.hash;
}
