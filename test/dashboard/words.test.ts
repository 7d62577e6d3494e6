import { describe, expect, it } from 'vitest';
import {
  amount,
  distanceText,
  durationText,
  exactDuration,
  isoTime,
  sizeText,
} from '../../visualizations/dashboard/src/parts/words.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

describe('durations', () => {
  it.each([
    [-5, '0 s', '0.0 s'],
    [400, '0 s', '0.4 s'],
    [9.96 * SECOND, '10 s', '10 s'],
    [59.4 * SECOND, '59 s', '59 s'],
    [59.6 * SECOND, '1 min', '1 min 00 s'],
    [185 * SECOND, '3 min', '3 min 05 s'],
    [59.6 * MINUTE, '1 h', '59 min 36 s'],
    [2 * HOUR + 10 * MINUTE, '2 h', '2 h 10 min'],
    [47 * HOUR, '47 h', '47 h 00 min'],
    [3 * DAY, '3 days', '72 h 00 min'],
  ])('of %i ms are %s, or %s', (ms, short, exact) => {
    expect([durationText(ms), exactDuration(ms)]).toEqual([short, exact]);
  });
});

describe('distanceText()', () => {
  it.each([
    [0, 'just now'],
    [-1999, 'just now'],
    [-40 * SECOND, '40 s ago'],
    [-3 * DAY, '3 days ago'],
    [2 * HOUR, 'in 2 h'],
  ])('of %i ms from now is %s', (ms, text) => {
    expect(distanceText(1_000_000_000 + ms, 1_000_000_000)).toBe(text);
  });
});

describe('amounts', () => {
  it('other than text have separated thousands', () => {
    expect([7, 1234, 1_234_567].map(amount)).toEqual(['7', '1\u202F234', '1\u202F234\u202F567']);
  });

  it('of text are counted in characters', () => {
    expect([1, 812, 52_400, 1_240_000].map(sizeText)).toEqual([
      '1 character',
      '812 characters',
      '52 thousand characters',
      '1.2 million characters',
    ]);
  });
});

describe('isoTime()', () => {
  it('is undefined if a time is not a date', () => {
    expect([isoTime(0), isoTime(Number.NaN), isoTime(9e15)]).toEqual([
      '1970-01-01T00:00:00.000Z',
      undefined,
      undefined,
    ]);
  });
});
