/**
 * Questions to people in the middle of work, such as an agent's question for permission.
 *
 * A handler that may ask is marked, and a run binds a function to the context of each of its tries. So the plan knows nothing of such questions.
 *
 * @module
 */
import type { HumanOptions } from './human.ts';

/**
 * Asks a person. Resolves with the answer; `undefined` if nobody answers in time, or the signal is aborted.
 *
 * @param about All that the question is about, as JSON: a question about anything else is another one. @default the question
 * @throws If the run is suspended, or its store fails.
 */
export type AskPerson = (question: HumanOptions, signal: AbortSignal, about?: unknown) => Promise<unknown>;

/** Marks a handler whose work may ask people. */
export function asksPeople<F extends object>(handler: F): F {
  asking.add(handler);
  return handler;
}

/** True if the handler of a task or a reviewer may ask people. */
export function mayAskPeople({ run }: { readonly run: unknown }): boolean {
  return typeof run === 'function' && asking.has(run);
}

/** Binds the function to the context of a try. */
export function bindPerson(context: object, ask: AskPerson): void {
  askers.set(context, ask);
}

/** Returns the function for a try; `undefined` if its handler is not marked, or its run asks nobody. */
export function personOf(context: object): AskPerson | undefined {
  return askers.get(context);
}

// --- internal ---

const asking = new WeakSet();
const askers = new WeakMap<object, AskPerson>();
