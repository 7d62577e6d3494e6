/**
 * Acts in which one gate decides otherwise than all others: who does each, and its clause for people.
 *
 * @module
 */
import type { LimitName } from '../../model/plan/policy-schema.ts';
import type { Step } from '../rehearsal/step.ts';

/** The act of one gate, or of the tasks behind it. */
export type Act =
  | { readonly type: 'approve' | 'retry' | 'reject' | 'escalate' | 'unreadable' | 'error' }
  | { readonly type: 'failed check' | 'broken check' }
  | { readonly type: 'rewind'; readonly target: string }
  /** A person who is a reviewer never answers. */
  | { readonly type: 'unanswered review' }
  /** A person answers only after the question has expired: as a reviewer, or once the gate has escalated. */
  | { readonly type: 'late review' | 'late answer' }
  /** The gate escalates, and nobody answers, or a person ends the run. */
  | { readonly type: 'silence' | 'abort' }
  /** The tasks of the phase fail. */
  | { readonly type: 'failed task' }
  /** The tasks, the reviewers or the checks of the phase never end. */
  | { readonly type: 'endless task' | 'endless review' | 'endless check' }
  /** The tasks of all phases use more than a limit of the run allows. */
  | {
      readonly type: 'spent limit';
      readonly limit: LimitName;
      readonly step: (output: unknown) => Step;
      readonly isLifted: boolean;
    };

/** The workers who do the acts. */
export const DONE_BY: Readonly<Record<Act['type'], 'tasks' | 'reviews' | 'checks' | undefined>> = {
  approve: 'reviews',
  retry: 'reviews',
  rewind: 'reviews',
  reject: 'reviews',
  escalate: 'reviews',
  'unanswered review': 'reviews',
  'late review': 'reviews',
  'late answer': 'reviews',
  silence: 'reviews',
  abort: 'reviews',
  unreadable: 'reviews',
  error: 'reviews',
  'endless review': 'reviews',
  'failed check': 'checks',
  'broken check': 'checks',
  'endless check': 'checks',
  'failed task': 'tasks',
  'endless task': 'tasks',
  'spent limit': undefined,
};

/** Returns the clause of an act, such as `the gate of "plan" always demands a retry`. */
export function clauseOf(phase: string, act: Act, isRepeated: boolean): string {
  const often = isRepeated ? 'always' : 'once';
  const gate = `the gate of "${phase}"`;
  switch (act.type) {
    case 'approve':
      return `${gate} approves`;
    case 'retry':
      return `${gate} ${often} demands a retry`;
    case 'rewind':
      return `${gate} ${often} sends back "${act.target}"`;
    case 'reject':
      return `${gate} rejects`;
    case 'escalate':
      return `${gate} escalates`;
    case 'unanswered review':
      return `a person who reviews "${phase}" never answers`;
    case 'late review':
      return `a person who reviews "${phase}" answers too late`;
    case 'late answer':
      return `${gate} escalates, and a person answers too late`;
    case 'silence':
      return `${gate} escalates, and nobody answers`;
    case 'abort':
      return `${gate} escalates, and a person ends the run`;
    case 'unreadable':
      return `${gate} ${often} answers without a decision`;
    case 'error':
      return `${gate} ${often} fails to answer`;
    case 'endless review':
      return `a reviewer of "${phase}" never ends`;
    case 'failed check':
      return `a check of "${phase}" ${often} refuses`;
    case 'broken check':
      return `a check of "${phase}" ${often} throws`;
    case 'endless check':
      return `a check of "${phase}" never ends`;
    case 'failed task':
      return `every task of "${phase}" fails`;
    case 'endless task':
      return `a task of "${phase}" never ends`;
    case 'spent limit':
      return `limits.${act.limit} is spent`;
  }
}
