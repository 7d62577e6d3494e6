/**
 * The reason why no answer can be sent, next to the form.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { UiItemDetail } from '../../../../src/server/api.ts';
import { startOf } from '../parts/untrusted-text.ts';
import { SequelSentence } from './sequel-sentence.tsx';

interface BlockedNoteProps {
  readonly detail: UiItemDetail;
  readonly why: string;
}

/** The reason, and of a closed item the outcome. On a phone the top of the page, which tells it too, is out of sight. */
export function BlockedNote({ detail: { item, sequel }, why }: BlockedNoteProps): ReactNode {
  return (
    <div className="blocked">
      <p>{why}</p>
      {sequel ? (
        <p>
          {item.who === undefined ? '' : `${startOf(item.who, 60)}: `}
          <SequelSentence run={item.runId} sequel={sequel} />
        </p>
      ) : null}
    </div>
  );
}
