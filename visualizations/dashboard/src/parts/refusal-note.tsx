/**
 * An error message.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { type Refused, UNREACHABLE } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';

/** An error with its code and hint. Screen readers announce it at once. */
export function RefusalNote({ error }: { readonly error: Refused }): ReactNode {
  const { isOver } = useChanges();
  if (isOver && error.code === UNREACHABLE) {
    return <output className="quiet">Nothing more can be loaded or sent, as phasegate has ended.</output>;
  }
  return (
    <div className="refusal" role="alert">
      <p>
        <strong>{error.message}</strong> <code>{error.code}</code>
      </p>
      {error.hint === undefined ? null : <p>{error.hint}</p>}
    </div>
  );
}
