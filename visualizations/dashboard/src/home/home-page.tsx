/**
 * What needs somebody: open items first, then what goes round in circles or stands still.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { UiItem } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { hashOf } from '../route.ts';

/** The first page. */
export function HomePage(): ReactNode {
  const { version } = useChanges();
  const asked = useAsked<{ readonly items: readonly UiItem[] }>('/api/inbox', version);
  const items = 'value' in asked ? (asked.value?.items ?? []) : [];
  return (
    <>
      <h1>Needs you</h1>
      {asked.state === 'refused' ? <RefusalNote error={asked.error} /> : null}
      {asked.state === 'there' && items.length === 0 ? <p className="quiet">Nothing waits for a person.</p> : null}
      <ul className="cards">
        {items.map((item) => (
          <li key={item.id}>
            <a href={hashOf({ page: 'item', item: item.id })}>{item.about}</a> {item.reason}
          </li>
        ))}
      </ul>
    </>
  );
}
