/**
 * Changes of an item while the page is open, announced at once.
 *
 * @module
 */
import { type ReactNode, useEffect, useState } from 'react';
import { answeredBy } from '../../../../src/projections/wording/item-words.ts';
import type { ItemSequel } from '../../../../src/projections/inbox/item-sequel.ts';
import type { UiItem } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { hashOf } from '../route.ts';
import { isRefused } from './item-words.ts';
import { SequelSentence } from './sequel-sentence.tsx';
import { moveDraft } from './use-draft.ts';

interface ItemNewsProps {
  readonly item: UiItem;
  /** The effect of its answer; absent while it is open. */
  readonly sequel: ItemSequel | undefined;
  /** True if this user has answered it. The result is then shown elsewhere. */
  readonly isOwn: boolean;
}

/** A note that the item was answered or closed, by whom, and a link if it is asked again. */
export function ItemNews({ item, sequel, isOwn }: ItemNewsProps): ReactNode {
  const [first] = useState(item);
  const [seen, news] = [newsOf(first, first), newsOf(item, first)];
  if (news === '' || (isOwn && !isRefused(item))) return null;
  // A change from before the page was opened is not announced.
  return (
    <div className="news" role={news === seen ? undefined : 'alert'}>
      <p>
        <strong>{news}</strong>
        {sequel ? <SequelSentence run={item.runId} sequel={sequel} /> : null}
      </p>
      {item.closedAt === undefined ? null : <AskedAnew item={item} />}
    </div>
  );
}

// --- internal ---

/** @param first The item at the time the page was opened. */
function newsOf(item: UiItem, first: UiItem): string {
  const { closedAt, who, answer, severity, queue, expired } = item;
  if (closedAt !== undefined) return `Closed${who === undefined ? '' : ` by ${startOf(who, 60)}`}: `;
  if (answer) return `It is ${inOneLine(answeredBy(answer))}.`;
  const changes = [
    ...(expired && !first.expired ? ['Nobody has answered in time.'] : []),
    ...(severity === first.severity ? [] : [`It is ${severity} now.`]),
    ...(queue === first.queue ? [] : [`It was moved to queue ${inOneLine(queue)}.`]),
  ];
  return changes.join(' ');
}

/** A link to the item that asks the same question again. */
function AskedAnew({ item }: { readonly item: UiItem }): ReactNode {
  const { version } = useChanges();
  const asked = useAsked<{ readonly items: readonly UiItem[] }>(
    `/api/inbox?run=${encodeURIComponent(item.runId)}`,
    version,
  );
  const items = 'value' in asked ? (asked.value?.items ?? []) : [];
  const anew = items.find((one) => one.kind === item.kind && one.about === item.about && one.task === item.task);
  const to = isRefused(item) ? anew?.id : undefined;
  useEffect(() => {
    if (to !== undefined) moveDraft(item.id, to);
  }, [item.id, to]);
  if (!anew) return null;
  return (
    <p>
      <a href={hashOf({ page: 'item', item: anew.id })}>It is asked again</a>
      {isRefused(item) ? '; your text is saved there.' : '.'}
    </p>
  );
}
