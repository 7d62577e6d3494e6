/**
 * The pages that are loaded when they are first shown. The home page and the list of runs do not wait for them.
 *
 * @module
 */
import { lazy } from 'react';

/** Load the code of each page. */
export const loadPage = {
  compare: () => import('./compare/compare-page.tsx').then(({ ComparePage: page }) => ({ default: page })),
  item: () => import('./inbox/item-page.tsx').then(({ ItemPage: page }) => ({ default: page })),
  run: () => import('./run/run-page.tsx').then(({ RunPage: page }) => ({ default: page })),
  search: () => import('./search/search-page.tsx').then(({ SearchPage: page }) => ({ default: page })),
  start: () => import('./start/start-page.tsx').then(({ StartPage: page }) => ({ default: page })),
} as const;

/** The page that compares runs. */
export const ComparePage = lazy(loadPage.compare);
/** The page of an item. */
export const ItemPage = lazy(loadPage.item);
/** The page of a run. */
export const RunPage = lazy(loadPage.run);
/** The page that searches runs. */
export const SearchPage = lazy(loadPage.search);
/** The page that starts runs. */
export const StartPage = lazy(loadPage.start);
