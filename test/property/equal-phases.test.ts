/**
 * Journals of equal phases, forged by random changes: the check that leaves out phases that an equal one has passed for accepts, and
 * refuses with the same words, what the check of each phase does.
 *
 * `PHASEGATE_SEED=random PHASEGATE_SCENARIOS=5000 npx vitest run test/property/equal-phases.test.ts` tries 5000 other pipelines.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  definePipeline,
  forkRun,
  memoryStore,
  phase,
  readRun,
  resumeRun,
  startRun,
  task,
  type Pipeline,
} from '../../src/index.ts';
import { runRecordSchema, type RunEvent, type RunRecord } from '../../src/records.ts';
import { checkJournal } from '../../src/machines/replay/check-journal.ts';
import { phaseCheck } from '../../src/machines/replay/check-phase.ts';
import { checkEqualOnce } from '../../src/machines/replay/equal-phases.ts';
import { replay } from '../../src/machines/replay/replay.ts';
import { definitionOf } from '../../src/model/events/run-definition.ts';
import { refusal } from '../refusal.ts';
import { numberOfRuns } from './number-of-runs.ts';

// XState's development build warns once per action of every phase.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

/** Equal phases, and how their run came about. */
interface Shape {
  readonly phases: number;
  readonly tasks: number;
  /** Number of reviewers; `undefined` for no gate. */
  readonly reviewers: number | undefined;
  readonly checks: boolean;
  readonly output: 'equal' | 'own' | 'large';
  /** True if tasks report their usage. */
  readonly usage: boolean;
  /** True if the phases follow each other; else they work at the same time. */
  readonly chain: boolean;
  readonly history: 'straight' | 'resumed' | 'forked' | 'sentBack';
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  phases: fc.integer({ min: 2, max: 4 }),
  tasks: fc.integer({ min: 1, max: 3 }),
  reviewers: fc.constantFrom(undefined, 1, 2),
  checks: fc.boolean(),
  output: fc.constantFrom('equal', 'own', 'large'),
  usage: fc.boolean(),
  chain: fc.boolean(),
  history: fc.constantFrom('straight', 'resumed', 'forked', 'sentBack'),
});

