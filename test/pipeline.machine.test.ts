import { describe, expect, it } from 'vitest';
import {
  assign,
  createActor,
  SimulatedClock,
  setup,
  toPromise,
  waitFor,
  type AnyActorRef,
  type InspectionEvent,
} from 'xstate';
import { approve, definePipeline, PhasegateError, retry, startRun, type Pipeline } from '../src/index.ts';
import type { RunEvent } from '../src/records.ts';
import {
  machineOf,
  fromAsync,
  phaseLogic,
  type GateOutcome,
  type PhaseInput,
  type PipelineOutput,
} from '../src/machines.ts';
import { fake, held, idle, never, untilAborted, type Fake } from './rig.ts';

function pipelineOf(phases: readonly Fake[], limits = {}): Pipeline {
  return definePipeline({ name: 'embedded', phases: phases.map((one) => one.definition), limits });
}

function inputOf({ plan }: Pipeline, input?: unknown) {
  return { run: 'r', plan, input };
}

function throughJson(snapshot: unknown): never {
  return JSON.parse(JSON.stringify(snapshot)) as never;
}

/** A machine of an application that invokes a pipeline. */
function application(pipeline: Pipeline) {
  return setup({
    types: { context: {} as { readonly output: PipelineOutput | null; readonly error: unknown } },
    actors: { pipeline: machineOf(pipeline) },
  }).createMachine({
    context: { output: null, error: null },
    initial: 'working',
    states: {
      working: {
        invoke: {
          src: 'pipeline',
          id: 'pipeline',
          input: inputOf(pipeline),
          onDone: { target: 'done', actions: assign({ output: ({ event }) => event.output }) },
          onError: { target: 'broken', actions: assign({ error: ({ event }) => event.error }) },
        },
      },
      done: { type: 'final' },
      broken: { type: 'final' },
    },
  });
}

describe('pipelineMachine as an actor of its own', () => {
  it('emits the same events as a run, and outputs its result', async () => {
    //  a ──▶ b
    const phases = () => [
      fake('a', { verdicts: ['RETRY: more'] }),
      fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: x'] }),
    ];
    const pipeline = pipelineOf(phases());
    const actor = createActor(machineOf(pipeline), { input: inputOf(pipeline, { topic: 1 }) });
    const emitted: RunEvent[] = [];
    actor.on('*', (event) => emitted.push(event));
    actor.start();
    const output = await toPromise(actor);

    const run = startRun(pipelineOf(phases()), { runId: 'r', input: { topic: 1 } });
    const recorded: RunEvent[] = [];
    run.events$.subscribe(({ event }) => recorded.push(event));
    const result = await run.result;
    expect(emitted).toEqual(recorded);
    expect(output).toEqual({ status: 'completed', outputs: result.outputs });
    expect(actor.getSnapshot().value).toBe('completed');
  });

  it.each<readonly [string, readonly Fake[], object]>([
    ['completed', [fake('a')], {}],
    ['rejected', [fake('a', { verdicts: ['REJECT: no'] })], {}],
    ['failed', [fake('a', { outputs: [new Error('x')] })], {}],
    ['exhausted', [fake('a', { verdicts: ['RETRY: x'] })], { corrections: 0 }],
  ])('ends in the state %s', async (status, phases, limits) => {
    const pipeline = pipelineOf(phases, limits);
    const actor = createActor(machineOf(pipeline), { input: inputOf(pipeline) }).start();
    expect(await toPromise(actor)).toMatchObject({ status });
    expect(actor.getSnapshot().value).toBe(status);
  });

  it('takes decisions and cancel as events', async () => {
    const pipeline = pipelineOf([fake('a', { verdicts: ['ESCALATE: look'] }), fake('b', { outputs: [untilAborted] })]);
    const actor = createActor(machineOf(pipeline), { input: inputOf(pipeline) });
    actor.on('phase.escalated', ({ phase: about }) => actor.send({ type: 'decide', about, decision: approve() }));
    actor.on('phase.approved', () => actor.send({ type: 'cancel', reason: 'enough' }));
    actor.start();
    expect(await toPromise(actor)).toEqual({
      status: 'cancelled',
      reason: 'enough',
      outputs: { a: { work: 'a 1' } },
    });
  });

  it('ignores invalid decisions', async () => {
    const slow = held();
    const pipeline = pipelineOf([fake('a', { outputs: [slow.script] })]);
    const actor = createActor(machineOf(pipeline), { input: inputOf(pipeline) }).start();
    actor.send({ type: 'decide', about: 'a', decision: approve() });
    actor.send({ type: 'decide', about: 'nobody', decision: approve() });
    actor.send({ type: 'decide', about: 'tokens', decision: approve() });
    slow.release('done');
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', outputs: { a: { work: 'done' } } });
  });

  it('uses the clock of its system', async () => {
    const clock = new SimulatedClock();
    const pipeline = pipelineOf([fake('a', { outputs: [never] })], { durationMs: 5000 });
    const actor = createActor(machineOf(pipeline), { input: inputOf(pipeline), clock }).start();
    await idle();
    clock.increment(4999);
    await idle();
    expect(actor.getSnapshot().status).toBe('active');
    clock.increment(1);
    expect(await toPromise(actor)).toMatchObject({ status: 'exhausted', limit: 'durationMs' });
  });

  it('may be run many times at once, each with its own phases', async () => {
    const pipeline = pipelineOf([fake('a'), fake('b', { after: ['a'] })]);
    const actors = Array.from({ length: 20 }, () => createActor(machineOf(pipeline), { input: inputOf(pipeline) }));
    const outputs = await Promise.all(actors.map((actor) => toPromise(actor.start())));
    expect(new Set(outputs.map((one) => one.status))).toEqual(new Set(['completed']));
    expect(new Set(outputs.map((one) => one.outputs['a']?.['work'])).size).toBe(20);
  });
});

