/**
 * What stands above a view: fields for what is looked for, and how much of it there is.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { amount, counted } from './words.ts';

interface FindFieldProps {
  readonly label: string;
  /** '' for all. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field for a part of a name. */
export function FindField({ label, value, onChange }: FindFieldProps): ReactNode {
  return (
    <label>
      {label} <input type="search" value={value} placeholder="any" onChange={({ target }) => onChange(target.value)} />
    </label>
  );
}

interface KindFieldProps extends FindFieldProps {
  readonly kinds: readonly (readonly [kind: string, count: number])[];
  /** How many there are of all kinds. */
  readonly all: number;
  /** What a kind is called. */
  readonly nameOf?: (kind: string) => string;
}

/** A field for one of several kinds, each with how many there are. What is looked for stays there when there is none left of it. */
export function KindField({ label, value, onChange, kinds, all, nameOf = String }: KindFieldProps): ReactNode {
  const isThere = value === '' || kinds.some(([kind]) => kind === value);
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">all ({amount(all)})</option>
        {[...kinds, ...(isThere ? [] : [[value, 0] as const])].map(([kind, count]) => (
          <option key={kind} value={kind}>
            {nameOf(kind)} ({amount(count)})
          </option>
        ))}
      </select>
    </label>
  );
}

interface FoundCountProps {
  readonly found: number;
  readonly all: number;
  readonly noun: string;
}

/** How many there are, such as `3 of 12 phases`; `12 phases` where all are wanted. */
export function FoundCount({ found, all, noun }: FoundCountProps): ReactNode {
  return (
    <output className="count quiet">
      {found === all ? counted(all, noun) : `${amount(found)} of ${counted(all, noun)}`}
    </output>
  );
}