describe('a forged journal of equal phases', () => {
  it('is refused if the check of each phase refuses it', async () => {
    const seen = { leftOut: 0, refused: 0, accepted: 0 };
    const property = fc.asyncProperty(shapes, fc.infiniteStream(fc.nat()), async (shape, draws) => {
      const records = await runOf(shape);
      const honest = { each: checked(records, false), once: checked(records, true) };
      expect([honest.each.problem, honest.once.problem]).toEqual([undefined, undefined]);
      seen.leftOut += honest.each.played - honest.once.played;
      const pick = <T>(all: readonly T[]): T => one(all[one(draws.next().value) % all.length]);
      for (let count = 0; count < FORGERIES; count++) {
        let forged = records;
        for (let changes = pick([1, 1, 2, 3]); changes > 0; changes--) forged = forge(forged, pick);
        if (!forged.every((record) => runRecordSchema.safeParse(record).success)) continue;
        const [each, once] = [checked(forged, false), checked(forged, true)];
        seen[each.problem === undefined ? 'accepted' : 'refused'] += 1;
        expect(once.problem).toBe(each.problem);
        expect(refusal(() => checkJournal(forged)) === undefined).toBe(each.problem === undefined);
      }
    });
    await fc.assert(property, numberOfRuns({ seed: 7, runs: 60 }));
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(40);
  }, 600_000);

  it('is refused if any field of the second phase is changed, dropped or added', async () => {
    const records = await runOf({ ...PLAIN, reviewers: 2, checks: true });
    const seen = { refused: 0, accepted: 0 };
    for (const [at, record] of records.entries()) {
      if (!isOf(record, 'p1')) continue;
      for (const event of changesOf(record.event, [])) {
        const forged = records.toSpliced(at, 1, { ...record, event: event as RunEvent });
        if (!runRecordSchema.safeParse(forged[at]).success) continue;
        const { problem } = checked(forged, false);
        expect([JSON.stringify(event), checked(forged, true).problem]).toEqual([JSON.stringify(event), problem]);
        seen[problem === undefined ? 'accepted' : 'refused'] += 1;
      }
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });

  it('has one check of phases with other names, outputs and usage', async () => {
    for (const usage of [false, true])
      expect(checked(await runOf({ ...PLAIN, output: 'own', usage }), true)).toEqual({ problem: undefined, played: 1 });
    // The first phase was sent back, and the second knows that its outputs are the same again.
    expect(checked(await runOf({ ...PLAIN, history: 'sentBack' }), true)).toEqual({ problem: undefined, played: 3 });
  });
});

// --- internal ---

/** Forged journals of each run. */
const FORGERIES = 40;

const PLAIN: Shape = {
  phases: 4,
  tasks: 2,
  reviewers: 1,
  checks: false,
  output: 'equal',
  usage: false,
  chain: true,
  history: 'straight',
};

/** Runs such phases. */
async function runOf(shape: Shape): Promise<readonly RunRecord[]> {
  const store = memoryStore();
  let isLeft = shape.history !== 'resumed';
  const leave = () => {
    if (isLeft) return;
    isLeft = true;
    run.suspend();
  };
  const pipeline = pipelineOf(shape, leave);
  const run = startRun(pipeline, { store, runId: 'run' });
  await run.result;
  if (shape.history === 'resumed') await (await resumeRun(store, 'run', pipeline)).result;
  if (shape.history !== 'forked') return JSON.parse(JSON.stringify(await readRun(store, 'run'))) as RunRecord[];
  const copied = (await readRun(store, 'run')).length - 6;
  const fork = await forkRun(store, 'run', { at: copied });
  await (
    await resumeRun(store, fork, pipeline)
  ).result;
  return JSON.parse(JSON.stringify(await readRun(store, fork))) as RunRecord[];
}

function pipelineOf(shape: Shape, leave: () => void): Pipeline {
  const { phases, tasks, reviewers, checks, output, usage, chain, history } = shape;
  const outputOf = (at: number) => (output === 'large' ? { at: [at, { x: 'y' }] } : output === 'own' ? `p${at}` : 'p1');
  return definePipeline({
    name: 'equal',
    phases: Array.from({ length: phases }, (_, at) => {
      const answers = history === 'sentBack' && at === 0 ? ['RETRY: again', 'APPROVE'] : ['APPROVE'];
      const answer = () => (answers.length > 1 ? answers.shift() : answers[0]) ?? 'APPROVE';
      return phase(`p${at}`, {
        after: chain && at > 0 ? [`p${at - 1}`] : [],
        tasks: Array.from({ length: tasks }, (__, number) =>
          task(`t${number}`, {
            run({ report }) {
              if (usage) report({ tokens: at });
              if (at === 1) leave();
              return outputOf(at);
            },
          }),
        ),
        ...(reviewers !== undefined && {
          review: {
            by: Array.from({ length: reviewers }, (__, number) => task(`r${number}`, { run: answer })),
            ...(checks && { checks: [{ name: 'check', run: () => true }] }),
          },
        }),
      });
    }),
  });
}

/** Checks a journal: each phase, or equal ones once. */
function checked(records: readonly RunRecord[], isOnce: boolean) {
  const first = one(records[0]).event;
  if (first.type !== 'run.started') throw new Error('A journal begins with the start of its run.');
  const { input, attended, memory, edition = 1 } = first;
  const given = {
    run: one(records[0]).runId,
    plan: definitionOf(records, first).plan,
    input,
    attended,
    memory,
    edition,
  };
  const check = phaseCheck(given.run, records);
  let played = 0;
  const each = (stub: Parameters<typeof check>[0]) => {
    played += 1;
    check(stub);
  };
  const onEnd = isOnce ? checkEqualOnce(each, first.forked?.records) : each;
  const problem = refusal(() => {
    for (const stub of replay(given, records, { onEnd }).stubs.values()) onEnd(stub);
  });
  return { problem, played };
}

/** Changes one record, or its place; or an output everywhere. */
function forge(records: readonly RunRecord[], pick: <T>(all: readonly T[]) => T): readonly RunRecord[] {
  const inner = records.flatMap((record, at) => ('phase' in record.event && at > 0 ? [at] : []));
  const at = pick(inner);
  const record = one(records[at]);
  const numbered = (all: readonly RunRecord[]) => all.map((its, index) => ({ ...its, seq: index + 1 }));
  switch (pick(['field', 'field', 'field', 'field', 'drop', 'double', 'exchange', 'output', 'event'])) {
    case 'drop':
      return numbered(records.toSpliced(at, 1));
    case 'double':
      return numbered(records.toSpliced(at, 0, record));
    case 'exchange':
      return numbered(records.toSpliced(at, 2, ...[records[at + 1] ?? [], record].flat()));
    case 'output': {
      const name = 'phase' in record.event ? record.event.phase : '';
      const value = pick(['other', { t0: 1 }, null]);
      return records.map((its) => (isOf(its, name) ? { ...its, event: withOutput(its.event, value) } : its));
    }
    case 'event': {
      const other = one(records[pick(inner)]).event;
      const named = { ...other, phase: 'phase' in record.event ? record.event.phase : '' } as RunEvent;
      return records.toSpliced(at, 1, { ...record, event: named });
    }
    default: {
      const others = [...changesOf(record.event, records)];
      return records.toSpliced(at, 1, { ...record, event: pick(others) as RunEvent });
    }
  }
}

/** Changes an output of a task, in its own record and in the approval. */
function withOutput(event: RunEvent, value: unknown): RunEvent {
  if (event.type === 'task.completed' && event.task === 't0') return { ...event, output: value };
  if (event.type === 'phase.approved') return { ...event, outputs: { ...event.outputs, t0: value } };
  return event;
}

/** Fields that an event may have, with values that matter to the machine of a phase. */
const ADDED: Readonly<Record<string, readonly unknown[]>> = {
  edited: [{ t0: 'p1' }, { t0: 'other' }, {}],
  who: ['p0'],
  failedChecks: [[], [{ name: 'check', details: '' }]],
  checked: [true],
  late: [true],
  because: ['approved', 'unreviewed', 'exhausted'],
  by: ['gate', 'person', 'worker'],
  verdict: [
    { type: 'approve', score: 1 },
    { type: 'retry', feedback: 'p1' },
    { type: 'retryPredecessor', phase: 'p0', feedback: '' },
    { type: 'approve', issues: [{ title: 'x', affectedPhase: 'p1' }] },
  ],
  verdicts: [{}, { r0: { type: 'approve' } }, { r0: { type: 'approve' }, r1: { type: 'reject', reason: '' } }],
  outputs: [{}, { t0: 'p1' }, { t0: 'p1', t1: 'p1', t2: 'p1' }],
  revision: [{ attempt: 0, feedback: '', history: [] }],
  readTasks: [{ p0: ['t0'] }],
};

/** Changes each value, drops each key, adds keys, and takes each value from another record. */
function* changesOf(value: unknown, records: readonly RunRecord[], key = ''): Generator {
  for (const { event } of records.slice(1)) if (Object.hasOwn(event, key)) yield Reflect.get(event, key);
  if (typeof value === 'number') yield* [value + 1, value - 1];
  else if (typeof value === 'string') yield* [`${value}x`, 'p0', 'p1', 't0', 't1', 'r0'];
  else if (typeof value === 'boolean') yield !value;
  else if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      for (const other of changesOf(item, records)) yield value.toSpliced(at, 1, other);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, own] of Object.entries(value)) {
      const { [name]: _, ...rest } = value as Record<string, unknown>;
      yield rest;
      for (const other of changesOf(own, records, name)) yield { ...value, [name]: other };
    }
    for (const [name, others] of Object.entries(ADDED)) for (const other of others) yield { ...value, [name]: other };
  }
}

function isOf({ event }: RunRecord, name: string): boolean {
  return 'phase' in event && event.phase === name;
}

function one<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is none.');
  return value;
}
