/**
 * Types of reviewers' answers, and the compile-time check that refuses known mistakes in them.
 *
 * @module
 */
import type { Aim, Decision } from '../decision/decision.ts';
import type { Task, TaskName } from './task.ts';

type Rewind = Extract<Decision, { readonly type: 'retryPredecessor' }>;

/** A reviewer's answer: a decision or its text. `Target` are the names of the phases that it may send back. */
export type Answer<Target extends string = string> =
  | Exclude<Decision, Rewind>
  // Any text is allowed, as the name may only be known during a run. The names keep literals literal.
  | (Omit<Rewind, 'phase'> & { readonly phase: Target | (string & NonNullable<unknown>) } & Aim<Target>)
  | string;

/** Accepts anything; `T` is inferred from it. */
export type Inferred<T> = T | NonNullable<unknown>;

/**
 * Refuses a reviewer, or a list of them, whose answer is known to be wrong for this gate: it sends back an unknown phase, misspells a
 * type, or is no decision. All other answers are validated during the run.
 */
export type Judged<By, Target extends string> = [Fault<OneOf<By>, Target>] extends [never]
  ? unknown
  : Fault<OneOf<By>, Target>;

// --- internal ---

type OneOf<By> = By extends readonly (infer One)[] ? One : By;

/** The answer that the reviewer should return; `never` if no mistake is known. */
type Fault<By, Target extends string> =
  By extends Task<TaskName, infer Output, infer _>
    ? FaultOf<Awaited<Output>, Target>
    : By extends (...args: never) => infer Returned
      ? FaultOf<Awaited<Returned>, Target>
      : never;

type FaultOf<Output, Target extends string> = unknown extends Output
  ? never
  : Output extends string
    ? never
    : Output extends { readonly types?: { readonly target: infer Name } }
      ? Stray<Name, Target>
      : NonNullable<unknown> extends Output
        ? never
        : Output extends object
          ? FaultOfObject<Output, Target>
          : Answer<Target>;

type FaultOfObject<Output extends object, Target extends string> = 'type' extends keyof Output
  ? string extends Output['type']
    ? never
    : Output extends { readonly type: 'retryPredecessor'; readonly phase: infer Name }
      ? Stray<Name, Target>
      : Output['type'] extends Decision['type']
        ? never
        : Answer<Target>
  : Answer<Target>;

/** Refuses a literal name that is none of the known names. */
type Stray<Name, Target extends string> = string extends Name
  ? never
  : string extends Target
    ? never
    : Name extends Target
      ? never
      : Answer<Target>;
