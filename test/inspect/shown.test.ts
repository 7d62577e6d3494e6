import { describe, expect, it } from 'vitest';
import { previewOf, shownWithoutPlan } from '../../src/inspect/snapshot-preview.ts';

const circle: { self?: unknown } = {};
circle.self = circle;

describe('shown()', () => {
  it.each<[what: string, value: unknown, copy: unknown]>([
    ['a text', 'text', 'text'],
    ['nothing', undefined, undefined],
    ['a large number', 1n << 70n, '1180591620717411303424'],
    ['a function', { run: () => 1, name: 'f' }, { name: 'f' }],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an error', new TypeError('no'), { name: 'TypeError', message: 'no' }],
    ['a long list', Array.from({ length: 103 }, () => 0), [...Array.from({ length: 100 }, () => 0), '[… 3 more]']],
    ['a secret', { at: 'https://me:hunter2222@host' }, { at: 'https://me:[redacted]@host' }],
    ['a field with a telling name', { apiKey: 'short' }, { apiKey: '[redacted]' }],
    ['a long text', 'x'.repeat(10_500), `${'x'.repeat(10_000)}[… 500 characters]`],
    ['a longer text', 'x'.repeat(1_000_000), `${'x'.repeat(10_000)}[… 990000 characters]`],
    [
      'what cannot be read',
      {
        get it() {
          throw new Error('no');
        },
      },
      '[unreadable]',
    ],
  ])('copies %s', (_what, value, copy) => {
    expect(previewOf(value)).toEqual(copy);
  });

  it('stops at a depth, and at cycles', () => {
    const text = JSON.stringify(previewOf(circle));
    expect(text).toBe(`${'{"self":'.repeat(10)}"[…]"${'}'.repeat(10)}`);
  });

  it('has at most about 100 000 characters, however many texts there are', () => {
    const texts = Array.from({ length: 90 }, () => 'y'.repeat(9_000));
    expect(JSON.stringify(previewOf({ texts, more: texts })).length).toBeLessThan(110_000);
  });

  it('ends for a value that shares parts at each level', () => {
    let value: object = {};
    for (let level = 0; level < 10; level++) value = Array.from({ length: 100 }, () => value);
    expect(JSON.stringify(previewOf(value)).length).toBeLessThan(2_000_000);
  });

  it('masks a secret that begins before the cut', () => {
    const text = `${'x'.repeat(9_990)} sk-${'a'.repeat(40)}`;
    expect(String(previewOf(text))).not.toContain('aaaaa');
  });

  it('cuts the fields of a wide object, and counts the rest', () => {
    const wide = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`f${at}`, at]));
    expect(Object.entries(previewOf(wide) ?? {}).slice(-2)).toEqual([
      ['f99', 99],
      ['…', '[20 more]'],
    ]);
  });
});

describe('shownWithoutPlan()', () => {
  const plan = { name: 'p', phases: [{ name: 'one', tasks: [] }], limits: {} };

  it('replaces a plan by the names of its phases, and keeps the rest', () => {
    const snapshot = { status: 'active', context: { plan, end: null } };
    expect(shownWithoutPlan(snapshot, 'context')).toEqual({
      status: 'active',
      context: { plan: { name: 'p', phases: ['one'] }, end: null },
    });
    expect(shownWithoutPlan({ type: 'xstate.init', input: { plan } }, 'input')).toEqual({
      type: 'xstate.init',
      input: { plan: { name: 'p', phases: ['one'] } },
    });
  });

  it.each([
    [{ status: 'done', output: { plan } }],
    [{ context: 1 }],
    [{ context: { plan: 'text' } }],
    [null],
    ['text'],
  ])('keeps %j', (value) => {
    expect(shownWithoutPlan(value, 'context')).toEqual(value);
  });
});
