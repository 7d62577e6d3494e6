/**
 * The part of a form in which a person writes the input: fields, or JSON.
 *
 * @module
 */
import { type ReactNode, useId, useState } from 'react';
import type { UiPipeline } from '../../../../src/server/api.ts';
import { TypedField } from '../inbox/typed-field.tsx';
import { type InputDraft, switched } from './input-draft.ts';
import { InputFields } from './input-fields.tsx';

interface InputPartProps {
  readonly pipeline: UiPipeline;
  readonly draft: InputDraft;
  /** Problems by the index of the field. */
  readonly problems: ReadonlyMap<number, string>;
  /** True if the schema has refused the input as a whole. */
  readonly isWrong: boolean;
  readonly disabled: boolean;
  readonly onChange: (draft: InputDraft) => void;
}

/** The fields with a switch to JSON, which takes the input along; or JSON alone if there are no fields. */
export function InputPart({ pipeline, draft, problems, isWrong, disabled, onChange }: InputPartProps): ReactNode {
  const id = useId();
  const [isStuck, setIsStuck] = useState(false);
  const { fields } = pipeline;
  const { isRaw, texts, typed } = draft;
  const change = (next: InputDraft) => {
    setIsStuck(false);
    onChange(next);
  };
  const turn = (toRaw: boolean) => {
    const next = switched(draft, fields ?? [], toRaw);
    if (next) change(next);
    else setIsStuck(true);
  };
  return (
    <>
      {fields === undefined ? null : (
        <fieldset className="inline-choice" disabled={disabled}>
          <legend>Write the input as</legend>
          {[false, true].map((toRaw) => (
            <label key={String(toRaw)}>
              <input type="radio" name={`${id} way`} checked={isRaw === toRaw} onChange={() => turn(toRaw)} />{' '}
              {toRaw ? 'raw JSON' : 'fields'}
            </label>
          ))}
        </fieldset>
      )}
      <p className="wrong note" aria-live="polite">
        {isStuck ? (isRaw ? CANNOT_HOLD : NOT_VALUES) : ''}
      </p>
      {fields !== undefined && !isRaw ? (
        <InputFields
          fields={fields}
          texts={texts}
          problems={problems}
          disabled={disabled}
          onChange={(next) => change({ ...draft, texts: next })}
        />
      ) : (
        <TypedField
          label="Input"
          typed={typed}
          onChange={(next) => change({ ...draft, typed: next })}
          isWrong={isWrong}
          disabled={disabled}
        />
      )}
    </>
  );
}

// --- internal ---

const CANNOT_HOLD = 'The fields cannot hold all of this JSON, so it stays JSON.';
const NOT_VALUES = 'Correct the marked fields first, as JSON cannot hold them.';
