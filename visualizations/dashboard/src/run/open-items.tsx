/**
 * The items of a run that a person can answer now.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { UiItem } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { startOf } from '../parts/untrusted-text.ts';
import { hashOf, hashOfRun } from '../route.ts';

/** Reads the open items of a run, the oldest first. */
export function useOpenItems(run: string): readonly UiItem[] {
  const { version } = useChanges();
  const asked = useAsked<{ readonly items: readonly UiItem[] }>(`/api/inbox?run=${encodeURIComponent(run)}`, version);
  return 'value' in asked ? (asked.value?.items ?? NONE) : NONE;
}

/** The items, each with its question. */
export function OpenItems({ items }: { readonly items: readonly UiItem[] }): ReactNode {
  if (items.length === 0) return null;
  return (
    <section className="open-items" aria-label="Waits for a person">
      <strong>{items.length === 1 ? 'This waits for you:' : `These ${items.length} wait for you:`}</strong>
      <ul>
        {items.slice(0, MOST_ITEMS).map((item) => (
          <li key={item.id}>
            <a href={hashOf({ page: 'item', item: item.id })}>{startOf(item.about, 80)}</a>{' '}
            <span className="quiet">
              {item.answer ? `answered by ${startOf(item.answer.by, 40)}, pending` : startOf(item.reason, 160)}
            </span>
          </li>
        ))}
      </ul>
      {items.length > MOST_ITEMS ? (
        <p className="quiet">and {items.length - MOST_ITEMS} more on the home page</p>
      ) : null}
    </section>
  );
}

/** The runs of tasks that wait for a person. */
export function WaitsBelow({ runs = [] }: { readonly runs: readonly string[] | undefined }): ReactNode {
  if (runs.length === 0) return null;
  return (
    <section className="open-items" aria-label="Waits for a person in runs of tasks">
      <strong>This waits for you in a run of its tasks:</strong>
      <ul>
        {runs.slice(0, MOST_ITEMS).map((run) => (
          <li key={run}>
            <a href={hashOfRun(run)}>{startOf(run, 160)}</a>
          </li>
        ))}
      </ul>
      {runs.length > MOST_ITEMS ? <p className="quiet">and {runs.length - MOST_ITEMS} more</p> : null}
    </section>
  );
}

// --- internal ---

const NONE: readonly UiItem[] = [];
const MOST_ITEMS = 5;
