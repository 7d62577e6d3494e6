/**
 * Notifications of new items, once the user wants them.
 *
 * @module
 */
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import type { UiItem } from '../../../../src/server/api.ts';
import { ask } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { byPageVisibility } from '../data/page-visibility.ts';
import { aboutOf, stateOf } from '../inbox/item-words.ts';
import { go } from '../navigate.ts';
import { startOf } from '../parts/untrusted-text.ts';
import { claim } from './claim.ts';

/** Notifies of each item that opens while the page is open, in one tab of the browser. It draws nothing. */
export function NewItems(): ReactNode {
  const { version, open } = useChanges();
  /** The items that this page knows; `null` until it has read them once. */
  const known = useRef<ReadonlySet<string> | null>(null);
  const reading = useRef({ isBusy: false, isDue: false });
  const read = async () => {
    const items = await ask<{ readonly items: readonly UiItem[] }>('/api/inbox').then(
      (answer) => answer.items.filter(({ answer: given }) => !given),
      () => null,
    );
    if (items === null) return;
    const before = known.current;
    known.current = new Set(items.map(nameOf));
    const added = before ? items.filter((item) => !before.has(nameOf(item))) : [];
    for (const item of added.slice(0, MOST_AT_ONCE)) if (await claim(nameOf(item))) show(item);
  };
  const look = useEffectEvent(async () => {
    const own = reading.current;
    own.isDue = true;
    if (own.isBusy) return;
    own.isBusy = true;
    // A change during a request causes another one.
    while (own.isDue) {
      own.isDue = false;
      await read();
    }
    own.isBusy = false;
  });
  useEffect(() => void look(), [version, open]);
  // A hidden page receives no changes.
  useEffect(
    () =>
      byPageVisibility(
        () => () => undefined,
        () => {
          const timer = setInterval(() => void look(), HIDDEN_MS);
          return () => clearInterval(timer);
        },
      ),
    [],
  );
  return null;
}

// --- internal ---

/** Milliseconds between two reads while the page is hidden. */
const HIDDEN_MS = 15_000;

/** The most notifications of one read. The number of all items is in the title of the page. */
const MOST_AT_ONCE = 5;

/** The name of a question. An item that is asked again is a new question. */
function nameOf({ id, nonce }: UiItem): string {
  return `${id} ${nonce}`;
}

/** Shows the title of an item, and nothing of what models or people have written for it. A click opens it. */
function show(item: UiItem): void {
  const title = `${startOf(aboutOf(item), 80)} ${stateOf(item)}`;
  const body = `${startOf(item.pipeline, 60)}, queue ${startOf(item.queue, 40)}`;
  try {
    // Browsers show one notification of a tag.
    const shown = new Notification(title, { body, tag: `phasegate ${nameOf(item)}` });
    shown.addEventListener('click', () => {
      window.focus();
      go({ page: 'item', item: item.id });
      shown.close();
    });
  } catch {
    // Some browsers of phones let no page show notifications.
  }
}
