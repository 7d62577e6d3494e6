import { describe, expect, it } from 'vitest';
import { human, retry, retryPredecessor, task, type Run } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { foldTimeline } from '../../src/projections/timeline/timeline.ts';
import { follow } from '../../visualizations/dashboard/src/data/follow.ts';
import {
  startRunHistory,
  createRunHistory,
  type RunAtRecord,
} from '../../visualizations/dashboard/src/data/run-history.ts';
import { fake, play } from '../rig.ts';
import { eventfulRun } from './eventful.ts';

describe('createRunHistory()', () => {
  it('returns the same moment of a record from any direction', async () => {
    const records = await eventfulRun();
    const fresh = [0, ...records.map(({ seq }) => seq)].map((seq) => freshStory(records, seq));
    const history = createRunHistory();
    const forth = fresh.map((_, seq) => history.at(records, seq));
    const back = fresh.map((_, at) => history.at(records, fresh.length - 1 - at)).toReversed();
    const jumps = [3, 30, 1, records.length, 17, 0, 18].map((seq) => history.at(records, seq));
    expect(forth).toEqual(fresh);
    expect(back).toEqual(fresh);
    expect(jumps.map(({ seq }) => seq)).toEqual([3, 30, 1, records.length, 17, 0, 18]);
    expect(jumps).toEqual(jumps.map(({ seq }) => fresh[seq]));
  });

  it('continues if a log has grown, and starts again for another log', async () => {
    const records = await eventfulRun();
    const log = records.slice(0, 10);
    const history = createRunHistory();
    expect(history.at(log, 99).seq).toBe(10);
    log.push(...records.slice(10));
    expect(history.at(log, 99)).toEqual(freshStory(records, records.length));
    const { records: others } = await play([fake('other')]);
    expect(history.at(others, others.length)).toEqual(freshStory(others, others.length));
  });

  it('lists rewinds with requester, target and number', async () => {
    const records = await eventfulRun();
    const history = createRunHistory();
    const rewind = records.find(({ event }) => event.type === 'phase.rewinding')?.seq ?? 0;
    expect(history.at(records, rewind - 1).sentBack).toEqual([]);
    expect(history.at(records, rewind).sentBack).toEqual([{ from: 'b', to: 'a', times: 1 }]);
    // Equal values are identical objects, so that nothing is drawn again.
    expect(history.at(records, rewind + 1).sentBack).toBe(history.at(records, rewind + 2).sentBack);
  });

  it('counts retries anew after a phase has sent back another, and starts afresh', async () => {
    const { records } = await play([
      fake('a'),
      fake('b', { after: ['a'], verdicts: [retry('more'), retryPredecessor('a', 'other'), retry('again')] }),
    ]);
    const history = createRunHistory();
    const counts = records.flatMap(({ seq, event }) =>
      event.type === 'phase.started' && event.phase === 'b'
        ? [[event.generation, event.attempt, history.at(records, seq).retries.get('b') ?? 0]]
        : [],
    );
    expect(counts).toEqual([
      [0, 0, 0],
      [0, 1, 1],
      [0, 0, 0],
      [0, 1, 1],
    ]);
  });

  it('lists phases that ask a person, until an answer arrives', async () => {
    const ask = task('ask', { run: human({ question: 'Fine?' }) });
    const { records } = await play([fake('a', { tasks: [ask] }), fake('b')], {
      when: { 'a/ask asks: Fine?': answer },
    });
    const history = createRunHistory();
    const told = records.map(({ seq, event }) => [event.type, [...history.at(records, seq).asking]] as const);
    const asked = told.filter(([, asking]) => asking.length > 0);
    expect(asked[0]).toEqual(['task.asked', ['a']]);
    expect(told.find(([type]) => type === 'task.answered')).toEqual(['task.answered', []]);
  });
});

describe('follow()', () => {
  it('has the timeline at any record', async () => {
    const records = await eventfulRun();
    const follower = follow(() => {
      const fold = foldTimeline();
      return { apply: (record: RunRecord) => fold.apply(record), read: () => fold.timeline() };
    });
    for (const seq of [records.length, 5, 20, 1]) {
      const fold = foldTimeline();
      for (const record of records.slice(0, seq)) fold.apply(record);
      expect(follower.to(records, seq)).toEqual(fold.timeline());
    }
  });
});

// --- internal ---

async function answer(run: Run): Promise<void> {
  const [item] = run.inbox();
  await run.answer(item?.id ?? '', { type: 'value', value: 'yes' });
}

function freshStory(records: readonly RunRecord[], seq: number): RunAtRecord {
  const fold = startRunHistory();
  for (const record of records.slice(0, seq)) fold.apply(record);
  return fold.read();
}
