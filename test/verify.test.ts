/** Damaged and forged runs: `verifyRun`, and mutants of recorded journals. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  forkRun,
  memoryStore,
  phase,
  readRun,
  resumeRun,
  retry,
  startRun,
  task,
  verifyRun,
} from '../src/index.ts';
import { runRecordSchema, type RunEvent, type RunRecord } from '../src/records.ts';
import { checkJournal } from '../src/machines/replay/check-journal.ts';
import type { RunStore } from '../src/store.ts';
import { isRedacted } from '../src/model/events/guard-redact.ts';

// XState's development build warns once per action of every phase. A spy would keep all of that.
const { warn } = console;
beforeAll(() => {
  console.warn = () => undefined;
});
afterAll(() => {
  console.warn = warn;
});

const LARGE = 'x'.repeat(20_000);

const draft = phase('draft', { tasks: [task('write', { run: () => LARGE })], review: () => 'APPROVE' });
const essay = definePipeline({ name: 'essay', phases: [draft] });

/** Makes a store with one run, whose phase has a large output and a gate. */
async function stored(): Promise<RunStore> {
  const store = memoryStore();
  await startRun(essay, { store, runId: 'run' }).result;
  return store;
}

describe('verifyRun()', () => {
  it('finds no problem in a run as it was recorded', async () => {
    expect(await verifyRun(await stored(), 'run')).toMatchObject({
      runId: 'run',
      records: 8,
      problems: [],
      isPlanDamaged: false,
    });
  });

  it('refuses a run that is not there', async () => {
    await expect(verifyRun(memoryStore(), 'run')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
  });

  const damages: readonly (readonly [string, (store: RunStore) => Partial<RunStore>, string])[] = [
    ['a changed content', () => ({ artifact: () => JSON.stringify(`${LARGE}y`) }), 'that it refers to was changed'],
    ['a content that is cut off', () => ({ artifact: () => JSON.stringify(LARGE).slice(0, -9) }), 'was changed'],
    ['a missing content', () => ({ artifact: () => undefined }), 'that it refers to is missing'],
    ['a missing record', (store) => changed(store, (all) => all.toSpliced(3, 1)), 'Record 4 is missing.'],
    ['missing last records', (store) => changed(store, (all) => all.slice(0, 5)), 'Records 6 to 8 are missing.'],
    [
      'a record of another run',
      (store) => changed(store, (all) => all.map((its) => (its.seq === 3 ? { ...its, runId: 'other' } : its))),
      'Record 3 is of another run.',
    ],
    [
      'a record that is none',
      (store) => changed(store, (all) => all.map((its) => (its.seq === 3 ? { ...its, time: 1e300 } : its))),
      'Record 3 is none: time',
    ],
    [
      'a retry before the end',
      (store) => changed(store, (all) => all.with(7, { ...one(all[7]), event: { type: 'run.reopened' } })),
      'from record 8, {"type":"run.reopened"}, as nothing leads to it',
    ],
    [
      'another status',
      (store) => ({ run: async (id) => ({ ...one(await store.run(id)), status: 'rejected' }) }),
      'The run is listed with another status.',
    ],
    [
      'an item that no record opens',
      () => ({ inbox: () => [{ id: 'run:9' } as never] }),
      'Its open items are not those of its records.',
    ],
  ];

  it.each(damages)('finds %s', async (_, damage, problem) => {
    const store = await stored();
    const damaged = Object.assign(Object.create(store) as RunStore, damage(store));
    const { problems, isPlanDamaged } = await verifyRun(damaged, 'run');
    expect([problems, isPlanDamaged]).toEqual([[expect.stringContaining(problem)], false]);
  });

  it.each(damages.slice(0, 5))('leaves a run with %s that can be forked before it', async (_, damage) => {
    const store = await stored();
    const damaged = Object.assign(Object.create(store) as RunStore, damage(store));
    const forked = await forkRun(damaged, 'run', { at: 2, runId: 'again' });
    expect(await readRun(store, forked)).toHaveLength(2);
    await (
      await resumeRun(store, forked, essay)
    ).result;
    expect(await verifyRun(store, forked)).toMatchObject({ problems: [] });
  });

  it('finds an approval without its review', async () => {
    const store = await stored();
    const forged = changed(store, (all) =>
      all.filter(({ event }) => !event.type.startsWith('review.')).map((record, at) => ({ ...record, seq: at + 1 })),
    );
    const run: RunStore['run'] = async (id) => ({ ...one(await store.run(id)), seq: 6 });
    const { problems } = await verifyRun(Object.assign(Object.create(store) as RunStore, forged, { run }), 'run');
    expect(problems).toEqual([expect.stringMatching(/near record 5: it reports .*review\.started/u)]);
  });
});

describe('resumeRun()', () => {
  it.each([
    ['', undefined],
    [', also with masks of the caller', (event: RunEvent) => ({ ...event })],
  ])('refuses an approval without its review, in a phase that has ended%s', async (_, redact) => {
    const store = memoryStore();
    const print = phase('print', { after: ['draft'], tasks: [task('sheet', { run: () => 1 })] });
    const book = definePipeline({ name: 'book', phases: [draft, print] });
    await startRun(book, { store, runId: 'run' }).result;
    const begun = (all: readonly RunRecord[]) =>
      all.slice(0, 1 + all.findIndex(({ event }) => 'phase' in event && event.phase === 'print'));
    const left = (change: (all: readonly RunRecord[]) => readonly RunRecord[]) =>
      Object.assign(Object.create(store) as RunStore, changed(store, change));
    const forged = left((all) =>
      begun(all)
        .filter(({ event }) => !event.type.startsWith('review.'))
        .map((record, at) => ({ ...record, seq: at + 1 })),
    );
    const refused = await resumeRun(forged, 'run', book, { redact }).then(String, (error: unknown) => error);
    expect(refused).toMatchObject({ code: 'JOURNAL_DIVERGED' });
    expect(String(refused)).toMatch(/near record 5: it reports .*review\.started/u);
    (await resumeRun(left(begun), 'run', book, { redact })).suspend();
  });
});

describe('different demands that are masked alike', () => {
  it('are no loop when the run is verified or resumed, after any of its records', async () => {
    const store = memoryStore();
    let drafts = 0;
    const secret = () => `sk-${'abc'.charAt(drafts).repeat(30)}`;
    const review = () => (drafts < 3 ? retry(`Remove ${secret()}.`) : approve());
    const write = task('write', { run: () => ++drafts });
    const careful = definePipeline({
      name: 'careful',
      phases: [phase('draft', { tasks: [write], review: { by: review, maxRetries: 5, loopAfter: 2 } })],
    });
    drafts = -1;
    expect(await startRun(careful, { store, runId: 'run' }).result).toMatchObject({ status: 'completed' });
    expect(await verifyRun(store, 'run')).toMatchObject({ problems: [] });
    const records = await readRun(store, 'run');
    expect(records.filter(({ event }) => event.type === 'phase.retrying')).toHaveLength(3);
    expect(records.some(({ event }) => event.type === 'loop.detected')).toBe(false);
    for (const at of records.keys()) {
      drafts = 3;
      if (at > 0) await (await resumeRun(store, await forkRun(store, 'run', { at }), careful)).result;
    }
  });
});

describe('readRun()', () => {
  it('hands out no content that does not match its hash', async () => {
    const store = await stored();
    const damaged: RunStore = { ...store, artifact: () => '"another"' };
    await expect(readRun(damaged, 'run')).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
  });
});

describe('a recorded journal with one change', () => {
  const journals = readJournals();

  it('is refused if a record of a decision is dropped, doubled, or exchanged with the next', () => {
    const passed = new Set<string>();
    for (const journal of journals) {
      for (let at = 1; at < journal.length - 1; at++) {
        const [own, next] = [one(journal[at]), one(journal[at + 1])];
        const mutants = [
          ['drop', journal.toSpliced(at, 1)],
          ['double', journal.toSpliced(at, 0, own)],
          // Phases work at the same time, so only the order within one is fixed.
          ...(phaseOf(own) === phaseOf(next) ? [['exchange', journal.toSpliced(at, 2, next, own)] as const] : []),
        ] as const;
        for (const [name, mutant] of mutants) {
          if (DECIDING.has(own.event.type) && !isRefused(mutant)) passed.add(`${name} ${own.event.type}`);
        }
      }
    }
    expect([...passed].toSorted()).toEqual(EXPLAINED);
  });

  it('is refused if a field of a decision is changed or dropped', () => {
    const passed = new Set<string>();
    for (const journal of journals) {
      for (const [at, record] of journal.entries()) {
        if (!DECIDING.has(record.event.type)) continue;
        for (const [place, event] of changesOf(record.event, record.event.type)) {
          if (!isRefused(journal.toSpliced(at, 1, { ...record, event: event as RunRecord['event'] })))
            passed.add(place);
        }
      }
    }
    const found = (place: string) => FREE.find((free) => free.test(place));
    expect([...passed].filter((place) => !found(place))).toEqual([]);
    expect(new Set([...passed].map(found))).toEqual(new Set(FREE));
  });
});

// --- internal ---

/** Types of records that decide if work counts. */
const DECIDING: ReadonlySet<string> = new Set([
  'phase.started',
  'phase.approved',
  'phase.rejected',
  'phase.retrying',
  'phase.rewinding',
  'phase.escalated',
  'phase.invalidated',
  'run.reopened',
  'review.started',
  'review.decided',
  'task.started',
  'task.completed',
]);

/**
 * Changes that leave a journal which a run could have written. The run may have been stopped after the record before. Or the records do not
 * depend on each other: of two tasks, or of a review and a usage report.
 */
const EXPLAINED: readonly string[] = [
  'drop review.started',
  'drop task.started',
  'exchange review.started',
  'exchange task.completed',
  'exchange task.started',
];

/** Fields that a run could have written otherwise. */
const FREE: readonly RegExp[] = [
  // Outputs of attempts that were sent back, and what the prompt was: nothing later depends on them.
  /^task\.completed\.(?:output|prompt|revised)/u,
  // A phase that reads nothing of others has no reads.
  /^phase\.approved\.readTasks dropped$/u,
  // Sentences that another version may word differently.
  /^phase\.(?:escalated|rejected)\.reason$/u,
  // Texts with a mask, and texts of an answer that was not used.
  /\.(?:feedback|reason|text|details)$/u,
  // Errors of a review, an answer that is asked for again, and a weak approval.
  /^review\.decided\.verdict\.(?:error|decision)\./u,
  /^review\.decided\.checked dropped$/u,
  // Failed checks, which earlier versions did not name. They only ask for a retry.
  /^review\.decided\.failedChecks dropped$/u,
  // Names of issues, which a gate gives if they have none.
  /\.issues\[\]\.id dropped$/u,
  // The name of a person, which a person may omit.
  /^review\.decided\.who/u,
];

/** Most records of a journal, as each of its records makes several mutants. */
const MOST = 40;

function readJournals(): readonly (readonly RunRecord[])[] {
  const folder = new URL('fixtures/journals/', import.meta.url);
  return readdirSync(folder).flatMap((version) =>
    readdirSync(new URL(`${version}/`, folder)).flatMap((file) => {
      const lines = readFileSync(new URL(`${version}/${file}`, folder), 'utf8')
        .trim()
        .split('\n');
      const records = lines.map((line) => runRecordSchema.parse(JSON.parse(line)));
      // Texts that a function of the program may have masked are not compared.
      return lines.length > MOST || isRedacted(records) ? [] : [records];
    }),
  );
}

function phaseOf({ event }: RunRecord): string | undefined {
  return 'phase' in event ? event.phase : undefined;
}

function isRefused(journal: readonly RunRecord[]): boolean {
  if (!journal.every((record) => runRecordSchema.safeParse(record).success)) return true;
  try {
    checkJournal(journal);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'JOURNAL_DIVERGED' });
    return true;
  }
}

/** Changes each value of an event, and drops each key. Lists are named by `[]`. */
function* changesOf(value: unknown, place: string): Generator<readonly [string, unknown]> {
  if (typeof value === 'number') yield [place, value + 1];
  else if (typeof value === 'string') yield [place, `${value}x`];
  else if (typeof value === 'boolean') yield [place, !value];
  else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const [where, other] of changesOf(item, `${place}[]`)) yield [where, value.toSpliced(at, 1, other)];
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, own] of Object.entries(value)) {
      const { [key]: _, ...rest } = value as Record<string, unknown>;
      yield [`${place}.${key} dropped`, rest];
      for (const [where, other] of changesOf(own, `${place}.${key}`)) yield [where, { ...value, [key]: other }];
    }
  }
}

/** Reads other records than those of a store. */
function changed(store: RunStore, change: (all: readonly RunRecord[]) => readonly RunRecord[]): Partial<RunStore> {
  return {
    read: async (runId, from = 1, limit = Infinity) =>
      change(await readRun(store, runId))
        .filter(({ seq }) => seq >= from)
        .slice(0, limit),
  };
}

function one<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is none.');
  return value;
}
