import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { stringify } from 'safe-stable-stringify';
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, task } from '../src/index.ts';
import { contentHash } from '../src/model/values/content-hash.ts';
import { hasSortedKeys } from '../src/model/values/sorted-keys.ts';

describe('a hash of JSON', () => {
  it('is that of the text with sorted keys, for any value', () => {
    let sorted = 0;
    const values = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true }),
      fc.jsonValue().map((value): unknown => JSON.parse(stringify(value))),
    );
    fc.assert(
      fc.property(values, (value) => {
        if (hasSortedKeys(value)) sorted += 1;
        expect(contentHash(value)).toBe(sha256(stringify(value) ?? 'null'));
      }),
    );
    expect(sorted).toBeGreaterThan(30);
  });

  it.each([
    ['keys out of order', { b: 1, a: 2 }, '{"a":2,"b":1}'],
    ['keys out of order below a list', [{ x: { b: 1, a: 2 } }], '[{"x":{"a":2,"b":1}}]'],
    ['numbers as keys', { 9: 1, 10: 2 }, '{"10":2,"9":1}'],
    ['a method for JSON', { a: 1, toJSON: () => 'own' }, '"own"'],
    ['a method for JSON that is not listed', Object.defineProperty({ a: 1 }, 'toJSON', { value: () => 1 }), '1'],
    ['a list with a method for JSON', Object.assign([1], { toJSON: () => 'own' }), '"own"'],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['a missing value', { a: undefined, b: 1 }, '{"b":1}'],
    ['an integer that JSON lacks', { a: 1n }, '{"a":1}'],
  ])('sees %s', (_, value, text) => {
    expect(hasSortedKeys(value)).toBe(false);
    expect(contentHash(value)).toBe(sha256(text));
  });

  it('ends for a value that contains itself', () => {
    const loop: Record<string, unknown> = {};
    loop['a'] = loop;
    expect(contentHash(loop)).toBe(sha256(stringify(loop) ?? ''));
  });

  it('sorts no key of a usual phase', () => {
    const one = phase('one', { tasks: [task('t', { run: () => 1 })], review: () => 'APPROVE' });
    const { plan } = definePipeline({
      name: 'p',
      phases: [one, phase('two', { after: [one], tasks: [task('t', { run: () => 2 })] })],
    });
    expect(plan.phases.map((planned) => hasSortedKeys(planned))).toEqual([true, true]);
  });
});

// --- internal ---

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
