/**
 * The fields of each kind of answer.
 *
 * @module
 */
import { type ReactNode, useId } from 'react';
import type { UiItemDetail } from '../../../../src/server/api.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import type { Draft, Field } from './answer-draft.ts';
import { EditFields } from './edit-fields.tsx';
import { TypedField } from './typed-field.tsx';

/** Props of the parts of the form. */
export interface FieldsProps {
  readonly draft: Draft;
  readonly detail: UiItemDetail;
  readonly change: (part: Partial<Draft>) => void;
  /** The field with the problem, after a failed attempt to send. */
  readonly wrong: Field | undefined;
  /** True if the fields are read-only. Their text can still be copied. */
  readonly disabled: boolean;
}

/** The fields of the chosen answer. */
export function AnswerFields(props: FieldsProps): ReactNode {
  const { draft, change, wrong, disabled } = props;
  switch (draft.answer) {
    case null:
    case 'approve':
      return null;
    case 'edit':
      return <EditFields {...props} />;
    case 'retry':
      return <Feedback {...props} />;
    case 'rewind':
      return (
        <>
          <Target {...props} />
          <Feedback {...props} />
        </>
      );
    case 'reclassify':
      return <Reclassify {...props} />;
    case 'reject':
    case 'escalate':
    case 'skip':
    case 'abort':
      return (
        <TextField
          label={draft.answer === 'skip' || draft.answer === 'abort' ? 'Why? (optional)' : 'Why?'}
          text={draft.reason}
          isWrong={wrong === 'reason'}
          disabled={disabled}
          onChange={(reason) => change({ reason })}
        />
      );
    case 'value':
      return <Value {...props} />;
  }
}

// --- internal ---

function Feedback({ draft, change, wrong, disabled }: FieldsProps): ReactNode {
  return (
    <TextField
      label="What to change?"
      text={draft.feedback}
      isWrong={wrong === 'feedback'}
      disabled={disabled}
      onChange={(feedback) => change({ feedback })}
    />
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly text: string;
  readonly isWrong: boolean;
  readonly disabled: boolean;
  readonly onChange: (text: string) => void;
}

function TextField({ label, text, isWrong, disabled, onChange }: TextFieldProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={5}
        value={text}
        readOnly={disabled}
        aria-invalid={isWrong}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly isWrong: boolean;
  readonly disabled: boolean;
  readonly onChange: (value: string) => void;
}

/** A select field without a preselection. Options are identified by index, as a name may be empty. */
function SelectField({ label, value, options, isWrong, disabled, onChange }: SelectFieldProps): ReactNode {
  const id = useId();
  const at = options.findIndex(([one]) => one === value);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={at}
        disabled={disabled}
        aria-invalid={isWrong}
        onChange={({ target }) => onChange(options[Number(target.value)]?.[0] ?? '')}
      >
        <option value={-1}>Choose…</option>
        {options.map(([one, text], index) => (
          <option key={one} value={index}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

function Target({ draft, detail, change, wrong, disabled }: FieldsProps): ReactNode {
  const targets = detail.choices.flatMap(({ answer, phase }) =>
    answer === 'rewind' && phase !== undefined ? phase : [],
  );
  return (
    <SelectField
      label="Which phase?"
      value={draft.target}
      options={targets.map((name) => [name, inOneLine(name)])}
      isWrong={wrong === 'target'}
      disabled={disabled}
      onChange={(target) => change({ target })}
    />
  );
}

function Reclassify({ draft, detail, change, wrong, disabled }: FieldsProps): ReactNode {
  const { findings, reach, item } = detail;
  return (
    <>
      <SelectField
        label="Which issue?"
        value={draft.issue}
        options={findings.map(({ id, issues }) => [id, startOf(issues[0]?.description ?? id, 100)])}
        isWrong={wrong === 'issue'}
        disabled={disabled}
        onChange={(issue) => change({ issue })}
      />
      <SelectField
        label="Which phase must correct it?"
        value={draft.owner}
        options={[...reach, item.about].map((name) => [name, inOneLine(name)])}
        isWrong={wrong === 'owner'}
        disabled={disabled}
        onChange={(owner) => change({ owner })}
      />
    </>
  );
}

function Value({ draft, detail, change, wrong, disabled }: FieldsProps): ReactNode {
  const group = useId();
  const { choices } = detail.item;
  if (!choices) {
    return (
      <TypedField
        label={`The output of ${inOneLine(detail.item.task ?? 'the task')}`}
        typed={draft.value}
        isWrong={wrong === 'value'}
        disabled={disabled}
        onChange={(value) => change({ value })}
      />
    );
  }
  return (
    <fieldset className="field choices-of-value" data-wrong={wrong === 'option'} disabled={disabled}>
      <legend>Which one?</legend>
      {choices.map((one) => (
        <label key={one}>
          <input type="radio" name={group} checked={draft.option === one} onChange={() => change({ option: one })} />{' '}
          <bdi>{inOneLine(one)}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
