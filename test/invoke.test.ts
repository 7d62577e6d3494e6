/** The machines as actors of an application, and in tools that explore machines. */
import { describe, expect, it } from 'vitest';
import { assign, createActor, sendTo, setup, waitFor, type EventFromLogic } from 'xstate';
import { createTestModel, getShortestPaths } from 'xstate/graph';
import { approve, definePipeline, escalate, phase, startRun, task } from '../src/index.ts';
import {
  machineOf,
  phaseMachine,
  pipelineMachine,
  type PhaseInput,
  type PipelineUpdate,
  type Upward,
} from '../src/machines.ts';

const pipeline = definePipeline({
  name: 'notice',
  phases: [
    phase('draft', { tasks: [task('write', { run: () => 'a text' })] }),
    phase('publish', {
      after: ['draft'],
      tasks: [task('print', { run: () => 'printed' })],
      review: () => escalate('Publishing cannot be undone.'),
    }),
  ],
});
const { plan } = pipeline;

/** A machine of an application that approves each pending item, by invoke alone. */
function approver(upward?: Upward) {
  return setup({
    types: {
      context: {} as { readonly heard: readonly string[]; readonly status: string },
      events: {} as PipelineUpdate,
      children: {} as { run: 'pipeline' },
    },
    actors: { pipeline: machineOf(pipeline) },
  }).createMachine({
    context: { heard: [], status: '' },
    initial: 'working',
    states: {
      working: {
        invoke: {
          id: 'run',
          src: 'pipeline',
          input: { run: 'r1', plan, attended: true, ...(upward && { upward }) },
          onDone: { target: 'done', actions: assign({ status: ({ event }) => event.output.status }) },
        },
        on: {
          'phase.escalated': {
            actions: [
              assign({
                heard: ({ context, event }) => [...context.heard, `${event.run} ${event.type} ${event.phase}`],
              }),
              sendTo('run', ({ event }) => ({ type: 'decide' as const, about: event.phase, decision: approve() })),
            ],
          },
          '*': { actions: assign({ heard: ({ context, event }) => [...context.heard, `${event.run} ${event.type}`] }) },
        },
      },
      done: { type: 'final' },
    },
  });
}

describe('an invoked pipeline', () => {
  it('reports pending items and its end to its parent, so that the parent approves by invoke', async () => {
    const { context } = await waitFor(createActor(approver()).start(), ({ status }) => status === 'done');
    expect(context).toEqual({ heard: ['r1 phase.escalated publish', 'r1 run.ended'], status: 'completed' });
  });

  it('reports every event in order if its input asks for it', async () => {
    const { context } = await waitFor(createActor(approver('all')).start(), ({ status }) => status === 'done');
    expect(context.heard).toEqual([
      'r1 run.started',
      'r1 phase.started',
      'r1 task.started',
      'r1 task.completed',
      'r1 phase.approved',
      'r1 phase.started',
      'r1 task.started',
      'r1 task.completed',
      'r1 review.started',
      'r1 review.decided',
      'r1 phase.escalated publish',
      'r1 review.decided',
      'r1 phase.approved',
      'r1 run.ended',
    ]);
  });

  it('reports nothing by default', () => {
    const actor = createActor(approver('none')).start();
    return new Promise<void>((resolve) => {
      const run = actor.getSnapshot().children.run;
      run?.on('phase.escalated', () => {
        expect(actor.getSnapshot().context.heard).toEqual([]);
        actor.stop();
        resolve();
      });
    });
  });
});

