import { describe, expect, it } from 'vitest';
import {
  createActor,
  initialTransition,
  transition,
  type AnyTransitionDefinition,
  type EventFromLogic,
  type SnapshotFrom,
} from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import {
  approve,
  definePipeline,
  escalate,
  phase,
  reject,
  retry,
  retryPredecessor,
  task,
  type GatePolicy,
} from '../src/index.ts';
import type { Verdict } from '../src/records.ts';
import { phaseLogic, phaseMachine, reportsOf, type AttemptOutcome, type PhaseInput } from '../src/machines.ts';
import { BORN, follow, type Model, type Rules, type Step, type Stimulus } from './phase.oracle.ts';

const machine = phaseMachine;
/** The logic of an actor whose work never ends by itself. The test sends its end. */
const endless = phaseLogic({ attempt: { begin: () => held }, review: { begin: () => held } });
const held = { stop: () => undefined };
type Snapshot = SnapshotFrom<typeof machine>;
type Event = EventFromLogic<typeof machine>;

/** Every value of every option, and every pair of values that meet in one row of the table. */
const settings: readonly (GatePolicy & { readonly attended?: boolean; readonly gated?: boolean })[] = [
  {},
  { onExhausted: 'accept', onUnrecognised: 'approve', onInvalidTarget: 'approve' },
  { gated: false },
  { onExhausted: 'acceptBest', onUnrecognised: 'ask', onInvalidTarget: 'escalate' },
  { onExhausted: 'escalate', attended: true },
  { onExhausted: 'escalate', onUnrecognised: 'ask', attended: true, onInvalidTarget: 'escalate' },
  { onExhausted: 'reject', onInvalidTarget: 'escalate', attended: true },
  { onExhausted: 'reject', onUnrecognised: 'ask', onInvalidTarget: 'ask', attended: true },
];

const everyRow: ReadonlySet<string> = new Set([
  'no decision of code',
  'missing, ask again',
  'missing, ask a person',
  'missing, fail',
  'approve',
  'approve nothing',
  'no verdict in the text',
  'retry',
  'rewind',
  'reject',
  'escalate',
  'rework impossible',
  'target not allowed, escalate',
  'target not allowed, approve',
  'exhausted, escalate',
  'exhausted, reject',
  'exhausted, accept',
]);
const rowsTaken = new Set<string>();
const branchesTaken = new Set<string>();

describe.each(settings.map((setting) => [JSON.stringify(setting), setting] as const))(
  'a phase with %s',
  (_, setting) => {
    const { attended = false, gated = true, ...policy } = setting;
    const { input, rules } = phaseWith(policy, attended, gated);
    const paths = getShortestPaths(machine, {
      input,
      events: (snapshot) => stimuliOf(snapshot).map((stimulus) => completed(eventOf(stimulus), snapshot, input)),
      serializeState: (snapshot) => keyOf(snapshot),
      stopWhen: (snapshot) => snapshot.status !== 'active',
    }).map((path) => path.steps.slice(1).map((step) => step.event));
    const walk = walker(input);
    // A path leads to every state. Each event after each path covers every transition as well.
    const walks = paths.flatMap((path) => {
      const end = walk(path).at(-1)?.snapshot;
      return end ? stimuliOf(end).map((stimulus) => [...path, completed(eventOf(stimulus), end, input)]) : [];
    });

    it('is in the state of semantics.md, on every path and after every further event', () => {
      expect(paths.length).toBeGreaterThan(gated ? 60 : 5);
      for (const events of [[], ...paths, ...walks]) {
        const step = stepAfter(events);
        if (step.row !== undefined) rowsTaken.add(step.row);
        const { snapshot, reports } = walk(events).at(-1) ?? {};
        expect([snapshot && modelOf(snapshot), reports], nameOf(events)).toEqual([step.model, step.reports]);
      }

      function stepAfter(events: readonly Event[]): Step {
        return events.reduce((step: Step, event) => follow(step.model, stimulusOf(event), rules), {
          model: BORN,
          reports: ['phase.started 0'],
        });
      }
    });

    it('spends its budgets in full, and no more', () => {
      const spent = [...paths, ...walks].flatMap((events) => walk(events).map(({ snapshot }) => modelOf(snapshot)));
      expect(Math.max(...spent.map((model) => model.retries))).toBe(gated ? 2 : 0);
      expect(Math.max(...spent.map((model) => model.rewinds))).toBe(2);
      expect(Math.max(...spent.map((model) => model.errors))).toBe(gated ? 2 : 0);
    });

    it('survives storage between any two events', () => {
      const storedWalk = walker(input, throughJson);
      for (const events of [...paths, ...walks]) {
        expect(plain(storedWalk(events).at(-1)), nameOf(events)).toEqual(plain(walk(events).at(-1)));
      }
    });

    it('takes every transition as a real actor, too', () => {
      const seen = new Set<string>();
      for (const events of walks) {
        const [before, after] = walk(events).slice(-2);
        const kind = JSON.stringify([before?.snapshot.value, nameOf(events.slice(-1)), after?.snapshot.value]);
        if (seen.has(kind)) continue;
        seen.add(kind);
        const actor = createActor(endless, {
          input,
          inspect: (inspection) => {
            if (inspection.type !== '@xstate.microstep') return;
            for (const one of inspection._transitions) branchesTaken.add(branchOf(one));
          },
        }).start();
        for (const event of events) actor.send(event);
        expect(plain({ snapshot: actor.getSnapshot() })).toEqual(plain({ snapshot: after?.snapshot }));
        actor.stop();
      }
    });
  },
);

