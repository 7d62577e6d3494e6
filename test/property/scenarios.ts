/**
 * Random scenarios.
 *
 * They are built from small independent numbers, so that fast-check can shrink each on its own.
 *
 * @module
 */
import fc from 'fast-check';
import type { Limits } from '../../src/index.ts';
import type { PhaseSpec, Scenario } from '../reference/scenario.ts';
import { inboxOf, phaseOf } from './composed.ts';
import { drawnInbox, drawnPhase, rarely } from './drawn.ts';

/** The parts of a random scenario. */
export interface Scope {
  /** The number of phases. @default 12 */
  readonly maxPhases?: number;
  /** Limits of the run, usage, and cancelling. @default true */
  readonly limits?: boolean;
  /** Failing tasks, rejections and escalations. @default true */
  readonly failures?: boolean;
  /** People as tasks and reviewers, all of their answers, and deadlines. @default false */
  readonly people?: boolean;
}

/** Generates scenarios. They shrink to few phases that do little. */
export function scenarios({
  maxPhases = 12,
  limits = true,
  failures = true,
  people = false,
}: Scope = {}): fc.Arbitrary<Scenario> {
  return fc
    .record({
      seed: fc.integer({ min: 0, max: 0xffff }),
      phases: fc.array(drawnPhase(failures, people), { minLength: 1, maxLength: maxPhases, size: 'max' }),
      order: fc.array(fc.nat(11), { minLength: 0, maxLength: 12 }),
      concurrency: fc.oneof(
        { weight: 1, arbitrary: fc.constant('unlimited' as const) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
      ),
      onFailure: rarely<Scenario['onFailure']>('continue', 'halt', 0.1),
      attended: fc.boolean(),
      ...(limits ? runLimits : noLimits),
      inbox: people ? fc.option(drawnInbox, { nil: null }) : fc.constant(null),
    })
    .map(({ phases, order, ...rest }) => {
      const { cancelAt, inbox, ...run } = rest;
      const { seed } = run;
      return {
        ...run,
        ...(inbox && { inbox: inboxOf(inbox, seed, '') }),
        ...(cancelAt !== undefined && { cancelAt }),
        phases: shuffled(
          phases.map((one, index) => phaseOf(one, index, phases, seed)),
          order,
        ),
      };
    });
}

// --- internal: runs ---

const runLimits = {
  onLimit: fc.constantFrom<Scenario['onLimit'][]>('stop', 'escalate'),
  lifts: fc.boolean(),
  limits: fc.oneof<fc.Arbitrary<Limits>[]>(
    fc.record({ corrections: fc.integer({ min: 0, max: 12 }) }),
    fc.record({ perPair: fc.integer({ min: 0, max: 2 }) }),
    fc.record({ attemptsPerPhase: fc.integer({ min: 1, max: 7 }) }),
    fc.record({ tokens: fc.integer({ min: 0, max: 30 }).map((tens) => tens * 10 + 5) }),
    fc.record({
      corrections: fc.integer({ min: 1, max: 6 }),
      perPair: fc.integer({ min: 1, max: 2 }),
      attemptsPerPhase: fc.integer({ min: 2, max: 4 }),
      tokens: fc.integer({ min: 1, max: 15 }).map((tens) => tens * 10 + 5),
    }),
  ),
  cancelAt: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.integer({ min: 1, max: 2 ** 34 })),
};

const noLimits: typeof runLimits = {
  onLimit: fc.constant('stop'),
  lifts: fc.constant(true),
  limits: fc.constant({}),
  cancelAt: fc.constant(undefined),
};

/** Shuffles phases, as definition order need not be topological. Each number moves one phase to the front. */
function shuffled(phases: readonly PhaseSpec[], order: readonly number[]): PhaseSpec[] {
  return order.reduce<PhaseSpec[]>(
    (list, from) => {
      const [moved] = list.splice(from % list.length, 1);
      return moved ? [moved, ...list] : list;
    },
    [...phases],
  );
}
