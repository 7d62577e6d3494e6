/**
 * Named filters of runs in the storage of the browser, shared by its tabs.
 *
 * @module
 */
import { useSyncExternalStore } from 'react';
import { type KeptFilter, readFilters, USUAL_FILTERS } from './kept-filters.ts';

/** Reads the filters of this browser, now and whenever another tab changes them. */
export function useKeptFilters(): readonly KeptFilter[] {
  return useSyncExternalStore(listen, readKept);
}

/** Keeps the filters. A browser that stores nothing keeps them until the page is closed. */
export function keepFilters(filters: readonly KeptFilter[]): void {
  known = { text: JSON.stringify(filters), filters };
  try {
    localStorage.setItem(KEY, known.text ?? '');
  } catch {
    isStored = false;
  }
  for (const tell of listeners) tell();
}

// --- internal ---

const KEY = 'phasegate-run-filters';

const listeners = new Set<() => void>();
let isStored = true;
let known: { readonly text: string | null; readonly filters: readonly KeptFilter[] } = {
  text: null,
  filters: USUAL_FILTERS,
};

function listen(onChange: () => void): () => void {
  listeners.add(onChange);
  addEventListener('storage', onChange);
  return () => {
    listeners.delete(onChange);
    removeEventListener('storage', onChange);
  };
}

/** Returns the same list as long as the stored text is the same. */
function readKept(): readonly KeptFilter[] {
  if (!isStored) return known.filters;
  try {
    const text = localStorage.getItem(KEY);
    if (text !== known.text) known = { text, filters: readFilters(text) };
  } catch {
    isStored = false;
  }
  return known.filters;
}
