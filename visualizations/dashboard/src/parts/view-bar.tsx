/**
 * The bar above a view: filters, and the number of results.
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

/** A filter by a part of a name. */
export function FindField({ label, value, onChange }: FindFieldProps): ReactNode {
  return (
    <label>
      {label} <input type="search" value={value} placeholder="any" onChange={({ target }) => onChange(target.value)} />
    </label>
  );
}

interface KindFieldProps extends FindFieldProps {
  readonly kinds: readonly (readonly [kind: string, count: number])[];
  /** The number of entries of all kinds. */
  readonly all: number;
  /** Formats the name of a kind. */
  readonly nameOf?: (kind: string) => string;
}

/** A filter by kind, with the number of entries of each. The chosen kind stays listed even if it has none. */
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

/** The number of results, for example `3 of 12 phases`; `12 phases` without a filter. */
export function FoundCount({ found, all, noun }: FoundCountProps): ReactNode {
  return (
    <output className="count quiet">
      {found === all ? counted(all, noun) : `${amount(found)} of ${counted(all, noun)}`}
    </output>
  );
}
