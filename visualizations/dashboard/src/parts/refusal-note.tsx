/**
 * Why something was not done.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { Refused } from '../data/ask.ts';

/** An error with its code and what to do next, told at once to whoever listens. */
export function RefusalNote({ error }: { readonly error: Refused }): ReactNode {
  return (
    <div className="refusal" role="alert">
      <p>
        <strong>{error.message}</strong> <code>{error.code}</code>
      </p>
      {error.hint === undefined ? null : <p>{error.hint}</p>}
    </div>
  );
}
