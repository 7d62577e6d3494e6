/**
 * An answer while it is written, and the reply that it makes.
 *
 * @module
 */
import { reclassify } from '../../../../src/projections/inbox/reclassify.ts';
import { PhasegateError } from '../../../../src/model/errors/phasegate-error.ts';
import type { Choice } from '../../../../src/projections/inbox/item-choices.ts';
import type { Reply } from '../../../../src/projections/inbox/reply.ts';
import type { UiItemDetail } from '../../../../src/server/api.ts';

/** Text, or JSON. */
export interface Typed {
  readonly as: 'text' | 'json';
  readonly text: string;
}

/** What was chosen and written so far; what other kinds of answer need is kept, too. */
export interface Draft {
  readonly answer: Choice['answer'] | null;
  /** What to change. */
  readonly feedback: string;
  /** Why. */
  readonly reason: string;
  /** The phase to send back. */
  readonly target: string;
  /** The issue that is of another phase, and that phase. */
  readonly issue: string;
  readonly owner: string;
  /** What a task puts out: one of its choices, or any value. */
  readonly option: string | null;
  readonly value: Typed;
  /** Outputs that were changed, by task. */
  readonly outputs: Readonly<Record<string, Typed>>;
}

/** Nothing is chosen before somebody chooses it. */
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

/** A reply, or what is missing for one. */
export type Drafted =
  | { readonly reply: Reply }
  | {
      readonly problem: string;
      readonly field: Field;
      /** Of which task the output is wrong, where it is one of several. */
      readonly task?: string | undefined;
    };

/** Reads a draft. */
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
      if (feedback.trim() === '') return { problem: SAY_WHAT, field: 'feedback' };
      return { reply: { type: 'decide', decision: { type: 'retry', feedback } } };
    case 'rewind':
      if (target === '') return { problem: 'Choose the phase to send back.', field: 'target' };
      if (feedback.trim() === '') return { problem: SAY_WHAT, field: 'feedback' };
      return { reply: { type: 'decide', decision: { type: 'retryPredecessor', phase: target, feedback } } };
    case 'reclassify':
      return reclassified(draft, detail);
    case 'reject':
    case 'escalate':
      if (reason.trim() === '') return { problem: 'Say why.', field: 'reason' };
      return { reply: { type: 'decide', decision: { type: draft.answer, reason } } };
    case 'skip':
    case 'abort':
      return { reply: reason.trim() === '' ? { type: draft.answer } : { type: draft.answer, reason } };
    case 'value':
      return valued(draft, detail);
  }
}

/** Reads what was typed. @returns Why it is no JSON, where it is to be some and is none. */
export function readTyped({ as, text }: Typed): { readonly value: unknown } | { readonly problem: string } {
  if (as === 'text') return { value: text };
  if (text.trim() === '') return { problem: 'There is no JSON. Text that is empty is "".' };
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch (error) {
    return { problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

// --- internal ---

const SAY_WHAT = 'Say what to change.';

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
  if (owner === '') return { problem: 'Choose the phase that has to correct it.', field: 'owner' };
  try {
    return { reply: { type: 'decide', decision: reclassify(detail, issue, owner) } };
  } catch (error) {
    if (!PhasegateError.is(error)) throw error;
    // It was found to be corrected while the answer was written.
    return { problem: error.message.split('\n')[0] ?? '', field: 'issue' };
  }
}

function valued({ option, value }: Draft, { item }: UiItemDetail): Drafted {
  if (item.choices) {
    if (option === null || !item.choices.includes(option)) return { problem: 'Choose one.', field: 'option' };
    return { reply: { type: 'value', value: option } };
  }
  const read = readTyped(value);
  return 'problem' in read
    ? { problem: read.problem, field: 'value' }
    : { reply: { type: 'value', value: read.value } };
}
