/** The fields of a form for an input: which schemas have some, of what kinds, and schemas that are made to do harm. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePipeline, phase, task } from '../../src/index.ts';
import { inputFieldsOf } from '../../src/server/input-fields.ts';
import { inputSchemaOf } from '../../src/server/input-schema.ts';
import { served } from './rig.ts';

/** Returns the fields of a schema of zod in short: the name, `!` if required, and the kind. */
function shortOf(schema: z.ZodType): readonly string[] | undefined {
  return inputFieldsOf(inputSchemaOf(schema))?.map(
    ({ name, kind, isRequired, choices }) =>
      `${name}${isRequired ? '!' : ''} ${kind}${choices ? ` ${JSON.stringify(choices)}` : ''}`,
  );
}

function schemaOf(properties: Readonly<Record<string, unknown>>, rest: object = {}): unknown {
  return { type: 'object', properties, ...rest };
}

describe('the fields of an input', () => {
  it('are one for each property, of its type', () => {
    const schema = z.strictObject({
      topic: z.string().max(80),
      brief: z.string(),
      email: z.email(),
      words: z.int().min(1),
      share: z.number().optional(),
      draft: z.boolean().default(false),
      tone: z.enum(['dry', 'warm']),
      level: z.literal([1, 2, null]),
      only: z.literal('yes').optional(),
      sources: z.array(z.string()).optional(),
      nested: z.object({ a: z.string() }),
      maybe: z.string().nullable(),
      any: z.unknown(),
    });
    expect(shortOf(schema)).toEqual([
      'topic! text',
      'brief! lines',
      'email! text',
      'words! integer',
      'share number',
      'draft choice [true,false]',
      'tone! choice ["dry","warm"]',
      'level! choice [1,2,null]',
      'only choice ["yes"]',
      'sources json',
      'nested! json',
      'maybe! json',
      'any! json',
    ]);
  });

  it('have the description, and the value of an empty field', () => {
    const schema = z.object({ words: z.int().default(300).describe('The length.'), other: z.string().describe(' ') });
    expect(inputFieldsOf(inputSchemaOf(schema))).toEqual([
      { name: 'words', kind: 'integer', isRequired: false, help: 'The length.', byDefault: '300' },
      { name: 'other', kind: 'lines', isRequired: true },
    ]);
  });

  it('follow references to definitions, a few of them', () => {
    const tone = z.enum(['dry']).meta({ id: 'Tone' });
    expect(shortOf(z.object({ a: tone, b: tone.optional() }))).toEqual(['a! choice ["dry"]', 'b choice ["dry"]']);
    const $defs = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } };
    expect(
      inputFieldsOf(schemaOf({ x: { $ref: '#/$defs/a' }, y: { $ref: 'https://example.org/' } }, { $defs })),
    ).toEqual(['x', 'y'].map((name) => ({ name, kind: 'json', isRequired: false })));
  });

  it.each<[name: string, schema: unknown]>([
    ['text', { type: 'string' }],
    ['a choice between objects', { ...Object(schemaOf({ a: { type: 'string' } })), anyOf: [] }],
    ['an object without properties', schemaOf({})],
    ['a required property that has no schema', schemaOf({ a: { type: 'string' } }, { required: ['b'] })],
    ['required names that are no list', schemaOf({ a: {} }, { required: 'a' })],
    ['too many properties', schemaOf(Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`p${at}`, {}])))],
    ['a name that is too long', schemaOf({ ['x'.repeat(201)]: {} })],
    ['properties that are a list', schemaOf({}, { properties: [{}] })],
    ['nothing', undefined],
    ['null', null],
  ])('are none for %s', (_name, schema) => {
    expect(inputFieldsOf(schema)).toBeUndefined();
  });

  it('are bounded, whatever the schema has', () => {
    const fields = inputFieldsOf(
      schemaOf({
        help: { type: 'string', description: 'x'.repeat(10_000), default: 'y'.repeat(10_000) },
        many: { enum: Array.from({ length: 101 }, (_, at) => at) },
        long: { enum: ['x'.repeat(201)] },
        object: { enum: [{}] },
        both: { type: 'string', not: { const: 'x' } },
        odd: 7,
        type: { type: ['string', 'null'] },
      }),
    );
    expect(fields?.map(({ kind }) => kind)).toEqual(['lines', 'json', 'json', 'json', 'json', 'json', 'json']);
    expect(fields?.[0]?.help).toBe(`${'x'.repeat(500)} [… 9500 characters left out]`);
    expect(fields?.[0]?.byDefault).toBe(`"${'y'.repeat(499)} [… 9502 characters left out]`);
  });

  it('may have the names of properties of every object', () => {
    const schema: unknown = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"integer"},"constructor":{"$ref":"#/$defs/toString"}},"required":["__proto__"]}',
    );
    expect(inputFieldsOf(schema)).toEqual([
      { name: '__proto__', kind: 'integer', isRequired: true },
      { name: 'constructor', kind: 'json', isRequired: false },
    ]);
    // A schema whose `type` is inherited says nothing.
    expect(inputFieldsOf(Object.create({ type: 'object', properties: { a: {} } }))).toBeUndefined();
  });
});