describe("on('*')", () => {
  it('misses nothing if it is called after start(), or in an action of the parent', async () => {
    const auto = definePipeline({ name: 'a', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
    const all: string[] = [];
    const run = startRun(auto);
    run.events$.subscribe(({ event }) => all.push(event.type));
    await run.result;

    const late: string[] = [];
    const actor = createActor(machineOf(auto), { input: { run: 'r', plan: auto.plan } }).start();
    actor.on('*', ({ type }) => late.push(type));
    await waitFor(actor, ({ status }) => status === 'done');
    expect(late).toEqual(all);

    const cancelled: string[] = [];
    const other = createActor(machineOf(auto), { input: { run: 'r', plan: auto.plan } }).start();
    other.send({ type: 'cancel' });
    other.on('*', ({ type }) => cancelled.push(type));
    await waitFor(other, ({ status }) => status === 'done');
    expect(cancelled).toEqual(['run.started', 'phase.skipped', 'run.ended']);
  });
});

const gated = plan.phases[1];
if (!gated) throw new Error('the pipeline has two phases');
const input: PhaseInput = { run: 'r', phase: gated, attempt: 0, inputs: {}, attended: false };

describe('a bare machine', () => {
  it.each([undefined, null, 'x', { topic: 'gates' }, { plan }, { run: 'r' }, { run: 'r', plan: {} }])(
    'refuses a wrong input: case %#',
    async (wrong) => {
      const actor = createActor(machineOf(pipeline), { input: wrong as never });
      const failed = new Promise((resolve) => actor.subscribe({ error: resolve }));
      actor.start();
      expect(await failed).toMatchObject({
        code: 'INPUT_INVALID',
        hint: 'Pass `{ run: id, plan: pipeline.plan, input }` as `input` of the actor.',
      });
    },
  );

  it('names the work to provide: pipelineMachine', () => {
    expect(errorOf(() => createActor(pipelineMachine, { input: { run: 'r', plan } }))).toMatchInlineSnapshot(`
      [PhasegateError: Cannot run pipeline "notice" as the work of its phases is not provided
      Use machineOf(pipeline), which has its work. Or provide it: pipelineMachine.provide({ actors: { phase: phaseLogic({ attempt, review }) } })
      Docs: docs/errors.md#ACTOR_MISSING]
    `);
  });
});

const events: EventFromLogic<typeof phaseMachine>[] = [
  { type: 'attempt.done', output: { type: 'done', outputs: { print: 1 } } },
  { type: 'review.done', output: { verdict: { type: 'approve' }, verdicts: {} } },
  { type: 'review.done', output: { verdict: { type: 'reject', reason: 'no' }, verdicts: {} } },
];

describe('xstate/graph', () => {
  it('getShortestPaths() and createTestModel() explore phaseMachine', async () => {
    const reached = (value: unknown, verdict: unknown) => `${String(value)} ${String(verdict)}`;
    const explored = getShortestPaths(phaseMachine, {
      input,
      events: ({ value }) => (value === 'running' ? events.slice(0, 1) : value === 'reviewing' ? events.slice(1) : []),
      serializeState: ({ value, context }) => reached(value, context.review.verdict?.type),
    });
    expect(explored.map(({ state }) => JSON.stringify(state.value)).toSorted()).toEqual([
      '"approved"',
      '"rejected"',
      '"reviewing"',
      '"running"',
    ]);

    const model = createTestModel(phaseMachine);
    const paths = model.getShortestPaths({
      input,
      events: ({ value }) => (value === 'running' ? events.slice(0, 1) : value === 'reviewing' ? events.slice(1) : []),
      toState: ({ status }) => status === 'done',
    });
    expect(paths.map(({ state }) => JSON.stringify(state.value)).toSorted()).toEqual(['"approved"', '"rejected"']);
    const visited: unknown[] = [];
    for (const path of paths) await path.test({ states: { '*': ({ value }) => void visited.push(value) }, events: {} });
    expect(new Set(visited)).toEqual(new Set(['running', 'reviewing', 'approved', 'rejected']));
  });
});

// --- internal ---

/** Starts an actor that fails. @returns Its error. */
function errorOf(make: () => ReturnType<typeof createActor>): unknown {
  let found: unknown;
  const actor = make();
  actor.subscribe({ error: (error) => (found = error) });
  actor.start();
  return found;
}
