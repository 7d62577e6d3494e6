/**
 * Going to places of the dashboard, by the address of the page.
 *
 * @module
 */
import { useSyncExternalStore } from 'react';
import { hashOf, type Route, routeOf } from './route.ts';

/** Goes somewhere. @param how `replace` leaves no way back to where one was, as for a slider. @default 'push' */
export function go(route: Route, how: 'push' | 'replace' = 'push'): void {
  const hash = hashOf(route);
  if (hash === location.hash) return;
  if (how === 'replace') {
    history.replaceState(null, '', hash);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else location.hash = hash;
}

/** The place where somebody is. */
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
