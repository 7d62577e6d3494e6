/**
 * Named cases: every fault that the simulator has found, at its smallest, and the classic ones.
 *
 * A new case is the last line that a failed sweep prints. The first six were faults of the runtime.
 */
import { describe, expect, it } from 'vitest';
import { calmRun, disturbedRun } from './compare.ts';
import type { Fault } from './faults.ts';
import { withoutWarnings } from './quiet.ts';
import type { PhaseSpec, Scenario, TaskSpec } from './scenario.ts';

withoutWarnings();

const WORK: TaskSpec = { kind: 'work', acts: [], ms: 0 };
const CHILD: TaskSpec = { kind: 'child', acts: [], ms: 0 };
const PERSON: TaskSpec = { kind: 'person', acts: [], ms: 0 };

function phase(tasks: readonly TaskSpec[], rest: Partial<PhaseSpec> = {}): PhaseSpec {
  return { tasks, isParallel: false, gate: 'none', verdicts: [], people: [], ...rest };
}

function scenario(stages: Scenario['stages'], rest: Partial<Scenario> = {}): Scenario {
  return {
    stages,
    concurrency: 'unlimited',
    onExhausted: 'reject',
    isSync: false,
    isGrouped: false,
    answers: 'process',
    whileWaiting: 'hold',
    ...rest,
  };
}

/** A phase that is sent back by the next, and both have a gate. */
const REWOUND = scenario([
  [phase([{ ...WORK, ms: 900 }], { gate: 'code', verdicts: ['retry'] })],
  [phase([{ ...WORK, ms: 900 }], { gate: 'code', verdicts: ['rewind'] })],
]);

/** A phase that a person reviews, next to another. */
const REVIEWED = scenario([[phase([{ ...WORK, ms: 3867 }], { gate: 'person' }), phase([WORK])], [phase([WORK])]]);

/** A person who is a task, and a reviewer who asks another. */
const ASKED = scenario([
  [phase([PERSON])],
  [phase([WORK], { gate: 'code', verdicts: ['escalate'], people: ['retry'] })],
]);

interface Case {
  readonly name: string;
  readonly scenario: Scenario;
  readonly faults: readonly Fault[];
}

const FOUND: readonly Case[] = [
  {
    name: 'a process that loses its store does not cancel the runs of its tasks',
    scenario: scenario([[phase([WORK]), phase([CHILD])], [phase([WORK])]]),
    faults: [
      { gap: 10, type: 'rival', skew: 45_000 },
      { gap: 6, type: 'lost' },
    ],
  },
  {
    name: 'a queued phase does not begin in a process that has just suspended the run',
    scenario: scenario([[phase([CHILD, WORK]), phase([WORK])]], { concurrency: 1 }),
    faults: [{ gap: 3, type: 'fail', isDone: false }],
  },
  {
    name: 'a run within a run has completed although the store failed after the commit of its end',
    scenario: scenario([[phase([CHILD]), phase([CHILD, WORK])], [phase([WORK])]]),
    faults: [
      { gap: 3, type: 'suspend', ms: 25_000, isDone: false },
      { gap: 6, type: 'jump', ms: -2 },
      { gap: 5, type: 'fail', isDone: true },
    ],
  },
  {
    name: 'a task spends no try if the store cannot tell the end of its run',
    scenario: scenario([[phase([{ ...WORK, ms: 50 }], { gate: 'code' })], [phase([CHILD])]]),
    faults: [
      { gap: 7, type: 'lost' },
      { gap: 10, type: 'fail', isDone: false },
    ],
  },
  {
    name: 'no work begins if a renewal of the lease is answered only after the lease has expired again',
    scenario: scenario([
      [phase([WORK], { gate: 'code' }), phase([{ ...WORK, ms: 2253 }], { gate: 'code', verdicts: ['retry'] })],
      [phase([WORK])],
    ]),
    faults: [
      { gap: 5, type: 'rival', skew: 45_000 },
      { gap: 3, type: 'rival', skew: 0 },
      { gap: 9, type: 'suspend', ms: 52_294, isDone: false },
      { gap: 2, type: 'slow', ms: 39_298, isDone: true },
    ],
  },
  {
    name: 'a task spends no try if another process ends its run while this one resumes it',
    scenario: scenario([[phase([CHILD]), phase([{ ...CHILD, ms: 84 }])], [phase([WORK])]]),
    faults: [
      { gap: 7, type: 'hang', isDone: false },
      { gap: 9, type: 'suspend', ms: 29_748, isDone: false },
      { gap: 9, type: 'jump', ms: -1 },
      { gap: 3, type: 'suspend', ms: 25_000, isDone: true },
    ],
  },
];

