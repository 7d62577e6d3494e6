import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { byName, byRareName, ofName } from '../src/model/values/by-name.ts';

setFlagsFromString('--allow-natives-syntax');
/** True if V8 describes an object by a hidden class. */
const hasHiddenClass = runInThisContext('(object) => %HasFastProperties(object)') as (object: object) => boolean;

function rare(entries: readonly (readonly [string, number])[]): Record<string, number> {
  const made = byRareName<number>();
  for (const [name, value] of entries) made[name] = value;
  return made;
}

describe.each([
  ['byName', byName<number>],
  ['byRareName', rare],
])('%s', (_, make) => {
  it('makes an ordinary object', () => {
    const made = make([
      ['b', 1],
      ['a', 2],
    ]);
    expect(made).toStrictEqual({ b: 1, a: 2 });
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(JSON.stringify(made)).toBe('{"b":1,"a":2}');
    expect(Object.getOwnPropertyDescriptor(made, 'a')).toEqual(Object.getOwnPropertyDescriptor({ a: 2 }, 'a'));
    expect(structuredClone(made)).toStrictEqual({ b: 1, a: 2 });
    expect(ofName(make([]), 'toString')).toBeUndefined();
  });
});

it('keeps an object of rare names without a hidden class', () => {
  expect(hasHiddenClass(byName([['one', 1]]))).toBe(true);
  expect(hasHiddenClass(rare([['one', 1]]))).toBe(false);
});

it('takes the reserved name of a prototype for a name', () => {
  const made = byName([['__proto__', 1]]);
  expect(Object.keys(made)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
});
