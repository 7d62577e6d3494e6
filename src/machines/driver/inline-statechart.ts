/**
 * The statechart of a phase that is no actor.
 *
 * @module
 */
import { createMachine, type AnyActorRef } from 'xstate';
import type { PhaseContext, PhaseInput } from '../phase/phase-context.ts';
import type { PhaseCommand, phaseMachine } from '../phase/phase.machine.ts';

/** The machine of a phase, with its work provided. */
export type PhaseMachine = Pick<typeof phaseMachine, 'config'> & { readonly implementations: Implementations };

/** The work that a state may invoke. */
export type Port = 'attempt' | 'review';

/** Events of a phase: commands of its pipeline, and ends of its work. */
export type PhaseEvent =
  | PhaseCommand
  | { readonly type: 'work.done'; readonly output: unknown }
  | { readonly type: 'work.failed'; readonly error: unknown };

/** The stand-in for the actor. */
export interface Worker {
  /** The pipeline; the name is XState's. */
  readonly _parent: AnyActorRef;
  /** Begins work on entry to a state that invokes it. */
  begin(port: Port, context: PhaseContext): void;
  /** Stops the work on exit from the state. */
  stop(): void;
}

/** The part of a machine of XState that inline phases use. */
export interface Chart {
  getInitialSnapshot(scope: Scope, input: PhaseInput): Snapshot;
  transition(snapshot: Snapshot, event: PhaseEvent, scope: Scope): Snapshot;
}

/** The part of a snapshot of XState that inline phases read. */
export interface Snapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly error?: unknown;
}

/** The scope of a transition, as XState expects it. */
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
   * Ignores the closure that XState assigns for each step to record its actions. Nobody reads them here. V8 allocates a closure that
   * is assigned to a property in the old space. It would keep the whole attempt alive until a major garbage collection.
   */
  set actionExecutor(_: (action: Execution) => void) {}
}

/** Converts the statechart of a phase: a state that invokes work begins it on entry, and stops it on exit. */
export function withoutActors({ config, implementations }: PhaseMachine): Chart {
  const states = Object.entries(config.states ?? {}).map(([name, state]) => [name, direct(state as StateConfig)]);
  // The entry action checks for missing actors, and inline work is always provided.
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