/** Faults of the runtime that are not repaired yet. */
const CLASSIC: readonly Case[] = [
  {
    name: 'a suspended process begins a try late that two others have finished',
    scenario: scenario([
      [
        phase(
          [
            { ...CHILD, ms: 259 },
            { ...CHILD, ms: 2999 },
          ],
          { isParallel: true },
        ),
      ],
      [phase([WORK])],
    ]),
    faults: [
      { gap: 1, type: 'slow', ms: 0, isDone: false },
      { gap: 10, type: 'suspend', ms: 29_750, isDone: false },
      { gap: 9, type: 'lost' },
      { gap: 6, type: 'suspend', ms: 25_000, isDone: true },
      { gap: 2, type: 'rival', skew: 3_600_000 },
    ],
  },
  ...[0, 2, 5, 9].flatMap((gap): Case[] => [
    {
      name: `the process dies before call ${gap + 1}`,
      scenario: REWOUND,
      faults: [{ gap, type: 'die', isDone: false, frees: true }],
    },
    {
      name: `the process dies after call ${gap + 1}, which it never learns of`,
      scenario: REWOUND,
      faults: [{ gap, type: 'die', isDone: true, frees: false }],
    },
    {
      name: `call ${gap + 1} fails after its commit`,
      scenario: REWOUND,
      faults: [{ gap, type: 'fail', isDone: true }],
    },
    {
      name: `call ${gap + 1} is made twice, as its acknowledgement is lost`,
      scenario: REWOUND,
      faults: [{ gap, type: 'lost' }],
    },
    {
      name: `another process with a wrong clock takes the run at call ${gap + 1}`,
      scenario: REWOUND,
      faults: [{ gap, type: 'rival', skew: 3_600_000 }],
    },
    {
      name: `another process takes the run while the first is suspended before call ${gap + 1}`,
      scenario: REWOUND,
      faults: [{ gap, type: 'suspend', ms: 90_000, isDone: false }],
    },
    {
      name: `another process takes the run while the first waits for the answer to call ${gap + 1}`,
      scenario: REWOUND,
      faults: [{ gap, type: 'suspend', ms: 90_000, isDone: true }],
    },
    {
      name: `people answer twice, and call ${gap + 1} fails after its commit`,
      scenario: ASKED,
      faults: [{ gap, type: 'fail', isDone: true }],
    },
    {
      name: `people answer twice by the store, and the process dies at call ${gap + 1}`,
      scenario: { ...ASKED, answers: 'store' },
      faults: [{ gap, type: 'die', isDone: true, frees: false }],
    },
  ]),
  ...[6, 7, 8, 9, 10, 11].map((gap): Case => ({
    name: `a run that waits is answered while call ${gap + 1} is slow, and is suspended after that`,
    scenario: { ...REVIEWED, answers: 'both', whileWaiting: 'suspend' },
    faults: [{ gap, type: 'slow', ms: 36_651, isDone: true }],
  })),
  { name: 'people answer at two places at about the same time', scenario: { ...ASKED, answers: 'both' }, faults: [] },
  {
    name: 'the store is full for a while',
    scenario: REWOUND,
    faults: [{ gap: 4, type: 'full', ms: 20_000 }],
  },
  {
    name: 'the store is busy for longer than a lease lasts',
    scenario: REWOUND,
    faults: [{ gap: 4, type: 'busy', ms: 45_000, writes: true }],
  },
  {
    name: 'the clock is set back by an hour, and then the process dies',
    scenario: REWOUND,
    faults: [
      { gap: 4, type: 'jump', ms: -3_600_000 },
      { gap: 2, type: 'die', isDone: true, frees: false },
    ],
  },
];

describe('a fault that the simulator has found stays repaired:', () => {
  for (const one of FOUND) it(one.name, () => check(one));
});

describe('a run ends as if nothing had happened:', () => {
  for (const one of CLASSIC) it(one.name, () => check(one));
});

// --- internal ---

async function check(one: Case): Promise<void> {
  const run = await disturbedRun(await calmRun(one.scenario), one.faults, true);
  expect(run.happened).toEqual(one.faults.map(({ type }) => type));
  expect(run.problem).toBeUndefined();
}