describe('pipelineMachine as a child', () => {
  it('passes its output to the application', async () => {
    const actor = createActor(application(pipelineOf([fake('a')]))).start();
    const done = await waitFor(actor, (snapshot) => snapshot.status === 'done');
    expect(done.context.output).toEqual({ status: 'completed', outputs: { a: { work: 'a 1' } } });
  });

  it('stops with it: tasks are aborted, timers are gone, and no event follows', async () => {
    const signals: AbortSignal[] = [];
    const watched = (context: { readonly signal: AbortSignal }) => {
      signals.push(context.signal);
      return untilAborted(context);
    };
    const pipeline = pipelineOf([fake('a', { outputs: [watched] }), fake('b', { verdicts: [watched] })]);
    const actor = createActor(application(pipeline)).start();
    await idle();
    const child = actor.getSnapshot().children['pipeline'] as AnyActorRef;
    let said = 0;
    child.on('*', () => (said += 1));
    actor.stop();
    await idle();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
    expect(child.getSnapshot()).toMatchObject({ status: 'stopped' });
    expect(said).toBe(0);
  });

  it('shows its phases by name to an inspector', async () => {
    const seen = new Map<string, string>();
    const watch = (inspection: InspectionEvent) => {
      if (inspection.type !== '@xstate.snapshot') return;
      const snapshot = inspection.snapshot as { readonly value?: unknown };
      if (typeof snapshot.value === 'string') seen.set((inspection.actorRef as AnyActorRef).id, snapshot.value);
    };
    const run = startRun(pipelineOf([fake('first one'), fake('b', { verdicts: ['REJECT: no'] })]), {
      runId: 'my-run',
      inspect: watch,
    });
    await run.result;
    expect(Object.fromEntries(seen)).toMatchObject({ 'my-run': 'rejected', 'first one': 'approved', b: 'rejected' });
  });
});

describe('a snapshot of a pipeline', () => {
  async function running() {
    const pipeline = pipelineOf([fake('a', { outputs: [untilAborted] }), fake('b', { after: ['a'] })]);
    const actor = createActor(machineOf(pipeline), { input: inputOf(pipeline) }).start();
    await idle();
    const snapshot = throughJson(actor.getPersistedSnapshot());
    actor.stop();
    return { pipeline, snapshot };
  }

  it('is refused on restore while it is running', async () => {
    const { pipeline, snapshot } = await running();
    const restored = createActor(machineOf(pipeline), { input: inputOf(pipeline), snapshot });
    const error = new Promise((resolve) => restored.subscribe({ error: resolve }));
    restored.start();
    expect(await error).toMatchObject({ code: 'SNAPSHOT_NOT_RESTORABLE' });
    expect(restored.getSnapshot().status).toBe('error');
  });

  it('is refused at once while it is running, whatever event comes first', async () => {
    const { pipeline, snapshot } = await running();
    const restored = createActor(machineOf(pipeline), { input: inputOf(pipeline), snapshot });
    const error = new Promise((resolve) => restored.subscribe({ error: resolve }));
    restored.send({ type: 'cancel' });
    restored.start();
    expect(await error).toMatchObject({ code: 'SNAPSHOT_NOT_RESTORABLE' });
  });

  it('fails the application that restores it while it is running, and never hangs', async () => {
    const pipeline = pipelineOf([fake('a', { outputs: [untilAborted, untilAborted] })]);
    const machine = application(pipeline);
    const actor = createActor(machine).start();
    await idle();
    const snapshot = throughJson(actor.getPersistedSnapshot());
    actor.stop();
    const restored = createActor(machine, { snapshot }).start();
    const broken = await waitFor(restored, (one) => one.status === 'done', { timeout: 5000 });
    expect(broken.value).toBe('broken');
    expect(PhasegateError.is(broken.context.error)).toBe(true);
    expect(broken.context.error).toMatchObject({ code: 'SNAPSHOT_NOT_RESTORABLE' });
  });

  it('is refused as well while it waits for a person', async () => {
    const pipeline = pipelineOf([fake('a', { verdicts: ['ESCALATE: look'] })]);
    const actor = createActor(machineOf(pipeline), { input: inputOf(pipeline) });
    const waits = new Promise((resolve) => actor.on('phase.escalated', resolve));
    actor.start();
    await waits;
    const snapshot = throughJson(actor.getPersistedSnapshot());
    actor.stop();
    const restored = createActor(machineOf(pipeline), { input: inputOf(pipeline), snapshot });
    const error = new Promise((resolve) => restored.subscribe({ error: resolve }));
    restored.start();
    expect(await error).toMatchObject({ code: 'SNAPSHOT_NOT_RESTORABLE' });
  });

  it('is restored with its output after its end', async () => {
    const pipeline = pipelineOf([fake('a', { verdicts: ['RETRY: x'] })]);
    const actor = createActor(machineOf(pipeline), { input: inputOf(pipeline) }).start();
    const output = await toPromise(actor);
    const snapshot = throughJson(actor.getPersistedSnapshot());
    const restored = createActor(machineOf(pipeline), { input: inputOf(pipeline), snapshot }).start();
    expect(restored.getSnapshot()).toMatchObject({ status: 'done', value: 'completed' });
    expect(await toPromise(restored)).toEqual(output);
  });

  it('names the alternative', async () => {
    const { pipeline, snapshot } = await running();
    const restored = createActor(machineOf(pipeline), { input: inputOf(pipeline), snapshot });
    const error = new Promise<Error>((resolve) => restored.subscribe({ error: (one) => resolve(one as Error) }));
    restored.start();
    expect((await error).message).toMatchInlineSnapshot(`
      "Cannot restore a pipeline from an XState snapshot as the snapshot lacks its phases and its ledger
      Keep the records of the run and start it again with startRun(); snapshots of a single phaseMachine, and of a pipeline that has ended, can be restored.
      Docs: docs/errors.md#SNAPSHOT_NOT_RESTORABLE"
    `);
  });
});