describe('the JSON Schema of an input', () => {
  /** A schema of another library, which returns this as its JSON Schema. */
  const standard = (json: () => unknown) => ({ '~standard': { jsonSchema: { input: json } } });
  const cycle: Record<string, unknown> = { type: 'object' };
  cycle['properties'] = cycle;
  let deep: object = {};
  for (let depth = 0; depth < 100_000; depth += 1) deep = { items: deep };

  it.each<[name: string, schema: object]>([
    ['is too long', z.object({ a: z.string().describe('x'.repeat(100_000)) })],
    ['has a cycle', standard(() => cycle)],
    ['is too deep', standard(() => deep)],
    ['has a number that is no JSON', standard(() => ({ a: 1n }))],
    ['is not there', standard(() => undefined)],
    [
      'cannot be made',
      standard(() => {
        throw new Error('no');
      }),
    ],
    ['is of no known kind', { '~standard': {} }],
  ])('is left out if it %s', (_name, schema) => {
    expect(inputSchemaOf(schema)).toBeUndefined();
  });

  it('is a copy as JSON', () => {
    const given = {
      type: 'object',
      toString: () => 'x',
      get properties() {
        return { a: { type: 'string' } };
      },
    };
    expect(inputSchemaOf(standard(() => given))).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
  });
});

describe('a refused input', () => {
  it('has its problems with their paths, a bounded number of them', async () => {
    const input = z.strictObject({ name: z.string().max(3), tags: z.array(z.int()) });
    const one = definePipeline({ name: 'one', input, phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
    const { post, get } = await served({ pipelines: [one] });
    expect((await get('/api/pipelines')).body).toMatchObject({
      pipelines: [
        {
          fields: [
            { name: 'name', kind: 'text' },
            { name: 'tags', kind: 'json' },
          ],
        },
      ],
    });
    const start = async (value: unknown) =>
      (await post('/api/runs', { pipeline: 'one', runId: 'r', input: value })).body;
    expect(await start({ name: 'Augusta', tags: [1, 'x'], other: 1 })).toMatchObject({
      error: {
        code: 'INPUT_INVALID',
        problems: [
          { path: ['name'], message: expect.stringContaining('Too big') as string },
          { path: ['tags', '1'], message: expect.stringContaining('Invalid input') as string },
          { path: [], message: expect.stringContaining('other') as string },
        ],
      },
    });
    const many = await start({ name: 'Ada', tags: Array.from({ length: 1000 }, () => 'x') });
    expect(Reflect.get(Object(Reflect.get(Object(many), 'error')), 'problems')).toHaveLength(100);
  });
});
