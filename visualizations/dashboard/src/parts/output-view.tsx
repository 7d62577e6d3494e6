/**
 * The output of a task.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { useStoredValues } from '../data/stored-value.ts';
import { textOf } from './untrusted-text.ts';
import { LongText } from './long-text.tsx';
import { RefusalNote } from './refusal-note.tsx';
import { useArrival } from './use-arrival.ts';

interface OutputViewProps {
  /** The value as in a record. A large one is stored apart, and fetched on request. */
  readonly value: unknown;
  /** Its name, for example that of the task. */
  readonly name: string;
}

/** Text as text, anything else as JSON. */
export function OutputView({ value, name }: OutputViewProps): ReactNode {
  const {
    values: [kept],
    fetchAll,
  } = useStoredValues([value]);
  const [place, expect] = useArrival(kept?.state === 'there');
  switch (kept?.state) {
    case 'there':
      return (
        <div ref={place} tabIndex={-1} className="arrived">
          <LongText text={textOf(kept.value)} name={name} />
        </div>
      );
    case 'loading':
      return <p className="quiet">Loading…</p>;
    case 'refused':
      return <RefusalNote error={kept.error} />;
    case 'elsewhere':
    case undefined:
      return (
        <button
          type="button"
          onClick={() => {
            expect();
            fetchAll();
          }}
        >
          Load it <span className="quiet">(it is large)</span>
          <span className="unseen">: {name}</span>
        </button>
      );
  }
}
