/**
 * A field that chooses one value of a filter.
 *
 * @module
 */
import { type ReactNode, useId } from 'react';

/** A value with its label. */
export type Choice = readonly [value: string, label: string];

interface FilterFieldProps {
  readonly label: string;
  readonly value: string;
  /** The label of the empty value. */
  readonly any: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
  readonly className?: string;
}

/** The field. A value that is no choice any more is shown as it is. */
export function FilterField({ label, value, any, choices, onChange, className }: FilterFieldProps): ReactNode {
  const id = useId();
  const isKnown = value === '' || choices.some(([one]) => one === value);
  return (
    <span className={className}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">{any}</option>
        {isKnown ? null : <option value={value}>{value.slice(0, 60)}</option>}
        {choices.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </span>
  );
}
