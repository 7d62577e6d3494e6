/**
 * Drafts in the session storage. They survive reloads, and move to the item that asks the same question again.
 *
 * @module
 */
import { useState } from 'react';
import { parseResponse } from '../data/json-protocol.ts';
import { type Draft, EMPTY_DRAFT } from './answer-draft.ts';

/** The draft of an answer to an item. */
export function useDraft(
  item: string,
): readonly [draft: Draft, change: (part: Partial<Draft>) => void, drop: () => void] {
  const key = keyOf(item);
  const [draft, setDraft] = useState<Draft>(() => kept(key));
  return [
    draft,
    (part) =>
      setDraft((before) => {
        const next = { ...before, ...part };
        keep(key, next);
        return next;
      }),
    () => {
      forget(key);
      setDraft(EMPTY_DRAFT);
    },
  ];
}

/** Moves a draft to the item that asks the question again, unless that has one. */
export function moveDraft(from: string, to: string): void {
  const draft = kept(keyOf(from));
  if (draft !== EMPTY_DRAFT && kept(keyOf(to)) === EMPTY_DRAFT) keep(keyOf(to), draft);
}

// --- internal ---

function keyOf(item: string): string {
  return `phasegate draft ${item}`;
}

function kept(key: string): Draft {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? EMPTY_DRAFT : { ...EMPTY_DRAFT, ...parseResponse<Partial<Draft>>(text) };
  } catch {
    return EMPTY_DRAFT;
  }
}

/** If the storage is full or missing, the draft exists only while the page is open. */
function keep(key: string, draft: Draft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    forget(key);
  }
}

function forget(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // It was never stored.
  }
}
