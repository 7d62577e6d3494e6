/**
 * What was written so far, kept over reloads and over a question that is asked anew: nothing that was typed is lost.
 *
 * @module
 */
import { useState } from 'react';
import { fromWire } from '../data/json-protocol.ts';
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

/** Takes a draft along to where the same is asked anew, unless there is one already. */
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
    return text === null ? EMPTY_DRAFT : { ...EMPTY_DRAFT, ...fromWire<Partial<Draft>>(text) };
  } catch {
    return EMPTY_DRAFT;
  }
}

/** Where nothing can be kept, or not so much, the page has it as long as it is open. */
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
    // It was never kept.
  }
}
