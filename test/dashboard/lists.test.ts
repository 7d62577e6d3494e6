import { describe, expect, it } from 'vitest';
import { answeredBy } from '../../src/projections/wording/item-words.ts';
import type { InboxItem } from '../../src/inbox.ts';
import type { UiRun, UiAlert } from '../../src/server/api.ts';
import { byRun, hashOfAlert } from '../../visualizations/dashboard/src/home/alert-words.ts';
import { mostUrgentFirst } from '../../visualizations/dashboard/src/home/urgency.ts';
import { becauseOf, deadlineOf } from '../../visualizations/dashboard/src/inbox/item-words.ts';
import { shellWord } from '../../visualizations/dashboard/src/parts/shell-word.ts';
import { ALL_RUNS, hashOf, routeOf } from '../../visualizations/dashboard/src/route.ts';
import { filterRuns, pipelinesIn, standingsIn, tagsIn } from '../../visualizations/dashboard/src/runs/filter-runs.ts';
import { forkAt } from '../../visualizations/dashboard/src/runs/fork-at.ts';

const HOUR = 3_600_000;
/** Noon by the clock of this machine. */
const NOW = new Date(2026, 10, 27, 12).getTime();

describe('filterRuns()', () => {
  const runs = [
    runOf({
      runId: 'r-1',
      pipeline: 'book',
      standing: 'waiting',
      waiting: ['draft'],
      tags: ['nightly', 'team=ads'],
      updatedAt: NOW - 2 * HOUR,
    }),
    runOf({
      runId: 'r-2',
      pipeline: 'book',
      standing: 'completed',
      status: 'completed',
      tags: ['team=search'],
      updatedAt: NOW - 30 * HOUR,
    }),
    runOf({
      runId: 'x-3',
      pipeline: 'Site',
      standing: 'running',
      worker: 'desk 1',
      source: '/home/ada/site.ts',
      updatedAt: NOW,
    }),
  ];
  const found = (filter: Partial<Parameters<typeof filterRuns>[1]>) =>
    filterRuns(runs, { ...ALL_RUNS, ...filter }, NOW).map(({ runId }) => runId);

  it.each([
    [{}, ['r-1', 'r-2', 'x-3']],
    [{ standing: 'waiting' }, ['r-1']],
    [{ standing: 'active' }, ['r-1', 'x-3']],
    [{ pipeline: 'book' }, ['r-1', 'r-2']],
    [{ text: 'R-' }, ['r-1', 'r-2']],
    [{ text: 'site' }, ['x-3']],
    [{ text: 'ada desk' }, ['x-3']],
    [{ text: 'draft' }, ['r-1']],
    [{ text: 'book', standing: 'completed' }, ['r-2']],
    [{ pipeline: 'none' }, []],
    [{ tag: 'team' }, ['r-1', 'r-2']],
    [{ tag: 'team=search' }, ['r-2']],
    [{ tag: 'team=sea' }, []],
    [{ text: 'night' }, ['r-1']],
    [{ age: '1h' }, ['x-3']],
    [{ age: 'today' }, ['r-1', 'x-3']],
    [{ age: '24h' }, ['r-1', 'x-3']],
    [{ age: '7d' }, ['r-1', 'r-2', 'x-3']],
    [{ age: 'soon' }, ['r-1', 'r-2', 'x-3']],
  ])('finds runs by %j', (filter, ids) => {
    expect(found(filter)).toEqual(ids);
  });

  it('lists the values of each filter', () => {
    expect(pipelinesIn(runs)).toEqual([
      ['book', 2],
      ['Site', 1],
    ]);
    expect(tagsIn(runs)).toEqual([
      ['nightly', 1],
      ['team', 2],
      ['team=ads', 1],
      ['team=search', 1],
    ]);
    expect(tagsIn(runs.slice(0, 1)).map(([tag]) => tag)).toEqual(['nightly', 'team=ads']);
    expect([...standingsIn(runs)]).toEqual([
      ['waiting', 1],
      ['completed', 1],
      ['running', 1],
    ]);
  });
});

describe('the address of a list of runs', () => {
  it.each([
    ALL_RUNS,
    { ...ALL_RUNS, standing: 'failed', pipeline: 'a & b?=#/%', text: ' two  words ' },
    { ...ALL_RUNS, pipeline: '\u202Ebook' },
    { ...ALL_RUNS, tag: 'team=a/b+c', age: '7d', sort: 'cost' },
  ])('is read back as the same route for %j', (route) => {
    expect(routeOf(hashOf(route))).toEqual(route);
  });
});

describe('forkAt()', () => {
  it.each([
    ['5', { at: 5, means: 'The new run has the records up to 5.' }],
    [' 12 ', { at: 12, means: 'The new run has the records up to 12.' }],
    ['13', { problem: 'The run has records 1 to 12.' }],
    ['0', { problem: 'The run has records 1 to 12.' }],
    ['draft', { at: { phase: 'draft' }, means: 'The new run is as if "draft" had never started.' }],
    ['1.5', { at: { phase: '1.5' }, means: 'The new run is as if "1.5" had never started.' }],
    [' ', { problem: 'Enter a record number from 1 to 12, or the name of a phase.' }],
  ])('parses %j', (text, read) => {
    expect(forkAt(text, 12)).toEqual(read);
  });
});

