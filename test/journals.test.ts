/**
 * Journals that were recorded by this and by earlier releases: each is replayed as a whole, and gone on with from every beginning.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRecordSchema, type RunRecord } from '../src/records.ts';
import { differenceOf, endingOf } from './journals/ending.ts';
import { playOn } from './journals/play.ts';
import { placesOf, placesOfSchema } from './journals/places.ts';
import { recordings } from './journals/recordings.ts';
import { unrecordedIn } from './replay-difference.ts';

const FOLDER = new URL('fixtures/journals/', import.meta.url);

const journals = readdirSync(FOLDER).flatMap((version) =>
  readdirSync(new URL(`${version}/`, FOLDER)).map((file) => ({ version, name: file.replace('.jsonl', '') })),
);

// XState's development build warns once per action of every phase. A spy would keep all of that.
const { warn } = console;
beforeAll(() => {
  console.warn = () => undefined;
});
afterAll(() => {
  console.warn = warn;
});

describe.each(journals)('the journal $version/$name', (one) => {
  const journal = readJournal(one);

  it('has records that are read as they are', () => {
    for (const record of journal) expect(runRecordSchema.parse(record)).toEqual(record);
  });

  it('is replayed as a whole, and nothing is said that it does not have', () => {
    expect(unrecordedIn(journal)).toBeNull();
  });

  it.each([
    ['', undefined],
    [', inspected', () => undefined],
  ])('comes to the same end from every beginning%s', async (_, inspect) => {
    const recording = recordings.get(one.name);
    if (!recording) throw new Error(`There is no recording "${one.name}".`);
    const { isLoose } = recording;
    const ending = endingOf(journal, isLoose);
    const problems: string[] = [];
    for (const length of beginningsOf(journal)) {
      const left = `left after ${length} records, ${journal[length - 1]?.event.type}`;
      try {
        const records = await playOn(recording, journal.slice(0, length), inspect);
        const difference = differenceOf(endingOf(records, isLoose), ending);
        if (difference !== null) problems.push(`${left}: ${difference}`);
      } catch (error) {
        problems.push(`${left}: ${String(error)}`);
      }
    }
    expect(problems).toEqual([]);
  });
});

describe('the journals', () => {
  it('have every type of event, every field, and every value of a closed list', () => {
    const found = new Set(journals.flatMap((one) => readJournal(one).flatMap(({ event }) => [...placesOf(event)])));
    expect([...placesOfSchema()].filter((place) => !found.has(place))).toEqual(UNRECORDED);
  });

  it('have no secret, and no path of the machine that has recorded them', () => {
    for (const one of journals)
      expect(textOf(one)).not.toMatch(/sk-proj|file:|node_modules|[/](?:home|Users|root|tmp|work)[/]/u);
  });
});

// --- internal ---

interface Journal {
  readonly version: string;
  readonly name: string;
}

function textOf({ version, name }: Journal): string {
  return readFileSync(new URL(`${version}/${name}.jsonl`, FOLDER), 'utf8');
}

function readJournal(one: Journal): readonly RunRecord[] {
  const lines = textOf(one).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as RunRecord);
}

/** Places that no journal can have. */
const UNRECORDED: readonly string[] = [
  // A worker demands that another phase is sent back.
  'phase.retrying.by=worker',
  // They hold a phase, on which a person decides instead.
  'limit.lifted.limit=corrections',
  'limit.lifted.limit=perPair',
  // It only ever becomes more urgent.
  'item.changed.severity=normal',
  // A run that ends so did not begin, or broke off, and is not kept.
  'run.ended.error',
  'run.ended.error.code',
  'run.ended.error.name',
  'run.ended.error.message',
  'run.ended.error.cause',
  'run.ended.error.stack',
  'run.ended.error.permanent',
  'run.ended.error.retryAfterMs',
];

/** Numbers of records after which a run can be left: within its end it cannot, as that is said, and kept, at once. */
function beginningsOf(journal: readonly RunRecord[]): readonly number[] {
  const [first] = journal;
  const least = (first?.event.type === 'run.started' && first.event.forked?.records) || 1;
  return [...journal.keys()].filter((length) => length >= least && !isWithinEnd(journal, length));
}

function isWithinEnd(journal: readonly RunRecord[], length: number): boolean {
  const next = journal.slice(length).find(({ event }) => !ENDINGS.has(event.type));
  return ENDINGS.has(journal[length - 1]?.event.type ?? '') && next?.event.type === 'run.ended';
}

const ENDINGS: ReadonlySet<string> = new Set(['phase.cancelled', 'phase.skipped', 'phase.stale']);
