/**
 * The requests that a page begins before it is drawn: its code, the session, and its data.
 *
 * @module
 */
import { askEarly } from './data/ask.ts';
import { RECENT_RUNS } from './home/recent-runs.ts';
import { loadPage } from './pages.ts';
import type { Route } from './route.ts';
import { ALL } from './runs/run-list.ts';

/** Begins all of them at once, so that none waits for another. */
export function beginEarly(route: Route): void {
  askEarly('/api/session');
  for (const path of dataOf(route)) askEarly(path);
  // A page that cannot be loaded says so when it is drawn.
  const { page } = route;
  if (page === 'item' || page === 'run' || page === 'start' || page === 'compare' || page === 'search')
    loadPage[page]().catch(() => undefined);
}

// --- internal ---

function dataOf(route: Route): readonly string[] {
  switch (route.page) {
    case 'home':
      return ['/api/inbox', '/api/troubles', RECENT_RUNS];
    case 'runs':
      return [ALL.path];
    case 'start':
      return ['/api/pipelines'];
    case 'item':
      return [`/api/inbox/${encodeURIComponent(route.item)}`];
    case 'run':
      return [`/api/runs/${encodeURIComponent(route.run)}`];
    case 'compare':
      return [route.run, route.other].filter((run) => run !== '').map((run) => `/api/runs/${encodeURIComponent(run)}`);
    case 'search':
    case 'unknown':
      return [];
  }
}
