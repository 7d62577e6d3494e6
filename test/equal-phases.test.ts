/**
 * Pairs of phases that differ in one fact only: the first makes its records, the second does not. The check of equal phases must play the
 * second, although it has played the first.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { definePipeline, phase, task } from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import type { PhasePlan } from '../src/model/plan/plan.ts';
import type { PhaseReport } from '../src/model/events/event.ts';
import type { PhaseInput } from '../src/machines/phase/phase-context.ts';
import type { PhaseCommand } from '../src/machines/phase/phase.machine.ts';
import { NO_MEMORY } from '../src/machines/phase/phase-memory.ts';
import { phaseCheck } from '../src/machines/replay/check-phase.ts';
import { checkEqualOnce } from '../src/machines/replay/equal-phases.ts';
import { PhaseStub } from '../src/machines/replay/phase-stub.ts';
import { refusal } from './refusal.ts';

// XState's development build warns once per action of every phase.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

const { plan } = definePipeline({
  name: 'pairs',
  phases: [
    phase('a', { tasks: [task('write', { run: () => 1 })], review: () => 'APPROVE' }),
    phase('b', { tasks: [task('write', { run: () => 1 })], review: () => 'APPROVE' }),
    phase('bare', { tasks: [task('write', { run: () => 1 })] }),
    phase('two', {
      tasks: [task('write', { run: () => 1 })],
      review: { by: [task('one', { run: () => 'APPROVE' }), task('other', { run: () => 'APPROVE' })] },
    }),
  ],
});
const [a, b, bare, two] = plan.phases;

const APPROVE = { type: 'approve' } as const;
const REVIEWER = a?.gate?.reviewers[0]?.name ?? '';
const REVISION = { attempt: 1, feedback: 'again', corrections: [], history: [] };
const FINDING = {
  id: 'x',
  reviewer: 'other',
  issues: [{ title: 'x', severity: 'low', description: 'x' }],
  open: 1,
};

/** Records up to this number are copies, and at the next another process goes on. Scripts have every second number. */
const COPIED = 20;

/** One entry of a script, without what is the same in all. */
type Entry = Readonly<Record<string, unknown>>;

/** A phase with its script. */
interface Case {
  readonly plan?: PhasePlan | undefined;
  readonly input?: Entry;
  readonly entries: readonly Entry[];
  /** Number of the first record. @default 1 */
  readonly from?: number;
}

/** The script of an approval. */
function script({
  output = 1,
  outputs = { write: output },
  attempt = 0,
  decided = {},
  started = {},
}: Entry = {}): Entry[] {
  return [
    { type: 'phase.started', attempt, ...(started as Entry) },
    { type: 'task.started', attempt, task: 'write', try: 1 },
    { type: 'task.completed', attempt, task: 'write', try: 1, output },
    { type: 'review.started', attempt, asked: 1 },
    {
      type: 'review.decided',
      attempt,
      verdict: APPROVE,
      verdicts: { [REVIEWER]: APPROVE },
      by: 'gate',
      ...(decided as Entry),
    },
    { type: 'phase.approved', attempt, because: 'approved', outputs },
  ];
}

/** The script of an approval without a gate. */
function unreviewed(): Entry[] {
  const all = script();
  return [...all.slice(0, 3), { ...all[5], because: 'unreviewed' }];
}

/** A start of the task for a second time. */
const AGAIN = { type: 'task.started', attempt: 0, task: 'write', try: 1 };
const twice = script().toSpliced(2, 0, AGAIN);
const sentBack = { attempt: 1, revision: REVISION, previous: { write: 1 } };

const PAIRS: readonly (readonly [string, Case, Case])[] = [
  ['another output is approved', { entries: script() }, { entries: script({ outputs: { write: 2 } }) }],
  ['no output is approved', { entries: script() }, { entries: script({ outputs: {} }) }],
  [
    'outputs were edited to those of the other',
    { entries: script({ decided: { edited: { write: 1 } } }) },
    { entries: script({ output: 2, decided: { edited: { write: 1 } } }) },
  ],
  ['it has a gate', { plan: bare, entries: unreviewed() }, { plan: b, entries: unreviewed() }],
  ['it has another reviewer', { entries: script() }, { plan: two, entries: script() }],
  ['it is not asked', { input: { gated: false }, entries: unreviewed() }, { plan: b, entries: unreviewed() }],
  ['its task begins again without another process', { entries: twice, from: COPIED - 2 }, { entries: twice, from: 50 }],
  [
    'its verdict is not copied',
    { entries: script({ decided: { verdicts: {} } }) },
    { entries: script({ decided: { verdicts: {} } }), from: 50 },
  ],
  [
    'its outputs are those that were sent back',
    { input: sentBack, entries: script({ attempt: 1, output: 2, started: { revision: REVISION } }) },
    { input: sentBack, entries: script({ attempt: 1, output: 1, started: { revision: REVISION } }) },
  ],
  [
    'its reviewer has found issues',
    { input: { memory: NO_MEMORY }, entries: script() },
    { input: { memory: { ...NO_MEMORY, findings: [FINDING] } }, entries: script() },
  ],
  ['it was cancelled', { entries: script() }, { entries: script().toSpliced(3, 0, { command: { type: 'cancel' } }) }],
  [
    'its checks have not passed',
    { plan: withChecks(a), entries: script({ decided: { checked: true } }) },
    { plan: withChecks(b), entries: script({ decided: { checked: false } }) },
  ],
  ['its verdict is of a person', { entries: script() }, { entries: script({ decided: { by: 'person' } }) }],
  ['its tries differ', { entries: script() }, { entries: script().with(1, { ...AGAIN, try: 2 }) }],
  ['its records are fewer', { entries: script() }, { entries: script().toSpliced(3, 1) }],
  [
    'usage is of another attempt',
    { entries: script().toSpliced(2, 0, usage(0)) },
    { entries: script().toSpliced(2, 0, usage(1)) },
  ],
];

