import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { schemaProblem } from '../src/cli/load/yaml/json-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

describe('schemaProblem()', () => {
  // A schema without a problem is checked in full: the first value passes, the second does not.
  it.each<readonly [Schema, unknown, unknown]>([
    [{ type: 'object' }, {}, 3],
    [{ type: 'object', properties: { a: { type: 'string' } } }, {}, { a: 1 }],
    [{ type: 'object', properties: { a: {} }, required: ['a'] }, { a: 1 }, {}],
    [{ type: 'object', properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }],
    [{ type: 'object', additionalProperties: { type: 'number' } }, { b: 1 }, { b: 'x' }],
    [{ type: 'object', patternProperties: { '^a': { type: 'number' } } }, { ab: 1 }, { ab: 'x' }],
    [{ type: 'object', propertyNames: { type: 'string', pattern: '^a' } }, { a: 1 }, { b: 1 }],
    [{ type: 'object', minProperties: 1 }, { a: 1 }, {}],
    [{ type: 'object', maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }],
    [{ type: 'array', items: { type: 'string' } }, ['x'], [1]],
    [{ type: 'array', items: {}, minItems: 2 }, [1, 2], [1]],
    [{ type: 'array', items: {}, maxItems: 1 }, [1], [1, 2]],
    [{ type: 'array', items: {}, uniqueItems: true }, [1, 2], [1, 1]],
    [{ type: 'array', prefixItems: [{ type: 'string' }] }, ['x'], [1]],
    [{ type: 'array', contains: { type: 'string' } }, ['x'], [1]],
    [{ type: 'string', minLength: 2 }, 'aa', 'a'],
    [{ type: 'string', maxLength: 1 }, 'a', 'aa'],
    [{ type: 'string', pattern: '^a' }, 'ab', 'b'],
    [{ type: 'string', format: 'date' }, '2020-01-01', 'b'],
    [{ type: 'number', minimum: 2 }, 2, 1],
    [{ type: 'number', maximum: 2 }, 2, 3],
    [{ type: 'number', exclusiveMinimum: 2 }, 3, 2],
    [{ type: 'number', exclusiveMaximum: 2 }, 1, 2],
    [{ type: 'integer', multipleOf: 2 }, 4, 3],
    [{ type: 'boolean' }, true, 1],
    [{ type: ['string', 'null'] }, null, 1],
    [{ enum: ['a', 1] }, 1, 'b'],
    [{ type: 'string', enum: ['a'] }, 'a', 'b'],
    [{ const: 3 }, 3, 4],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 1, true],
    [
      {
        oneOf: [
          { type: 'number', minimum: 0 },
          { type: 'number', maximum: 10 },
        ],
      },
      11,
      5,
    ],
    [
      {
        allOf: [
          { type: 'number', minimum: 0 },
          { type: 'number', maximum: 10 },
        ],
      },
      5,
      11,
    ],
    [
      { $defs: { s: { type: 'string' } }, type: 'object', properties: { a: { $ref: '#/$defs/s' } } },
      { a: 'x' },
      { a: 1 },
    ],
  ])('accepts %j, and checks all of it', (schema, good, bad) => {
    expect(schemaProblem(schema)).toBeUndefined();
    const made = z.fromJSONSchema(schema);
    expect([made.safeParse(good).success, made.safeParse(bad).success]).toEqual([true, false]);
  });

  it.each<readonly [Schema, string]>([
    [{ type: 'object', properties: { a: {} }, required: ['b'] }, '"required" names "b", which is not in "properties"'],
    [{ properties: { a: {} } }, '"properties" needs "type: object" next to it'],
    [{ minimum: 1 }, '"minimum" needs "type: number" next to it'],
    [{ type: 'array', minItems: 1 }, '"minItems" needs "items" next to it'],
    [{ type: 'string', enum: ['a'], minLength: 2 }, '"minLength" has no effect next to "enum"'],
    [{ type: 'object', propertys: {} }, '"propertys" is not known'],
    [{ not: {} }, '"not" is not known'],
    [
      { type: 'object', properties: { a: { type: 'array', items: { anyOf: [{}, { minLength: 1 }] } } } },
      '"minLength" needs "type: string" next to it (at /properties/a/items/anyOf/1)',
    ],
    [{ type: 'strange' }, 'Unsupported type: strange'],
    [
      { type: 'string', pattern: '(' },
      'cannot use the pattern ( as it is not a regular expression: Unterminated group',
    ],
    [{ $ref: '#/nowhere' }, 'Reference not found: #/nowhere'],
  ])('refuses %j', (schema, problem) => {
    expect(schemaProblem(schema)).toBe(problem);
  });
});
