/** Samples of schemas. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sample } from '../../src/testing.ts';

const leaves = fc.oneof(
  fc.constantFrom<z.ZodType>(
    z.string(),
    z.boolean(),
    z.null(),
    z.iso.date(),
    z.iso.datetime(),
    z.email(),
    z.url(),
    z.uuid(),
    z.enum(['a', 'b']),
    z.literal(7),
    z.any(),
  ),
  fc.tuple(fc.nat(30), fc.nat(30)).map(([a, b]) => z.string().min(Math.min(a, b)).max(Math.max(a, b))),
  fc.tuple(fc.integer(), fc.integer()).map(([a, b]) => z.int().min(Math.min(a, b)).max(Math.max(a, b))),
  fc.tuple(fc.nat(1000), fc.integer({ min: 1, max: 9 })).map(([a, step]) => z.int().gt(a).multipleOf(step)),
  fc.nat(1000).map((a) =>
    z
      .number()
      .gt(a)
      .lt(a + 1),
  ),
  fc.nat(1000).map((a) =>
    z
      .number()
      .negative()
      .min(-a - 1),
  ),
);

const schemas = fc.letrec<{ any: z.ZodType }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    leaves,
    fc.dictionary(fc.string({ minLength: 1 }), tie('any'), { maxKeys: 4 }).map((shape) => z.object(shape)),
    tie('any').map((one) => z.object({ must: one, may: one.optional() })),
    fc.tuple(tie('any'), fc.nat(3)).map(([one, least]) => z.array(one).min(least)),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => z.tuple([one, other])),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => z.union([one, other])),
    tie('any').map((one) => one.nullable()),
    tie('any').map((one) => z.record(z.string(), one)),
  ),
}));

describe('sample()', () => {
  it('makes values that the schema accepts, whatever their number', () => {
    fc.assert(
      fc.property(schemas.any, fc.integer({ min: 1, max: 100 }), (schema, nth) => {
        expect(schema.safeParse(sample(schema, nth)).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('makes other values for other numbers', () => {
    const schema = z.object({ title: z.string(), pages: z.int() });
    expect(sample(schema, 1)).not.toEqual(sample(schema, 2));
    expect(sample(undefined, 3)).toBe('sample 3');
  });

  it('ends for schemas that contain themselves', () => {
    interface Tree {
      readonly name: string;
      readonly branches: readonly Tree[];
    }
    const tree: z.ZodType<Tree> = z.lazy(() => z.object({ name: z.string(), branches: z.array(tree).max(1) }));
    const endless: z.ZodType = z.lazy(() => z.object({ next: endless }));
    expect(tree.safeParse(sample(tree)).success).toBe(true);
    expect(() => sample(endless)).toThrow('Cannot make a sample of a schema as the schema refuses');
  });

  it('says why a schema has none', () => {
    expect(() => sample(z.string().regex(/^v\d$/u))).toThrow('Script the values of this task or input yourself.');
    const plain = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } } as const;
    expect(() => sample(plain)).toThrow('it is no schema of zod, and has no JSON Schema');
  });
});