describe('a snapshot of a phase', () => {
  /** A phase with the verdicts retry, rewind, escalate, approve. Each is given once per attempt and question. */
  function storyteller() {
    const told = { attempts: 0, reviews: 0 };
    const verdicts: readonly GateOutcome['verdict'][] = [
      retry('more'),
      { type: 'retryPredecessor', phase: 'p', feedback: 'other' },
      { type: 'escalate', reason: 'look' },
    ];
    const machine = phaseLogic({
      attempt: fromAsync(async ({ input }) => {
        told.attempts += 1;
        await idle();
        return { type: 'done', outputs: { t: [input.attempt, input.revision?.feedback ?? null, input.inputs] } };
      }),
      review: fromAsync(async ({ input }) => {
        told.reviews += 1;
        await idle();
        const number = input.memory.rewinds['p'] === 1 ? 2 : input.attempt;
        return { verdict: verdicts[number] ?? approve(), verdicts: {} };
      }),
    });
    return { machine, told };
  }

  const plan = definePipeline({
    name: 'p',
    phases: [fake('p').definition, fake('x', { after: ['p'], verdicts: [] }).definition],
  }).plan.phases[1];

  /** Answers the phase as a pipeline would. @returns The states of the phase. */
  async function accompany(
    actor: ReturnType<typeof createActor<ReturnType<typeof storyteller>['machine']>>,
    stopAt?: number,
  ) {
    const states: string[] = [];
    for (let step = 0; step < 60; step++) {
      const snapshot = actor.getSnapshot();
      if (states.at(-1) !== snapshot.value) states.push(String(snapshot.value));
      if (snapshot.status !== 'active' || states.length === stopAt) return states;
      if (snapshot.value === 'retrying') actor.send({ type: 'restart' });
      else if (snapshot.value === 'rewinding')
        actor.send({ type: 'restart', start: { attempt: 0, inputs: { p: { t: 2 } } } });
      else if (snapshot.value === 'escalated') actor.send({ type: 'decide', decision: approve() });
      else {
        const value = snapshot.value;
        await waitFor(actor, (one) => one.value !== value || one.status !== 'active');
      }
    }
    throw new Error(`the phase does not end: ${states.join(' ')}`);
  }

  const story = [
    'running',
    'reviewing',
    'retrying',
    'running',
    'reviewing',
    'rewinding',
    'running',
    'reviewing',
    'escalated',
    'approved',
  ];
  const input = (): PhaseInput => {
    if (!plan) throw new Error('the plan has two phases');
    return { run: 'r', phase: plan, attempt: 0, inputs: { p: { t: 1 } } };
  };

  it('goes through every state in the next test', async () => {
    expect(await accompany(createActor(storyteller().machine, { input: input() }).start())).toEqual(story);
  });

  it.each(story.map((state, index) => [index, state] as const))(
    'taken at step %i, %s, continues without a difference',
    async (index) => {
      const whole = createActor(storyteller().machine, { input: input() }).start();
      await accompany(whole);

      const first = createActor(storyteller().machine, { input: input() }).start();
      await accompany(first, index + 1);
      const snapshot = throughJson(first.getPersistedSnapshot());
      first.stop();
      const restored = createActor(storyteller().machine, { input: input(), snapshot }).start();
      expect(await accompany(restored)).toEqual(story.slice(index));
      expect(restored.getSnapshot().output).toEqual(whole.getSnapshot().output);
      expect(restored.getSnapshot().context).toEqual(whole.getSnapshot().context);
    },
  );
});
