/**
 * A field for text or JSON.
 *
 * @module
 */
import { type ReactNode, useId } from 'react';
import { readTyped, type Typed } from './answer-draft.ts';

interface TypedFieldProps {
  readonly label: string;
  readonly typed: Typed;
  readonly onChange: (typed: Typed) => void;
  readonly isWrong?: boolean;
  readonly rows?: number;
  readonly disabled: boolean;
}

/** A field whose input is sent as text or parsed as JSON. The user chooses which next to it. Problems are shown below. */
export function TypedField({
  label,
  typed,
  onChange,
  isWrong = false,
  rows = 6,
  disabled,
}: TypedFieldProps): ReactNode {
  const id = useId();
  const read = readTyped(typed);
  const problem = 'problem' in read && typed.text.trim() !== '' ? read.problem : '';
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <fieldset className="inline-choice" disabled={disabled}>
        <legend>Send as</legend>
        {(['text', 'json'] as const).map((as) => (
          <label key={as}>
            <input
              type="radio"
              name={`${id} as`}
              checked={typed.as === as}
              onChange={() => onChange({ ...typed, as })}
            />{' '}
            {as === 'text' ? 'text' : 'JSON'}
          </label>
        ))}
      </fieldset>
      <textarea
        id={id}
        className="mono"
        rows={rows}
        value={typed.text}
        readOnly={disabled}
        spellCheck={typed.as === 'text'}
        aria-invalid={isWrong || problem !== ''}
        aria-describedby={`${id} note`}
        onChange={({ target }) => onChange({ ...typed, text: target.value })}
      />
      <p id={`${id} note`} className={problem === '' ? 'quiet note' : 'wrong note'} aria-live="polite">
        {problem === '' ? noteOf(typed) : problem}
      </p>
    </div>
  );
}

// --- internal ---

function noteOf({ as, text }: Typed): string {
  if (as === 'json' || !/^\s*[[{"]/u.test(text)) return '';
  return 'value' in readTyped({ as: 'json', text }) ? 'This is sent as text, though it could be JSON.' : '';
}