describe('mostUrgentFirst()', () => {
  it('orders by urgency, then by deadline, then by age', () => {
    const items = [
      itemOf({ id: 'old', openedAt: 1 }),
      itemOf({ id: 'late', openedAt: 3, expireAt: 90 }),
      itemOf({ id: 'soon', openedAt: 4, expireAt: 50 }),
      itemOf({ id: 'new', openedAt: 2 }),
      itemOf({ id: 'high', openedAt: 5, severity: 'high' }),
      itemOf({ id: 'urgent', openedAt: 6, severity: 'urgent' }),
    ];
    expect(mostUrgentFirst(items).map(({ id }) => id)).toEqual(['urgent', 'high', 'soon', 'late', 'old', 'new']);
  });
});

describe('deadlineOf()', () => {
  it.each<[Partial<InboxItem>, string]>([
    [{}, ''],
    [{ dueAt: 2 * HOUR, expireAt: 2 * HOUR, onExpiry: 'reject' }, 'expires in 2 h, then is rejected'],
    [{ dueAt: 2 * HOUR, expireAt: 2 * HOUR }, 'expires in 2 h, and stays open'],
    [{ dueAt: 2 * HOUR, expireAt: 2 * HOUR, onExpiry: { queue: 'bosses' } }, 'expires in 2 h, then goes to bosses'],
    [{ dueAt: -1, expireAt: -1, onExpiry: 'reject' }, 'expires now, then is rejected'],
    [{ dueAt: HOUR, raiseAt: HOUR, expireAt: 2 * HOUR }, 'becomes more urgent in 1 h'],
    [{ dueAt: HOUR / 2, remindAt: HOUR / 2 }, 'reminder in 30 min'],
    [{ expired: true }, 'nobody has answered in time'],
    [{ dueAt: HOUR, expireAt: HOUR, closedAt: 1 }, ''],
  ])('of %j', (item, text) => {
    expect(deadlineOf(itemOf(item), 0)).toBe(text);
  });
});

describe('texts of items', () => {
  it('give the reason, and the author of the answer', () => {
    expect([becauseOf({ because: 'loop' }), becauseOf({ because: 'of something new' })]).toEqual([
      'it goes round in a loop',
      'of something new',
    ]);
    expect([answeredBy({ by: 'ada' }), answeredBy({ by: '' })]).toEqual([
      'answered by ada, pending',
      'answered, pending',
    ]);
  });
});

describe('byRun()', () => {
  it('groups problems by run, runs with problems first', () => {
    const troubles = [
      troubleOf('a', 'notice'),
      troubleOf('b', 'problem'),
      troubleOf('a', 'notice'),
      troubleOf('c', 'problem'),
    ];
    expect(byRun(troubles).map(({ runId, troubles: own }) => [runId, own.length])).toEqual([
      ['b', 1],
      ['c', 1],
      ['a', 2],
    ]);
  });

  it('links to the view that shows most of the problem', () => {
    const trouble = { ...troubleOf('a', 'notice'), phase: 'draft' };
    expect(hashOfAlert({ ...trouble, code: 'SILENT' })).toBe('#/run/a?tab=timeline&phase=draft');
    expect(hashOfAlert({ ...trouble, code: 'LIMIT_NEAR' })).toBe('#/run/a?tab=quality&phase=draft');
    expect(hashOfAlert({ ...trouble, code: 'LOOPING' })).toBe('#/run/a?phase=draft');
  });
});

describe('shellWord()', () => {
  it('quotes text that a shell would split', () => {
    expect(['.phasegate/runs.db', 'my runs.db', "it's; rm"].map(shellWord)).toEqual([
      '.phasegate/runs.db',
      "'my runs.db'",
      String.raw`'it'\''s; rm'`,
    ]);
  });
});

// --- internal ---

function runOf(run: Partial<UiRun>): UiRun {
  return {
    runId: '',
    pipeline: '',
    fingerprint: '',
    status: 'running',
    startedAt: 0,
    updatedAt: 0,
    seq: 1,
    approved: 0,
    phases: 1,
    costUsd: 0,
    tokens: 0,
    waiting: [],
    standing: 'running',
    worker: null,
    hung: null,
    gone: null,
    actions: [],
    ...run,
  };
}

function itemOf(item: Partial<InboxItem>): InboxItem {
  return {
    id: '',
    runId: '',
    seq: 1,
    pipeline: '',
    kind: 'escalation',
    about: '',
    generation: 0,
    attempt: 0,
    because: 'requested',
    reason: '',
    nonce: '',
    queue: 'default',
    severity: 'normal',
    openedAt: 0,
    ...item,
  };
}

function troubleOf(runId: string, severity: UiAlert['severity']): UiAlert {
  return { runId, severity, pipeline: runId, code: 'LEFT', phase: null, seq: 1, since: 0, found: '', advice: '' };
}
