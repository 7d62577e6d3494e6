/**
 * Types of what reviewers answer, and of what they are known to answer wrongly.
 *
 * @module
 */
import type { Aim, Decision } from '../decision/decision.ts';
import type { Task, TaskName } from './task.ts';

type Rewind = Extract<Decision, { readonly type: 'retryPredecessor' }>;

/** A reviewer's answer: a decision or its text. `Target` are the names of the phases that it may send back. */
export type Answer<Target extends string = string> =
  | Exclude<Decision, Rewind>
  // Any text, so that it may be a name that only the run knows; with the names, so that literal ones stay literal.
  | (Omit<Rewind, 'phase'> & { readonly phase: Target | (string & NonNullable<unknown>) } & Aim<Target>)
  | string;

/** Anything; `T` is inferred from it. */
export type Inferred<T> = T | NonNullable<unknown>;

/**
 * Refuses a reviewer, or a list of them, that is known to answer what no gate or not this one can take: a function or a task that
 * sends back a phase by a name that is none of these, misspells a type, or answers what is no decision. Anything else is left to the run.
 */
export type Judged<By, Target extends string> = [Fault<OneOf<By>, Target>] extends [never]
  ? unknown
  : Fault<OneOf<By>, Target>;

// --- internal ---

type OneOf<By> = By extends readonly (infer One)[] ? One : By;

/** The answer that should be there instead; `never` if nothing is known to be wrong. */
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

/** A name that is known, and is none of those that are known. */
type Stray<Name, Target extends string> = string extends Name
  ? never
  : string extends Target
    ? never
    : Name extends Target
      ? never
      : Answer<Target>;