describe('a phase that differs from one that has passed', () => {
  it.each(PAIRS)('is refused if %s', (_, right, wrong) => {
    const check = checks();
    expect(refusal(() => check.each(stubOf(right)))).toBeUndefined();
    const expected = refusal(() => check.each(stubOf(wrong)));
    expect(expected).toMatch(/^PhasegateError: Cannot restore phase/u);
    check.once(stubOf(right));
    expect(refusal(() => check.once(stubOf(wrong)))).toBe(expected);
  });

  it.each(PAIRS)('is the only one that is refused: %s', (_, right, wrong) => {
    const { once } = checks();
    expect(refusal(() => once(stubOf(wrong)))).toBeDefined();
    expect(refusal(() => once(stubOf(right)))).toBeUndefined();
    expect(refusal(() => once(stubOf(wrong)))).toBeDefined();
  });
});

describe('a phase that equals one that has passed', () => {
  it('is not played if only its name, outputs, usage, descriptions and records differ', () => {
    const check = checks();
    check.once(stubOf({ plan: a, entries: script().toSpliced(2, 0, usage(0)) }));
    const described = b && { ...b, after: ['a'], tasks: b.tasks.map((one) => ({ ...one, description: 'Write it.' })) };
    const usual = script({ output: { other: [1] } }).toSpliced(2, 0, { ...usage(0), tokens: 7 });
    check.once(stubOf({ plan: described, entries: usual, from: 3 }));
    expect(check.played()).toBe(1);
  });

  it('is played if the run has more than 100 kinds of phases', () => {
    const check = checks();
    const versions = Array.from({ length: 101 }, (_, at) => a && { ...a, version: `${at}` });
    for (const own of [...versions, ...versions]) check.once(stubOf({ plan: own, entries: script() }));
    expect(check.played()).toBe(102);
  });

  it.each<readonly [string, object, object]>([
    ['more', {}, { version: '1' }],
    ['fewer', { version: '1' }, {}],
    ['other', { version: undefined }, { subscribe: [] }],
  ])('is played if its plan has %s fields', (_, one, other) => {
    const check = checks();
    for (const more of [one, other]) check.once(stubOf({ plan: a && { ...a, ...more }, entries: script() }));
    expect(check.played()).toBe(2);
  });

  it('is not played if it follows its like, also after 1000 others', () => {
    const check = checks();
    const kinds = Array.from({ length: 1001 }, (_, at) => ({ input: { run: `${at}` }, entries: script() }));
    for (const kind of kinds) for (const own of [a, b]) check.once(stubOf({ plan: own, ...kind }));
    expect(check.played()).toBe(1001);
  });

  it('is played if its approval has words', () => {
    const check = checks();
    const verdict = { type: 'approve', score: 1 };
    const entries = script({ decided: { verdict, verdicts: { [REVIEWER]: verdict } } });
    for (const own of [a, b]) check.once(stubOf({ plan: own, entries }));
    expect(check.played()).toBe(2);
    // One of two is enough, and the other has not approved.
    const verdicts = { one: APPROVE, other: { type: 'retry', feedback: 'again' } };
    for (let count = 0; count < 2; count++)
      check.once(stubOf({ plan: two && any(two), entries: script({ decided: { verdicts } }) }));
    expect(check.played()).toBe(4);
  });
});

// --- internal ---

/** The check of each phase, the one of equal phases, and how many phases that has played. */
function checks() {
  const each = phaseCheck('run', [
    {
      runId: 'run',
      seq: 1,
      time: 0,
      event: { type: 'run.started', plan, fingerprint: '', input: null, forked: { at: 0, records: COPIED } },
    },
    { runId: 'run', seq: COPIED + 1, time: 0, event: { type: 'run.resumed' } },
  ] satisfies readonly RunRecord[]);
  let played = 0;
  const once = checkEqualOnce((stub) => {
    played += 1;
    each(stub);
  }, COPIED);
  return { each, once, played: () => played };
}

/** Returns a plan with checks. */
function withChecks(own: PhasePlan | undefined): PhasePlan | undefined {
  return own && { ...own, gate: own.gate && { ...own.gate, checks: ['lint'] } };
}

/** Returns a plan in which one approval is enough. */
function any(own: PhasePlan): PhasePlan {
  return { ...own, gate: own.gate && { ...own.gate, quorum: 1 } };
}

function usage(attempt: number): Entry {
  return { type: 'task.reported', attempt, task: 'write', reviewer: false };
}

function stubOf({ plan: own = a, input, entries, from = 1 }: Case): PhaseStub {
  if (!own) throw new Error('There is no such phase.');
  const given: PhaseInput = { run: 'run', phase: own, generation: 0, attempt: 0, inputs: {}, gated: true, ...input };
  const stub = new PhaseStub(given, () => undefined);
  for (const [at, entry] of entries.entries()) {
    if (entry['command']) stub.send(entry['command'] as PhaseCommand);
    const report = { ...entry, phase: own.name, generation: 0 } as unknown as PhaseReport;
    if (!entry['command']) stub.repeat(report, false, { time: 0, seq: from + 2 * at }, () => undefined);
  }
  return stub;
}
