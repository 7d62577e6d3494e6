/**
 * One item of the inbox: what is asked, what there is to see, and what can be answered.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { UiItemDetail } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';

/** All about an item. */
export function ItemPage({ id }: { readonly id: string }): ReactNode {
  const { version } = useChanges();
  const asked = useAsked<UiItemDetail>(`/api/inbox/${encodeURIComponent(id)}`, version);
  if (asked.state === 'loading') return <p className="quiet">Loading…</p>;
  const detail = asked.value;
  return (
    <>
      {asked.state === 'refused' ? <RefusalNote error={asked.error} /> : null}
      {detail ? (
        <>
          <h1>{detail.item.about}</h1>
          <p>{detail.item.reason}</p>
        </>
      ) : null}
    </>
  );
}