describe('all settings together', () => {
  it('use every row of the decision table', () => {
    expect(rowsTaken).toEqual(everyRow);
  });

  it('take every branch of the machine', () => {
    const declared = Object.values(machine.states).flatMap((state) =>
      [...state.transitions.values(), state.always ?? []].flat().map(branchOf),
    );
    expect(declared.length).toBeGreaterThan(20);
    expect(declared.filter((branch) => !branchesTaken.has(branch))).toEqual([]);
  });
});

// --- internal ---

function phaseWith(policy: GatePolicy, attended: boolean, gated: boolean): { input: PhaseInput; rules: Rules } {
  const work = task('t', { run: () => 1 });
  const pipeline = definePipeline({
    name: 'model',
    phases: [
      phase('p', { tasks: [work] }),
      phase('x', {
        after: ['p'],
        tasks: [work],
        review: { by: () => 'APPROVE', maxReviewErrors: 2, ...LOOPS, ...policy },
      }),
    ],
  });
  const plan = pipeline.plan.phases[1];
  if (!plan?.gate) throw new Error('the phase of the model has a gate');
  const input = { run: 'r', phase: plan, attempt: 0, inputs: { p: { t: 1 } }, attended, gated };
  return { input, rules: { gate: plan.gate, attended, gated } };
}

/** Loop detection is off, as the same verdicts recur here. Loops have tests of their own. */
const LOOPS = { loopAfter: 'unlimited' } as const;

const verdicts: readonly (Verdict | 'crashed')[] = [
  approve(),
  retry('more'),
  retryPredecessor('p', 'more'),
  retryPredecessor('elsewhere', 'more'),
  reject('no'),
  escalate('look'),
  { type: 'unrecognised', text: 'well' },
  { type: 'unavailable', error: { code: 'TASK_FAILED', name: 'Error', message: 'busy' } },
  { type: 'unavailable', error: { code: 'DECISION_INVALID', name: 'Error', message: 'nothing', permanent: true } },
  { type: 'inconclusive', decision: { ...reject('unsure'), confidence: 0.1 } },
  'crashed',
];
const outcomes = ['done', 'failed', 'crashed', 'rework p', 'rework elsewhere'] as const;

/** Returns everything that can happen in a state. */
function stimuliOf(snapshot: Snapshot): readonly Stimulus[] {
  const cancel = { type: 'cancel' } as const;
  switch (snapshot.value) {
    case 'running':
      return [...outcomes.map((outcome) => ({ type: 'work', outcome }) as const), cancel];
    case 'reviewing':
      return [...verdicts.map((verdict) => ({ type: 'verdict', verdict }) as const), cancel];
    case 'retrying':
    case 'rewinding':
      return [{ type: 'restart' }, { type: 'hold' }, cancel];
    case 'escalated':
      return [
        ...verdicts.slice(0, 5).map((decision) => ({ type: 'decide', decision: decision as Verdict }) as const),
        cancel,
      ];
    case 'deciding':
    case 'approved':
    case 'rejected':
    case 'failed':
    case 'cancelled':
      return [];
  }
}

/** Returns XState's event for a stimulus, together with the stimulus. */
function eventOf(stimulus: Stimulus): Event {
  const event = { ...rawEventOf(stimulus), stimulus };
  return event as unknown as Event;
}

function rawEventOf(stimulus: Stimulus): object {
  switch (stimulus.type) {
    case 'work':
      if (stimulus.outcome === 'crashed') return { type: 'attempt.failed', error: CRASH };
      return { type: 'attempt.done', output: outcomeOf(stimulus.outcome) };
    case 'verdict':
      if (stimulus.verdict === 'crashed') return { type: 'review.failed', error: 'crashed' };
      return { type: 'review.done', output: { verdict: stimulus.verdict, verdicts: {} } };
    case 'hold':
      return { type: 'hold', reason: 'a limit' };
    case 'restart':
    case 'cancel':
    case 'decide':
      return stimulus;
  }
}

