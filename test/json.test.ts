import fc from 'fast-check';
import { stringify } from 'safe-stable-stringify';
import { describe, expect, it } from 'vitest';
import { isSameJson, toJson } from '../src/model/values/json.ts';

class Point {
  readonly x = 1;
}

describe('toJson()', () => {
  it('copies any JSON unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = toJson(value);
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(copy).toEqual({ ok: true, value: plain });
      }),
    );
  });

  it('accepts only values that survive JSON', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withNullPrototype: true,
          withSparseArray: true,
          withBoxedValues: true,
        }),
        (value) => {
          const copy = toJson(value);
          if (copy.ok) expect(JSON.parse(JSON.stringify(copy.value))).toEqual(copy.value);
          else expect([copy.problem.path.startsWith('$'), typeof copy.problem.found]).toEqual([true, 'string']);
        },
      ),
    );
  });

  it('returns a frozen copy, and leaves the original unchanged', () => {
    const value = { list: [{ x: 1 }] };
    const copy = toJson(value);
    expect(copy.ok && isDeepFrozen(copy.value)).toBe(true);
    value.list.push({ x: 2 });
    expect(copy).toEqual({ ok: true, value: { list: [{ x: 1 }] } });
    expect(Object.isFrozen(value)).toBe(false);
  });

  it('copies a value with two references twice', () => {
    const twice = { x: 1 };
    expect(toJson([twice, twice])).toEqual({ ok: true, value: [{ x: 1 }, { x: 1 }] });
  });

  it('refuses a value that shares parts at many levels, before its text is built', () => {
    let shared: object = { x: 1 };
    for (let level = 0; level < 30; level++) shared = level % 2 === 0 ? { l: shared, r: shared } : [shared, shared];
    const rows = Array.from({ length: 2000 }, () => 1);
    for (const value of [shared, Array.from({ length: 2000 }, () => rows)])
      expect(toJson(value)).toMatchObject({
        ok: false,
        problem: { path: '$', found: expect.stringContaining('repeat') as string },
      });
    const distinct = Array.from({ length: 2000 }, () => Array.from({ length: 1000 }, () => 1));
    expect(toJson(distinct).ok).toBe(true);
    expect(toJson(Array.from({ length: 900 }, () => rows.slice(0, 1000))).ok).toBe(true);
  });

  it('treats undefined as JSON.stringify does, and null at the top', () => {
    expect(toJson(undefined)).toEqual({ ok: true, value: null });
    const copy = toJson({ a: undefined, b: [undefined], c: -0 });
    expect(JSON.stringify(copy)).toBe('{"ok":true,"value":{"b":[null],"c":0}}');
  });

  it('accepts objects of another realm and without a prototype, and keeps the key "__proto__"', async () => {
    const { runInNewContext } = await import('node:vm');
    expect(toJson(runInNewContext('({ a: [1] })'))).toEqual({ ok: true, value: { a: [1] } });
    expect(toJson(Object.create(null, { a: { value: 1, enumerable: true } }))).toEqual({ ok: true, value: { a: 1 } });
    const copy = toJson(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(JSON.stringify(copy)).toBe('{"ok":true,"value":{"__proto__":{"polluted":true}}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('reads a getter once', () => {
    let reads = 0;
    const value = Object.defineProperty({}, 'x', { enumerable: true, get: () => (reads += 1) });
    expect(toJson(value)).toEqual({ ok: true, value: { x: 1 } });
    expect(reads).toBe(1);
  });

  it.each<readonly [string, unknown, string]>([
    ['$', () => 1, 'a function'],
    ['$', Symbol('s'), 'a symbol'],
    ['$[1]', [1, 2n], 'a bigint'],
    ['$.a.b', { a: { b: Number.NaN } }, 'the number NaN'],
    ['$.a[0].when', { a: [{ when: new Date() }] }, 'an instance of Date'],
    ['$', new Point(), 'an instance of Point'],
    ['$', Object.create({ inherited: 1 }), 'an instance of Object'],
  ])('names the path and the value at %s', (path, value, found) => {
    expect(toJson(value)).toEqual({ ok: false, problem: { path, found } });
  });
});

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

describe('isSameJson()', () => {
  const odd = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(0, 1, '', 'a', true, null), tie('list'), tie('record')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    // There are few keys, so that two values are often nearly equal. Every object inherits some of them.
    record: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor', 'length'), tie('value'), {
      maxKeys: 4,
    }),
  })).value;

  it('is true for equal texts with sorted keys, and for nothing else', () => {
    fc.assert(
      fc.property(odd, odd, (one, other) => {
        expect(isSameJson(one, other)).toBe(stringify(one) === stringify(other));
        expect(isSameJson(one, JSON.parse(stringify(one) ?? 'null'))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it.each<readonly [unknown, unknown, boolean]>([
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: 1 }, { b: undefined, a: 1 }, true],
    [{ a: undefined }, { b: 1 }, false],
    [{ a: undefined }, { a: null }, false],
    [{ b: 1 }, { a: undefined }, false],
    [[1, 2], [1], false],
    [[], {}, false],
    [{ length: 0 }, [], false],
    [{}, null, false],
    [{ constructor: 1 }, {}, false],
    [JSON.parse('{"__proto__":{}}'), { a: 1 }, false],
    [{ a: 1 }, JSON.parse('{"__proto__":{}}'), false],
    [JSON.parse('{"__proto__":{}}'), JSON.parse('{"__proto__":{}}'), true],
    ['1', 1, false],
  ])('treats undefined as absent, and compares own keys only: %j, %j', (one, other, same) => {
    expect(isSameJson(one, other)).toBe(same);
  });

  it('compares texts that differ at any depth, and no others', () => {
    const asked: string[] = [];
    const isAlike = (one: string, other: string) => asked.push(`${one} ${other}`) > 0 && one !== 'c';
    expect(isSameJson({ x: ['a', 'b'], y: 1 }, { y: 1, x: ['A', 'b'] }, isAlike)).toBe(true);
    expect(isSameJson({ x: ['c', 'b'] }, { x: ['C', 'B'] }, isAlike)).toBe(false);
    expect(asked).toEqual(['a A', 'c C']);
  });
});
