/**
 * What was written so far, kept over reloads and over a question that is asked anew: nothing that was typed is lost.
 *
 * @module
 */
import { useState } from 'react';
import type { InboxItem } from '../../../../src/model/inbox.ts';
import { fromWire } from '../data/wire.ts';
import { type Draft, EMPTY_DRAFT } from './answer-draft.ts';

/** The draft of an answer to an item; where the item was asked before and refused, that one's. */
export function useDraft(
  item: Pick<InboxItem, 'runId' | 'kind' | 'about' | 'task'>,
): readonly [draft: Draft, change: (part: Partial<Draft>) => void, drop: () => void] {
  const key = `phasegate draft ${JSON.stringify([item.runId, item.kind, item.about, item.task ?? ''])}`;
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

// --- internal ---

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