function outcomeOf(outcome: string): AttemptOutcome {
  if (outcome === 'done') return { type: 'done', outputs: { t: null } };
  if (outcome === 'failed') return { type: 'failed', error: { code: 'TASK_FAILED', name: 'Error', message: 'x' } };
  return { type: 'rework', phase: outcome.replace('rework ', ''), feedback: 'rework' };
}

function stimulusOf(event: Event): Stimulus {
  return (event as unknown as { readonly stimulus: Stimulus }).stimulus;
}

/** One error for all stimuli, so that its stack is the same everywhere. */
const CRASH = new Error('crashed');

interface Walked {
  readonly snapshot: Snapshot;
  readonly reports: readonly string[];
}

type Walk = (events: readonly Event[]) => readonly Walked[];

/**
 * Walks through events. Paths with a common beginning share it. @returns Every snapshot and report on the way, the
 * first included.
 */
function walker(input: PhaseInput, between = (snapshot: Snapshot) => snapshot): Walk {
  const known = new Map<string, readonly Walked[]>();
  return function walk(events): readonly Walked[] {
    const name = nameOf(events);
    const steps = known.get(name) ?? (events.length === 0 ? begin() : goOn(walk(events.slice(0, -1)), events));
    known.set(name, steps);
    return steps;
  };

  function begin(): readonly Walked[] {
    const [snapshot] = initialTransition(machine, input);
    return [{ snapshot, reports: reportsOf(snapshot).map(reportLine) }];
  }

  function goOn(steps: readonly Walked[], events: readonly Event[]): readonly Walked[] {
    const last = steps.at(-1);
    const event = events.at(-1);
    if (!last || !event) throw new Error('a way goes on from a step, with an event');
    const before = between(last.snapshot);
    const [snapshot] = transition(machine, before, event);
    return [...steps, { snapshot, reports: reportsOf(snapshot, before).map(reportLine) }];
  }
}

/** Completes an event: a phase after a rewind is restarted with new inputs, a retry with the same ones. */
function completed(event: Event, { value, context }: Snapshot, { inputs }: PhaseInput): Event {
  return event.type === 'restart' && value === 'rewinding'
    ? { ...event, start: { attempt: 0, inputs, gated: context.gated } }
    : event;
}

/** Converts a snapshot to JSON and back, as storage does. */
function throughJson(snapshot: Snapshot): Snapshot {
  const stored: unknown = JSON.parse(JSON.stringify(machine.getPersistedSnapshot(snapshot)));
  return createActor(machine, { snapshot: stored as never, input: undefined as never }).getSnapshot();
}

function reportLine(event: ReturnType<typeof reportsOf>[number]): string {
  if (event.type === 'phase.started') return `phase.started ${event.attempt}`;
  if (event.type === 'review.started') return `review.started ${event.asked}`;
  if (event.type === 'review.decided') return `review.decided ${event.verdict.type} ${event.by}`;
  if (event.type === 'phase.rewinding') return `phase.rewinding ${event.target}`;
  return 'because' in event ? `${event.type} ${event.because}` : event.type;
}

function modelOf({ value, context }: Snapshot): Model {
  return {
    state: value as Model['state'],
    attempt: context.attempt,
    retries: context.retries,
    rewinds: context.memory.rewinds['p'] ?? 0,
    errors: context.review.errors,
    outputs: context.outputs !== null,
    by: context.review.by,
  };
}

/**
 * Returns the key of a state. States with equal keys have the same future; attempt numbers are excluded, as they are
 * unbounded.
 */
function keyOf(snapshot: Snapshot): string {
  const { attempt: _, ...model } = modelOf(snapshot);
  const { verdict, by } = snapshot.context.review;
  return JSON.stringify([model, verdict?.type, by, snapshot.context.held]);
}

function plain(
  step: { readonly snapshot?: Snapshot | undefined; readonly reports?: readonly string[] } | undefined,
): unknown {
  const { snapshot, reports } = step ?? {};
  return { value: snapshot?.value, status: snapshot?.status, context: snapshot?.context, reports };
}

function branchOf({ source, eventType, guard }: AnyTransitionDefinition): string {
  const name = typeof guard === 'object' ? guard.type : guard;
  return `${source.key} ${eventType} ${typeof name === 'string' ? name : 'otherwise'}`;
}

function nameOf(events: readonly Event[]): string {
  return events.map((event) => JSON.stringify(stimulusOf(event))).join(' → ');
}
