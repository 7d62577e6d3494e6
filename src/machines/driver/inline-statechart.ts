/**
 * The statechart of a phase, as XState takes its transitions where the phase is no actor.
 *
 * @module
 */
import { createMachine, type AnyActorRef } from 'xstate';
import type { PhaseContext, PhaseInput } from '../phase/phase-context.ts';
import type { PhaseCommand, phaseMachine } from '../phase/phase.machine.ts';

/** The machine of a phase, with its work provided. */
export type PhaseMachine = Pick<typeof phaseMachine, 'config'> & { readonly implementations: Implementations };

/** What a state may invoke. */
export type Port = 'attempt' | 'review';

/** What a phase is told by its pipeline, and by its work. */
export type PhaseEvent =
  | PhaseCommand
  | { readonly type: 'work.done'; readonly output: unknown }
  | { readonly type: 'work.failed'; readonly error: unknown };

/** Whoever stands for the actor. */
export interface Worker {
  /** The pipeline; the name is XState's. */
  readonly _parent: AnyActorRef;
  /** Called when a state is entered that has work done. */
  begin(port: Port, context: PhaseContext): void;
  /** Called when it is left. */
  stop(): void;
}

/** What is needed of a machine of XState. */
export interface Chart {
  getInitialSnapshot(scope: Scope, input: PhaseInput): Snapshot;
  transition(snapshot: Snapshot, event: PhaseEvent, scope: Scope): Snapshot;
}

/** Where a machine stands, as far as its owner looks. */
export interface Snapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly error?: unknown;
}

/** What XState runs a transition with. */
export class Scope {
  readonly self: Worker;
  readonly system: unknown;
  readonly logger = nothing;
  readonly defer = call;
  readonly emit = nothing;
  readonly stopChild = nothing;

  constructor(phase: Worker) {
    this.self = phase;
    this.system = phase._parent.system;
  }

  get actionExecutor(): (action: Execution) => void {
    return execute;
  }

  /**
   * Refuses what XState puts in its place for each step: a closure that takes down the step's actions, for whoever asks for
   * them. Nobody does here, and V8 makes a closure that is assigned to a property in the old space, so that all those
   * actions lead to, the whole attempt, would live until a major collection of garbage.
   */
  set actionExecutor(_: (action: Execution) => void) {}
}

/** The same statechart, in which a state that invokes work begins it on entry and stops it on exit. */
export function withoutActors({ config, implementations }: PhaseMachine): Chart {
  const states = Object.entries(config.states ?? {}).map(([name, state]) => [name, direct(state as StateConfig)]);
  // Its work is provided, or it would have to be an actor.
  const chart = { ...config, entry: undefined, states: Object.fromEntries(states) as object };
  const { actions, guards } = implementations;
  return createMachine(chart as never).provide({
    guards,
    actions: { ...actions, beginWork, stopWork },
  } as never) as unknown as Chart;
}

// --- internal ---

interface Implementations {
  readonly actors: Readonly<Partial<Record<Port, unknown>>>;
  readonly actions: object;
  readonly guards: object;
}

type Action = (info: unknown, params: unknown) => void;

interface Execution {
  readonly info: unknown;
  readonly params: unknown;
  readonly exec?: Action;
}

function nothing(): void {}

function call(run: () => void): void {
  run();
}

function execute({ exec, info, params }: Execution): void {
  exec?.(info, params);
}

interface StateConfig {
  readonly entry?: unknown;
  readonly on?: object;
  readonly invoke?: { readonly src: Port; readonly onDone: unknown; readonly onError: unknown };
}

function direct({ invoke, entry, on, ...state }: StateConfig): object {
  if (!invoke) return { ...state, entry, on };
  return {
    ...state,
    entry: [entry, { type: 'beginWork', params: invoke.src }].flat(),
    exit: 'stopWork',
    on: { ...on, 'work.done': invoke.onDone, 'work.failed': invoke.onError },
  };
}

function beginWork({ self, context }: { readonly self: Worker; readonly context: PhaseContext }, port: Port): void {
  self.begin(port, context);
}

function stopWork({ self }: { readonly self: Worker }): void {
  self.stop();
}
