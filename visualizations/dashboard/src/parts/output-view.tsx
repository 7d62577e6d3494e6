/**
 * The output of a task.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { useStoredValues } from '../data/stored-value.ts';
import { RefusalNote } from './refusal-note.tsx';
import { useArrival } from './use-arrival.ts';
import { ValueView } from './value-view.tsx';

interface OutputViewProps {
  /** The value as in a record. A large one is stored apart, and fetched on request. */
  readonly value: unknown;
  /** Its name, for example that of the task. */
  readonly name: string;
}

/** The output, rendered by its kind. */
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
          <ValueView value={kept.value} name={name} />
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
