/** Coverage by the recorded journals: runs with people, processes that were killed, forks, limits and late work. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runRecordSchema, type Plan, type RunRecord } from '../src/records.ts';
import { collectCoverage, coverageOf, type Coverage } from '../src/testing.ts';

const FOLDER = new URL('fixtures/journals/0.1/', import.meta.url);
const journals = readdirSync(FOLDER).map((file) => ({ name: file.replace('.jsonl', ''), records: read(file) }));

describe.each(journals)('the journal $name', ({ records }) => {
  it('misses no more with each record', () => {
    let before = coverageOf(planOf(records), []);
    expect(before.missing).toHaveLength(before.asked);
    const step = Math.ceil(records.length / 20);
    for (let end = 1; end <= records.length; end += step) {
      const after = coverageOf(planOf(records), [records.slice(0, end)], { otherPlans: 'count' });
      expect(before.missing).toEqual(expect.arrayContaining([...after.missing]));
      before = after;
    }
  });

  it('is the same if its runs are added to a collection', () => {
    const collected = collectCoverage(planOf(records), { otherPlans: 'count' });
    collected.add({ records });
    expect(collected.coverage()).toEqual(coverageOf(planOf(records), [records], { otherPlans: 'count' }));
  });
});

describe('of the journals', () => {
  it.each([
    ['asked', ['gate budget: question answered', 'gate release: question expired']],
    ['checks', ['check lint of code: failed', 'check tests of code: failed', 'check types of code: passed']],
    ['decisions', ['gate skipped: question answered', 'gate unavailable: review again refused']],
    ['loops', ['gate unchanged: retry refused', 'gate issue: retry refused']],
    ['failed', ['gate asks: retryPredecessor source refused']],
    ['held', ['gate own: question answered', 'limit corrections: reached']],
    ['levels', ['rewind ship → design']],
    ['spent-corrections', ['limit corrections: reached', 'end: exhausted']],
  ])('%s shows what it was recorded for', (name, entries) => {
    const records = journals.find((one) => one.name === name)?.records ?? [];
    const shown = shownIn(coverageOf(planOf(records), [records], { otherPlans: 'count' }));
    expect(shown).toEqual(expect.arrayContaining(entries));
  });
});

// --- internal ---

function read(file: string): readonly RunRecord[] {
  const lines = readFileSync(new URL(file, FOLDER), 'utf8').trimEnd().split('\n');
  return lines.map((line) => runRecordSchema.parse(JSON.parse(line)) as RunRecord);
}

function planOf([first]: readonly RunRecord[]): Plan {
  if (first?.event.type !== 'run.started') throw new Error('There is no first record.');
  return first.event.plan;
}

function shownIn({ phases, rows, limits, checks, rewinds, ends }: Coverage): readonly string[] {
  return [phases, rows, limits, checks, rewinds, ends].flatMap((list) =>
    list.flatMap(({ name, times }) => (times > 0 ? name : [])),
  );
}
