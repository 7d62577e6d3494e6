/** Saved filters of runs, as the browser's storage has them. */
import { describe, expect, it } from 'vitest';
import { ALL_RUNS } from '../../visualizations/dashboard/src/route.ts';
import {
  MOST_FILTERS,
  readFilters,
  renamed,
  USUAL_FILTERS,
  withFilter,
} from '../../visualizations/dashboard/src/runs/kept-filters.ts';

const mine = { name: 'mine', hash: '#/runs?tag=team%3Dads' };
const other = { name: 'other', hash: '#/runs?standing=failed' };

describe('readFilters()', () => {
  it.each([
    ['nothing', null],
    ['no JSON', 'x'],
    ['no list', '{"a":1}'],
    ['a text that is too long', JSON.stringify([{ ...mine, more: 'x'.repeat(300_000) }])],
  ])('returns the usual ones for %s', (_, text) => {
    expect(readFilters(text)).toBe(USUAL_FILTERS);
  });

  it.each([
    ['an address of another page', { name: 'x', hash: '#/run/r' }],
    ['another address', { name: 'x', hash: 'https://example.com/#/runs?find=x' }],
    ['a script', { name: 'x', hash: 'javascript:alert(1)' }],
    ['no name', { name: ' ', hash: mine.hash }],
    ['no text', { name: 1, hash: mine.hash }],
    ['null', null],
    ['a long address', { name: 'x', hash: `#/runs?find=${'x'.repeat(5000)}` }],
  ])('leaves out %s', (_, value) => {
    const read = readFilters(JSON.stringify([value, mine]));
    expect(read).toEqual([mine]);
  });

  it('keeps an empty list, one filter of a name, and a bounded number', () => {
    expect(readFilters('[]')).toEqual([]);
    expect(readFilters(JSON.stringify([mine, mine, other]))).toEqual([mine, other]);
    const many = Array.from({ length: 99 }, (_, at) => ({ ...mine, name: `n${at}` }));
    expect(readFilters(JSON.stringify(many))).toEqual(many.slice(0, MOST_FILTERS));
  });
});

describe('changes of saved filters', () => {
  it('add one, or replace the one of that name', () => {
    const wanted = { ...ALL_RUNS, standing: 'queued' };
    expect(withFilter([mine], ' new ', wanted)).toEqual([mine, { name: 'new', hash: '#/runs?standing=queued' }]);
    expect(withFilter([mine, other], 'mine', wanted)).toEqual([
      { name: 'mine', hash: '#/runs?standing=queued' },
      other,
    ]);
    expect(withFilter([mine], ' ', wanted)).toEqual([mine]);
    const full = Array.from({ length: MOST_FILTERS }, (_, at) => ({ ...mine, name: `n${at}` }));
    expect(withFilter(full, 'new', wanted)).toEqual(full);
  });

  it('rename one, unless the name is blank or taken', () => {
    expect(renamed([mine, other], 'mine', 'ours')).toEqual([{ ...mine, name: 'ours' }, other]);
    expect(renamed([mine, other], 'mine', 'other')).toEqual([mine, other]);
    expect(renamed([mine, other], 'mine', '')).toEqual([mine, other]);
  });
});
