/**
 * The lifecycle of a phase: runs take the steps of its table, and no step of the table is without a run that takes it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createActor, waitFor } from 'xstate';
import { approve, definePipeline, memoryStore, needsRework, phase, readRun, retryRun, task } from '../src/index.ts';
import { LIFECYCLE_STEPS, moveTo, newPhaseState } from '../src/machines/coordinator/phase-state.ts';
import { machineOf } from '../src/machines.ts';
import { drive, type Driven } from './property/drive.ts';
import { back, does, gate, put, scenario } from './property/pinned.ts';
import { prove } from './property/prove.ts';
import { scenarios, type Scope } from './property/scenarios.ts';
import type { PhaseSpec, Scenario } from './reference/scenario.ts';
import { keep } from './kept-run.ts';
import { stageOf, toEnd } from './survive/go-on.ts';

/** The table as it is, and the steps that were looked up in it: state, and next state. */
const table: Record<string, Record<string, string>> = LIFECYCLE_STEPS;
const original = { ...table };
const steps = Object.entries(original).flatMap(([state, next]) => Object.keys(next).map((one) => `${state} ${one}`));
const taken = new Set<string>();

// XState's development build warns once per action of every phase. A spy would keep all of that.
const { warn } = console;
beforeAll(() => {
  console.warn = () => undefined;
  for (const [state, next] of Object.entries(original))
    table[state] = new Proxy(next, {
      get(target, one) {
        taken.add(`${state} ${String(one)}`);
        return target[String(one)];
      },
    });
});
afterAll(() => {
  console.warn = warn;
  Object.assign(table, original);
});

//  plan ──▶ draft
//     └───▶ print, sends plan back, which invalidates draft
function invalidating(draft: PhaseSpec, concurrency: Scenario['concurrency'] = 'unlimited'): Scenario {
  const print = does('print', ['plan'], [put(1, 50)], {
    gate: gate([back('plan', 'deeper', 5)], { invalidate: 'all' }),
  });
  return scenario([does('plan', [], [put(1, 10), put(2, 100)]), draft, print], { concurrency });
}

function escalating(people: PhaseSpec['people']): PhaseSpec {
  return does('draft', ['plan'], [put(1, 10)], { gate: gate([{ do: 'escalate', delay: 3 }]), people });
}

const RARE: readonly (readonly [string, Scenario])[] = [
  ['a phase that works is invalidated', invalidating(does('draft', ['plan'], [put(1, 900)]))],
  ['a phase that waits for a person is invalidated', invalidating(escalating([{ do: 'approve', delay: 900 }]))],
  [
    'a phase that waits for a place to retry in is invalidated',
    invalidating(escalating([{ do: 'retry', feedback: 'x', delay: 90 }]), 1),
  ],
  [
    'a phase waits for one that fails',
    scenario([
      does('plan', [], [put(1, 10), { do: 'throw', delay: 1 }]),
      does('draft', ['plan'], [put(1, 5)], { gate: gate([back('plan', 'deeper', 5)]) }),
    ]),
  ],
];

describe('the lifecycle of a phase', () => {
  it.each([
    ['with people', { people: true }],
    ['that are tried again', {}],
  ])(
    'goes by its table in random runs %s',
    async (_, scope: Scope) => {
      await prove(scenarios(scope), { seed: 5, runs: 40 }, async (one) =>
        brokenIn(one, await drive(one), !scope.people),
      );
    },
    600_000,
  );

  it.each(RARE)('goes by its table if %s', async (_, one) => {
    expect(await brokenIn(one, await drive(one))).toBeNull();
  });

  it('goes by its table if somebody approves an attempt that has put out nothing', async () => {
    const plan = phase('plan', { tasks: [task('work', { run: () => 1 })] });
    const work = task('work', {
      run: () => {
        throw needsRework('plan', 'deeper');
      },
    });
    const draft = phase('draft', { after: [plan], tasks: [work], review: () => 'APPROVE' });
    const pipeline = definePipeline({
      name: 'p',
      phases: [plan, draft],
      limits: { corrections: 0 },
      policy: { onLimit: 'escalate' },
    });
    const actor = createActor(machineOf(pipeline), { input: { run: 'r', plan: pipeline.plan, attended: true } });
    actor.on('phase.escalated', () => actor.send({ type: 'decide', about: 'draft', decision: approve() }));
    actor.start();
    const { output } = await waitFor(actor, ({ status }) => status === 'done');
    expect(output?.status).toBe('failed');
  });

  it('takes every step of its table in some run', () => {
    expect([...taken].toSorted()).toEqual(steps.toSorted());
  });

  it('refuses a step that its table does not have', () => {
    const { plan } = definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
    const [first] = plan.phases;
    if (!first) throw new Error('The plan has no phase.');
    const entry = newPhaseState(0, first);
    expect(() => moveTo(entry, 'cancelled')).toThrow(
      expect.objectContaining({
        code: 'INTERNAL',
        message: expect.stringContaining('Cannot move phase "a" from "pending" to "cancelled"') as string,
      }),
    );
    expect(entry.lifecycle).toBe('pending');
  });
});

// --- internal ---

/** The error of a run that broke off at its end, or at that of its next try; `null` if there is none. */
async function brokenIn(one: Scenario, { records, result }: Driven, isTriedAgain = false): Promise<string | null> {
  const errors = records.flatMap(({ event }) => (event.type === 'run.ended' && event.error ? [event.error] : []));
  if (errors.length > 0 || result?.status === 'completed' || !isTriedAgain) return errors[0]?.message ?? null;
  const store = memoryStore();
  await keep(store, records);
  const { clock, pipeline } = await stageOf(store, 'run', one);
  const status = await toEnd(await retryRun(store, 'run', pipeline, { clock }), clock);
  const end = (await readRun(store, 'run')).at(-1)?.event;
  return end?.type === 'run.ended' && end.error ? end.error.message : status === undefined ? 'it hangs' : null;
}
