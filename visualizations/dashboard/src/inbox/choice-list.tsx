/**
 * The kinds of answers that an item accepts.
 *
 * @module
 */
import { type ReactNode, useId } from 'react';
import type { Choice } from '../../../../src/projections/inbox/item-choices.ts';
import { inOneLine } from '../parts/untrusted-text.ts';

interface ChoiceListProps {
  readonly choices: readonly Choice[];
  readonly answer: Choice['answer'] | null;
  /** True if the user must choose one and has not. */
  readonly isWrong: boolean;
  readonly disabled: boolean;
  readonly onChange: (answer: Choice['answer']) => void;
}

/** A list of radio buttons, with none preselected. */
export function ChoiceList({ choices, answer, isWrong, disabled, onChange }: ChoiceListProps): ReactNode {
  const group = useId();
  const answers = [...new Set(choices.map((choice) => choice.answer))];
  return (
    <fieldset className="choices" data-wrong={isWrong} disabled={disabled}>
      <legend>Answer</legend>
      {answers.map((one) => (
        <label key={one} className={one === answer ? 'chosen' : ''}>
          <input type="radio" name={group} checked={one === answer} onChange={() => onChange(one)} />
          <strong>{NAMES[one]}</strong>
          <span className="quiet">{hintOf(choices, one)}</span>
        </label>
      ))}
    </fieldset>
  );
}

// --- internal ---

const NAMES: Readonly<Record<Choice['answer'], string>> = {
  approve: 'Approve',
  edit: 'Edit',
  retry: 'Retry',
  rewind: 'Rewind',
  reclassify: 'Reclassify',
  reject: 'Reject',
  skip: 'Skip',
  escalate: 'Escalate',
  value: 'Value',
  abort: 'Abort',
};

/** The item has a rewind for each possible phase. The list shows them as one choice. */
function hintOf(choices: readonly Choice[], answer: Choice['answer']): string {
  if (answer === 'rewind') return 'an earlier phase works again, with your feedback';
  return inOneLine(choices.find((choice) => choice.answer === answer)?.means ?? '');
}
