/** The logic of the actor of a phase: what it sends, and when it begins and stops work. */
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createActor, setup, waitFor } from 'xstate';
import { approve, definePipeline, phase, retry, startRun, task } from '../src/index.ts';
import type { RunEvent } from '../src/records.ts';
import {
  fromAsync,
  machineOf,
  phaseLogic,
  type AsyncWork,
  type GateOutcome,
  type PhaseInput,
} from '../src/machines.ts';
import { inJavaScript, sha256Hex } from '../src/model/values/sha256.ts';
import { idle } from './rig.ts';

const [, plan] = definePipeline({
  name: 'p',
  phases: [
    phase('a', { tasks: [task('t', { run: () => 1 })] }),
    phase('x', {
      after: ['a'],
      tasks: [task('t', { run: () => 1 })],
      review: { by: () => 'APPROVE', maxReviewErrors: 0 },
    }),
  ],
}).plan.phases;
if (!plan) throw new Error('the plan has two phases');
const input: PhaseInput = { run: 'r', phase: plan, attempt: 0, inputs: { a: { t: 1 } } };
const DONE = { type: 'done', outputs: { t: 1 } } as const;
const APPROVED: GateOutcome = { verdict: approve(), verdicts: {} };

/** An application that invokes a phase, and hears its reports. */
function parentOf(logic: ReturnType<typeof phaseLogic>, snapshot?: unknown) {
  const heard: string[] = [];
  const machine = setup({ types: { events: {} as RunEvent | { type: 'leave' } }, actors: { x: logic } }).createMachine({
    initial: 'at work',
    states: {
      'at work': {
        invoke: { id: 'x', src: 'x', input, onDone: 'over' },
        on: { leave: 'over', '*': { actions: ({ event }) => void heard.push(event.type) } },
      },
      over: {},
    },
  });
  return { heard, actor: createActor(machine, snapshot ? { snapshot: snapshot as never } : {}).start() };
}

describe('phaseLogic()', () => {
  it('sends its reports to its parent, and those of its work, in order', async () => {
    const logic = phaseLogic({
      attempt: fromAsync(({ report, input: { origin, attempt } }) => {
        const at = { phase: origin.phase.name, generation: 0, attempt, task: 't' };
        report({ type: 'task.started', ...at, try: 1 });
        return DONE;
      }),
      review: fromAsync(() => APPROVED),
    });
    const { heard, actor } = parentOf(logic);
    await waitFor(actor, ({ value }) => value === 'over');
    expect(heard).toEqual(['phase.started', 'task.started', 'review.started', 'review.decided', 'phase.approved']);
  });

  it.each(['cancelled by a command', 'left by its parent'])(
    'stops its work when it is %s, and ignores its outcome',
    async (how) => {
      const works: AsyncWork[] = [];
      let end: () => void = () => undefined;
      const ended = new Promise<typeof DONE>((resolve) => (end = () => resolve(DONE)));
      const logic = phaseLogic({
        attempt: fromAsync((work) => {
          works.push(work);
          return ended;
        }),
        review: fromAsync(() => APPROVED),
      });
      const { heard, actor } = parentOf(logic);
      await idle();
      if (how.startsWith('left')) actor.send({ type: 'leave' });
      else actor.getSnapshot().children['x']?.send({ type: 'cancel' });
      expect(works[0]?.signal.aborted).toBe(true);
      end();
      works[0]?.report({ type: 'task.started', phase: 'x', generation: 0, attempt: 0, task: 't', try: 1 });
      await idle();
      expect(heard).toEqual(['phase.started']);
    },
  );

  it('never begins work that is stopped in the same turn', async () => {
    let begun = 0;
    const never = fromAsync<typeof DONE>(() => ((begun += 1), DONE));
    const { actor } = parentOf(phaseLogic({ attempt: never, review: fromAsync(() => APPROVED) }));
    actor.send({ type: 'leave' });
    await idle();
    expect(begun).toBe(0);
  });

  it('fails if an attempt throws, and counts a review that throws as unavailable', async () => {
    const broken = fromAsync<never>(() => Promise.reject(new Error('no')));
    const failed = createActor(phaseLogic({ attempt: broken, review: fromAsync(() => APPROVED) }), { input }).start();
    await waitFor(failed, ({ status }) => status === 'done');
    expect([failed.getSnapshot().value, failed.getSnapshot().context.error?.message]).toEqual(['failed', 'no']);

    const unread = createActor(phaseLogic({ attempt: fromAsync(() => DONE), review: broken }), { input }).start();
    await waitFor(unread, ({ status }) => status === 'done');
    expect([unread.getSnapshot().value, unread.getSnapshot().context.review.verdict?.type]).toEqual([
      'failed',
      'unavailable',
    ]);
  });

  it('begins its work again when it is restored, and reports nothing twice', async () => {
    let begun = 0;
    const logic = phaseLogic({
      attempt: fromAsync(() => {
        begun += 1;
        return begun === 1 ? new Promise<never>(() => undefined) : DONE;
      }),
      review: fromAsync(() => APPROVED),
    });
    const first = parentOf(logic);
    await idle();
    const stored: unknown = JSON.parse(JSON.stringify(first.actor.getPersistedSnapshot()));
    first.actor.stop();
    const second = parentOf(logic, stored);
    await waitFor(second.actor, ({ value }) => value === 'over');
    expect([begun, first.heard, second.heard]).toEqual([
      2,
      ['phase.started'],
      ['review.started', 'review.decided', 'phase.approved'],
    ]);
  });

  it('does its next attempt on restart, with the feedback', async () => {
    const seen: (string | undefined)[] = [];
    const logic = phaseLogic({
      attempt: fromAsync((work) => (seen.push(work.input.revision?.feedback), DONE)),
      review: fromAsync((work) => ({
        verdict: work.input.attempt === 0 ? retry('Name a source.') : approve(),
        verdicts: {},
      })),
    });
    const actor = createActor(logic, { input }).start();
    await waitFor(actor, ({ value }) => value === 'retrying');
    actor.send({ type: 'restart' });
    await waitFor(actor, ({ status }) => status === 'done');
    expect(seen).toEqual([undefined, 'Name a source.']);
  });
});

