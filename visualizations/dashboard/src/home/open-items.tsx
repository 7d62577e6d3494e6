/**
 * Items that wait for a person.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { answeredBy } from '../../../../src/projections/wording/item-words.ts';
import type { UiItem } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { useNow } from '../data/now.ts';
import { aboutOf, becauseOf, deadlineOf, isPlainQueue, titleOf } from '../inbox/item-words.ts';
import { SeverityTag } from '../inbox/severity-tag.tsx';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { counted } from '../parts/words.ts';
import { hashOf, hashOfRun } from '../route.ts';
import { mostUrgentFirst } from './urgency.ts';

/** Open items, the most urgent first; and separately those with an answer that no process has taken yet. */
export function OpenItems(): ReactNode {
  const { version } = useChanges();
  const now = useNow(5000);
  const asked = useAsked<{ readonly items: readonly UiItem[] }>('/api/inbox', version);
  const items = 'value' in asked ? asked.value?.items : undefined;
  const open = mostUrgentFirst(items?.filter(({ answer }) => !answer) ?? []);
  const answered = items?.filter(({ answer }) => answer) ?? [];
  return (
    <>
      {asked.state === 'loading' ? <p className="quiet">Loading…</p> : null}
      {asked.state === 'refused' ? <RefusalNote error={asked.error} /> : null}
      {items && open.length === 0 ? <p className="nothing">Nothing waits for a person.</p> : null}
      <ItemList items={open} now={now} label="Open items" />
      {answered.length === 0 ? null : (
        <section aria-labelledby="answered-heading">
          <h2 id="answered-heading">Answered, pending</h2>
          <p className="quiet">
            {counted(answered.length, 'answer')} {answered.length === 1 ? 'waits' : 'wait'} until a process works on the
            run.
          </p>
          <ItemList items={answered} now={now} label="Answered items" />
        </section>
      )}
    </>
  );
}

// --- internal ---

interface ItemListProps {
  readonly items: readonly UiItem[];
  readonly now: number;
  readonly label: string;
}

function ItemList({ items, now, label }: ItemListProps): ReactNode {
  if (items.length === 0) return null;
  return (
    <ul className="items" aria-label={label}>
      {items.map((item) => (
        <ItemCard key={item.id} item={item} now={now} />
      ))}
    </ul>
  );
}

function ItemCard({ item, now }: { readonly item: UiItem; readonly now: number }): ReactNode {
  const deadline = deadlineOf(item, now);
  const question = titleOf(item);
  return (
    <li className={item.answer ? 'answered' : item.severity}>
      <div className="item-title">
        <a href={hashOf({ page: 'item', item: item.id })}>
          <bdi>{question ?? startOf(aboutOf(item), 80)}</bdi>
        </a>
        <SeverityTag severity={item.severity} />
        {item.because === 'asked' ? null : <span className="quiet">{becauseOf(item)}</span>}
        <span className="age quiet">
          <TimeAgo time={item.openedAt} now={now} />
        </span>
      </div>
      {question === undefined ? <p className="item-reason">{startOf(item.reason, 280)}</p> : null}
      <p className="item-facts quiet">
        <span>
          <a href={hashOfRun(item.runId)}>
            <bdi>{startOf(item.pipeline, 60)}</bdi>
          </a>{' '}
          <code>{inOneLine(item.runId)}</code>
        </span>
        {question === undefined ? null : <bdi>{startOf(aboutOf(item), 80)}</bdi>}
        {isPlainQueue(item) ? null : <span>queue {startOf(item.queue, 40)}</span>}
        {deadline === '' ? null : <span className="deadline">{deadline}</span>}
        {item.answer ? <strong>{inOneLine(answeredBy(item.answer))}</strong> : null}
      </p>
    </li>
  );
}
