/**
 * Drafts of answers, and the replies made from them.
 *
 * @module
 */
import { reclassify } from '../../../../src/projections/inbox/reclassify.ts';
import { PhasegateError } from '../../../../src/model/errors/phasegate-error.ts';
import type { Choice } from '../../../../src/projections/inbox/item-choices.ts';
import type { Reply } from '../../../../src/projections/inbox/reply.ts';
import type { UiItemDetail } from '../../../../src/server/api.ts';

/** Typed input, as text or as JSON. */
export interface Typed {
  readonly as: 'text' | 'json';
  readonly text: string;
}

/** The choices and texts so far. The fields of other kinds of answer are kept too. */
export interface Draft {
  readonly answer: Choice['answer'] | null;
  /** The requested change. */
  readonly feedback: string;
  /** The reason. */
  readonly reason: string;
  /** The phase to send back. */
  readonly target: string;
  /** The issue to reassign, and the phase that must correct it. */
  readonly issue: string;
  readonly owner: string;
  /** The output of a task: one of its choices, or any value. */
  readonly option: string | null;
  readonly value: Typed;
  /** Edited outputs, by task. */
  readonly outputs: Readonly<Record<string, Typed>>;
}

/** The empty draft. Nothing is preselected. */
export const EMPTY_DRAFT: Draft = {
  answer: null,
  feedback: '',
  reason: '',
  target: '',
  issue: '',
  owner: '',
  option: null,
  value: { as: 'text', text: '' },
  outputs: {},
};

/** A field of a draft. */
export type Field = 'answer' | 'feedback' | 'reason' | 'target' | 'issue' | 'owner' | 'option' | 'value' | 'outputs';

/** A reply, or the problem that prevents one. */
export type Drafted =
  | { readonly reply: Reply }
  | {
      readonly problem: string;
      readonly field: Field;
      /** The task whose output has the problem, if there are several. */
      readonly task?: string | undefined;
    };

/** Preselects the value for the question of a task: any other answer ends the run. It still has to be entered. */
export function preselected(draft: Draft, { kind }: Pick<UiItemDetail['item'], 'kind'>): Draft {
  return draft.answer === null && kind === 'task' ? { ...draft, answer: 'value' } : draft;
}

/** Converts a draft to a reply. */
export function replyOf(draft: Draft, detail: UiItemDetail): Drafted {
  const { feedback, reason, target } = draft;
  switch (draft.answer) {
    case null:
      return { problem: 'Choose an answer.', field: 'answer' };
    case 'approve':
      return { reply: { type: 'decide', decision: { type: 'approve' } } };
    case 'edit':
      return edited(draft, detail);
    case 'retry':
      if (feedback.trim() === '') return { problem: CHANGE_MISSING, field: 'feedback' };
      return { reply: { type: 'decide', decision: { type: 'retry', feedback } } };
    case 'rewind':
      if (target === '') return { problem: 'Choose the phase to send back.', field: 'target' };
      if (feedback.trim() === '') return { problem: CHANGE_MISSING, field: 'feedback' };
      return { reply: { type: 'decide', decision: { type: 'retryPredecessor', phase: target, feedback } } };
    case 'reclassify':
      return reclassified(draft, detail);
    case 'reject':
    case 'escalate':
      if (reason.trim() === '') return { problem: 'Enter a reason.', field: 'reason' };
      return { reply: { type: 'decide', decision: { type: draft.answer, reason } } };
    case 'skip':
    case 'abort':
      return { reply: reason.trim() === '' ? { type: draft.answer } : { type: draft.answer, reason } };
    case 'value':
      return valued(draft, detail);
  }
}

/** Parses typed input. @returns The value; or the problem, if it should be JSON and is not. */
export function readTyped({ as, text }: Typed): { readonly value: unknown } | { readonly problem: string } {
  if (as === 'text') return { value: text };
  if (text.trim() === '') return { problem: 'Enter JSON. An empty text is "".' };
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

// --- internal ---

const CHANGE_MISSING = 'Enter what to change.';
const VALUE_MISSING = 'Enter a value. To send an empty text, choose JSON and enter "".';

function edited({ outputs }: Draft, { item }: UiItemDetail): Drafted {
  const read: Record<string, unknown> = {};
  for (const [task, typed] of Object.entries(outputs)) {
    const one = readTyped(typed);
    if ('problem' in one) return { problem: one.problem, field: 'outputs', task };
    read[task] = one.value;
  }
  if (Object.keys(read).length === 0) {
    const hint = item.empty ? 'Give an output for each task.' : 'Change an output, or approve the attempt as it is.';
    return { problem: hint, field: 'outputs' };
  }
  return { reply: { type: 'decide', decision: { type: 'approve' }, outputs: read } };
}

function reclassified({ issue, owner }: Draft, detail: UiItemDetail): Drafted {
  if (issue === '') return { problem: 'Choose the issue.', field: 'issue' };
  if (owner === '') return { problem: 'Choose the phase that must correct it.', field: 'owner' };
  try {
    return { reply: { type: 'decide', decision: reclassify(detail, issue, owner) } };
  } catch (error) {
    if (!PhasegateError.is(error)) throw error;
    // The issue was found to be corrected while the user wrote.
    return { problem: error.message.split('\n')[0] ?? '', field: 'issue' };
  }
}

function valued({ option, value }: Draft, { item }: UiItemDetail): Drafted {
  if (item.choices) {
    if (option === null || !item.choices.includes(option)) return { problem: 'Choose a value.', field: 'option' };
    return { reply: { type: 'value', value: option } };
  }
  if (value.as === 'text' && value.text === '') return { problem: VALUE_MISSING, field: 'value' };
  const read = readTyped(value);
  return 'problem' in read
    ? { problem: read.problem, field: 'value' }
    : { reply: { type: 'value', value: read.value } };
}
