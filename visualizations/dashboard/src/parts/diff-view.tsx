/**
 * A comparison of two values, side by side; one below the other on narrow screens.
 *
 * @module
 */
import { type ReactNode, useId, useMemo, useState } from 'react';
import { useStoredValues } from '../data/stored-value.ts';
import { DiffLines } from './diff-lines.tsx';
import { diffRows } from './diff-rows.ts';
import { textOf } from './untrusted-text.ts';
import { RefusalNote } from './refusal-note.tsx';
import { useArrival } from './use-arrival.ts';
import { counted } from './words.ts';

interface DiffViewProps {
  /** The name of the value, for example of the task. */
  readonly name: string;
  /** The values as in records. Large ones are stored apart, and fetched on request. */
  readonly before: unknown;
  readonly after: unknown;
  /** The headings of both, for example `attempt 1`. */
  readonly names: readonly [before: string, after: string];
}

/** Two values, compared as text. */
export function DiffView({ before, after, names, name }: DiffViewProps): ReactNode {
  const { values, fetchAll } = useStoredValues([before, after]);
  const refused = values.find((value) => value.state === 'refused');
  const [one, other] = values;
  const isThere = values.every(({ state }) => state === 'there');
  const [place, expect] = useArrival(isThere);
  if (refused?.state === 'refused') return <RefusalNote error={refused.error} />;
  if (one?.state === 'there' && other?.state === 'there') {
    return (
      <div ref={place} tabIndex={-1} className="arrived">
        <Compared name={name} before={textOf(one.value)} after={textOf(other.value)} names={names} />
      </div>
    );
  }
  if (values.some(({ state }) => state === 'elsewhere')) {
    return (
      <button
        type="button"
        onClick={() => {
          expect();
          fetchAll();
        }}
      >
        Load and compare <span className="quiet">(they are large)</span>
        <span className="unseen">: {name}</span>
      </button>
    );
  }
  return <p className="quiet">Loading…</p>;
}

// --- internal ---

interface ComparedProps extends DiffViewProps {
  readonly before: string;
  readonly after: string;
}

function Compared({ before, after, names, name }: ComparedProps): ReactNode {
  const [by, setBy] = useState<'words' | 'lines'>('words');
  const group = useId();
  const diff = useMemo(() => diffRows(before, after, by), [before, after, by]);
  if (before === after) return <p className="quiet">Both are the same.</p>;
  return (
    <div className="diff">
      <div className="diff-head">
        <span>
          <span className="removed">−{counted(diff.removed, 'line')}</span>{' '}
          <span className="added">+{counted(diff.added, 'line')}</span>
        </span>
        <fieldset className="inline-choice">
          <legend>Mark</legend>
          {(['words', 'lines'] as const).map((one) => (
            <label key={one}>
              <input type="radio" name={group} checked={by === one} onChange={() => setBy(one)} /> {one}
            </label>
          ))}
        </fieldset>
      </div>
      {diff.isRough ? (
        <p className="quiet">The texts are too long and too different to compare. Both are shown in full.</p>
      ) : null}
      <DiffLines rows={diff.rows} names={names} name={name} />
    </div>
  );
}
