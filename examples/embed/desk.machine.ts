/**
 * An application's own machine, with a pipeline as one of its actors.
 *
 * ```text
 *   idle ── order ──▶ working ──▶ delivered
 *                        ├─ ask ──▶ (a question is open) ── answer ──▶ back to work
 *                        ├─ close ─▶ idle      stops the pipeline and every task in it
 *                        └─────────▶ broken    the pipeline failed, or could not be restored
 * ```
 *
 * @module
 */
import { machineOf, type PipelineOutput } from 'phasegate/machines';
import type { Decision } from 'phasegate';
import type { RunEvent } from 'phasegate/records';
import { assign, enqueueActions, sendTo, setup, stopChild, type ActorRefFrom, type DoneActorEvent } from 'xstate';
import { article } from './pipeline.ts';

const pipeline = machineOf(article);

/** The events of the desk. The last two come from its actors. */
type DeskEvent =
  | { readonly type: 'order'; readonly topic: string }
  | { readonly type: 'answer'; readonly decision: Decision }
  | { readonly type: 'close' }
  | { readonly type: 'progress'; readonly event: RunEvent }
  | DoneActorEvent<PipelineOutput, 'run'>;

interface DeskContext {
  readonly run: ActorRefFrom<typeof pipeline> | null;
  /** One line per event of the pipeline, for a user interface to show. */
  readonly progress: readonly string[];
  /** The open question to a person, and the phase that it is about. */
  readonly question: { readonly about: string; readonly text: string } | null;
  readonly delivered: PipelineOutput | null;
}

const types: { readonly context?: DeskContext; readonly events?: DeskEvent } = {};

/** The desk: orders an article, shows its progress, and asks a person before it is published. */
export const deskMachine = setup({
  types,
  actors: { pipeline },
  actions: {
    begin: assign({
      run: ({ spawn }, topic: string) =>
        spawn('pipeline', { id: 'run', input: { run: 'order 1', plan: article.plan, input: topic, attended: true } }),
    }),
    // A separate action after `begin`, which creates the actor. The actor starts after the last action, so no event is missed.
    watch: ({ context, self }) => {
      context.run?.on('*', (event) => self.send({ type: 'progress', event }));
    },
    note: enqueueActions(({ enqueue, context }, event: RunEvent) => {
      enqueue.assign({ progress: [...context.progress, lineOf(event)] });
      if (event.type === 'phase.escalated') enqueue.assign({ question: { about: event.phase, text: event.reason } });
    }),
    forward: sendTo(
      ({ context }) => context.run ?? 'run',
      ({ context }, decision: Decision) => ({
        type: 'decide' as const,
        about: context.question?.about ?? '',
        decision,
      }),
    ),
    closeQuestion: assign({ question: null }),
    stop: stopChild('run'),
    forget: assign({ run: null, question: null }),
    deliver: assign({ delivered: (_, output: PipelineOutput) => output }),
  },
}).createMachine({
  id: 'desk',
  context: { run: null, progress: [], question: null, delivered: null },
  initial: 'idle',
  states: {
    idle: {
      on: {
        order: { target: 'working', actions: [{ type: 'begin', params: ({ event }) => event.topic }, 'watch'] },
      },
    },
    working: {
      on: {
        progress: { actions: { type: 'note', params: ({ event }) => event.event } },
        answer: { actions: [{ type: 'forward', params: ({ event }) => event.decision }, 'closeQuestion'] },
        close: { target: 'idle', actions: ['stop', 'forget'] },
        'xstate.done.actor.run': {
          target: 'delivered',
          actions: { type: 'deliver', params: ({ event }) => event.output },
        },
        'xstate.error.actor.run': 'broken',
      },
    },
    delivered: { type: 'final' },
    broken: { type: 'final' },
  },
});

// --- internal ---

function lineOf(event: RunEvent): string {
  return 'phase' in event ? `${event.type} ${event.phase}` : event.type;
}