describe('a run', () => {
  const pipeline = definePipeline({
    name: 'two',
    phases: [
      phase('one', {
        tasks: [task('t', { run: () => 1 })],
        review: ({ attempt }) => (attempt === 0 ? retry('more') : 'APPROVE'),
      }),
      phase('two', { after: ['one'], tasks: [task('t', { run: () => 2 })] }),
    ],
  });

  it('spawns an actor for each phase, and its reports are events of the run', async () => {
    const made: unknown[] = [];
    const events: string[] = [];
    const run = startRun(pipeline, {
      runId: 'r',
      inspect(event) {
        const id: unknown = Reflect.get(event.actorRef, 'id');
        if (event.type === '@xstate.actor') made.push(id);
        if (event.type === '@xstate.event' && id === 'r' && /^(?:phase|task|review|attempt)\./u.test(event.event.type))
          events.push(event.event.type);
      },
    });
    const recorded: string[] = [];
    run.events$.subscribe(({ event }) => 'phase' in event && recorded.push(event.type));
    await run.result;
    expect(made).toEqual(['r', 'one', 'two']);
    expect(events).toEqual(recorded);
  });

  it('has the same records whether an application embeds it, inspects it, or starts it', async () => {
    const plain: RunEvent[] = [];
    const inspected: RunEvent[] = [];
    for (const [inspect, events] of [
      [undefined, plain],
      [() => undefined, inspected],
    ] as const) {
      const run = startRun(pipeline, { runId: 'r', inspect });
      run.events$.subscribe(({ event }) => events.push(event));
      await run.result;
    }
    const embedded: RunEvent[] = [];
    const actor = createActor(machineOf(pipeline), { input: { run: 'r', plan: pipeline.plan } });
    actor.on('*', (event) => embedded.push(event));
    actor.start();
    await waitFor(actor, ({ status }) => status === 'done');
    expect([embedded, inspected]).toEqual([plain, plain]);
  });
});

describe('sha256Hex()', () => {
  it('is the same by the platform and in JavaScript', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
        const hash = inJavaScript();
        const soFar = texts.map((text) => {
          hash.add(text);
          return hash.hex();
        });
        expect(soFar).toEqual(texts.map((_, index) => sha256Hex(texts.slice(0, index + 1))));
        expect(soFar.at(-1) ?? hash.hex()).toBe(sha256Hex(texts));
      }),
    );
    expect(sha256Hex(['a', 'b'])).toBe(createHash('sha256').update('ab').digest('hex'));
  });
});
