/**
 * The fields of a form for an input, one for each property.
 *
 * @module
 */
import { type ReactNode, useId } from 'react';
import type { InputField } from '../../../../src/server/api.ts';
import { inOneLine, readable, startOf } from '../parts/untrusted-text.ts';

interface InputFieldsProps {
  readonly fields: readonly InputField[];
  readonly texts: readonly string[];
  /** Problems by the index of the field. */
  readonly problems: ReadonlyMap<number, string>;
  readonly disabled: boolean;
  readonly onChange: (texts: readonly string[]) => void;
}

/** All fields. Names, descriptions and choices may be any text. */
export function InputFields({ fields, texts, problems, disabled, onChange }: InputFieldsProps): ReactNode {
  return fields.map((field, at) => (
    <Field
      key={field.name}
      field={field}
      text={texts[at] ?? ''}
      problem={problems.get(at) ?? ''}
      disabled={disabled}
      onChange={(text) => onChange(texts.with(at, text))}
    />
  ));
}

// --- internal ---

interface FieldProps {
  readonly field: InputField;
  readonly text: string;
  readonly problem: string;
  readonly disabled: boolean;
  readonly onChange: (text: string) => void;
}

function Field(props: FieldProps): ReactNode {
  const { field, problem } = props;
  const id = useId();
  const help = helpOf(field);
  return (
    <div className="field">
      <p className="field-head">
        <label htmlFor={id}>
          <bdi>{startOf(field.name, 80)}</bdi>
        </label>{' '}
        <span className="quiet">{field.isRequired ? 'required' : 'optional'}</span>
      </p>
      {help === '' ? null : (
        <p id={`${id} help`} className="quiet note">
          {help}
        </p>
      )}
      <Control {...props} id={id} />
      <p id={`${id} problem`} className="wrong note problem" aria-live="polite">
        {readable(problem)}
      </p>
    </div>
  );
}

function Control({ field, text, problem, disabled, onChange, id }: FieldProps & { readonly id: string }): ReactNode {
  const { kind, choices = [], isRequired } = field;
  const common = {
    id,
    'aria-invalid': problem !== '',
    'aria-required': isRequired,
    'aria-describedby': `${id} help ${id} problem`,
  };
  if (kind === 'choice') {
    return (
      <select {...common} value={text} disabled={disabled} onChange={({ target }) => onChange(target.value)}>
        <option value="">{isRequired ? 'Choose…' : 'None'}</option>
        {choices.map((one) => {
          const value = JSON.stringify(one);
          return (
            <option key={value} value={value}>
              {typeof one === 'string' && one.trim() !== '' ? inOneLine(one) : value}
            </option>
          );
        })}
      </select>
    );
  }
  const isLong = kind === 'lines' || kind === 'json';
  const shared = { ...common, value: text, readOnly: disabled, spellCheck: kind === 'lines' };
  return isLong ? (
    <textarea
      {...shared}
      className={kind === 'json' ? 'mono' : ''}
      rows={3}
      onChange={({ target }) => onChange(target.value)}
    />
  ) : (
    <input
      {...shared}
      type="text"
      className={kind === 'text' ? '' : 'short'}
      inputMode={kind === 'text' ? 'text' : kind === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

const KINDS: Readonly<Record<InputField['kind'], string>> = {
  text: '',
  lines: '',
  number: 'A number.',
  integer: 'A whole number.',
  choice: '',
  json: 'As JSON.',
};

/** The description of a field, its type, and the value of an empty one. */
function helpOf({ kind, help = '', byDefault }: InputField): string {
  const empty = byDefault === undefined ? '' : `Empty means ${byDefault}.`;
  return inOneLine([help, KINDS[kind], empty].filter((one) => one !== '').join(' '));
}
