/**
 * The statechart of a phase for tools that explore machines, and take no machine that invokes actors.
 *
 * @module
 */
import { setup } from 'xstate';
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { openContext, type PhaseContext, type PhaseInput } from './phase-context.ts';
import { phaseMachine, type PhaseCommand, type PhaseOutput } from './phase.machine.ts';
import type { AttemptOutcome, GateOutcome } from './ports.ts';

/** Events of {@link phaseModel}: the commands of a phase, and the ends of its work. */
export type PhaseModelEvent =
  | PhaseCommand
  /** The tasks of the attempt have ended, or its review has. */
  | { readonly type: 'work.done'; readonly output: AttemptOutcome | GateOutcome }
  /** The attempt, or its review, has thrown. */
  | { readonly type: 'work.failed'; readonly error: ErrorInfo };

/**
 * Makes the statechart of a phase without actors: `getShortestPaths` and `createTestModel` of `xstate/graph` take it. It has the states, the
 * guards and the context of `phaseMachine`; the ends of its work are events, `work.done` and `work.failed`. It sends no reports.
 *
 * @example
 * ```ts
 * const paths = getShortestPaths(phaseModel(), { input, events });
 * ```
 */
export function phaseModel() {
  const { config, implementations } = phaseMachine;
  const states = Object.entries(config.states ?? {}).map(([name, { invoke, ...state }]) => [
    name,
    invoke === undefined ? state : { ...state, on: { ...state.on, ...endsOf(invoke) } },
  ]);
  const chart: object = { ...config, entry: undefined, states: Object.fromEntries(states) as object };
  const machine = setup({
    types: {
      input: {} as PhaseInput,
      context: {} as PhaseContext,
      events: {} as PhaseModelEvent,
      output: {} as PhaseOutput,
    },
  }).createMachine({ ...chart, context: ({ input }) => openContext(input) });
  return machine.provide(implementations);
}

// --- internal ---

/** Returns the transitions of an invoked actor as transitions of events. */
function endsOf(invoke: object): object {
  const { onDone, onError } = invoke as { readonly onDone?: unknown; readonly onError?: unknown };
  return { 'work.done': onDone, 'work.failed': onError };
}
