/** Drafts of inputs: fields as JSON and back, without loss, and problems at their fields. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InputField } from '../../src/server/api.ts';
import { Refused } from '../../visualizations/dashboard/src/data/ask.ts';
import {
  emptyDraft,
  type InputDraft,
  readDraft,
  switched,
} from '../../visualizations/dashboard/src/start/input-draft.ts';
import { placed } from '../../visualizations/dashboard/src/start/input-problems.ts';

const FIELDS: readonly InputField[] = [
  { name: 'topic', kind: 'text', isRequired: true },
  { name: 'brief', kind: 'lines', isRequired: false },
  { name: 'share', kind: 'number', isRequired: false },
  { name: 'words', kind: 'integer', isRequired: false },
  { name: 'tone', kind: 'choice', choices: ['dry', '', 1, null, false], isRequired: false },
  { name: '__proto__', kind: 'json', isRequired: false },
];

function draftOf(...texts: readonly string[]): InputDraft {
  const empty = emptyDraft({ fields: FIELDS });
  return { ...empty, texts: empty.texts.map((text, at) => texts[at] ?? text) };
}

function rawOf(text: string): InputDraft {
  return { ...emptyDraft({ fields: FIELDS }), isRaw: true, typed: { as: 'json', text } };
}

describe('the input of fields', () => {
  it('has the texts as values, and no empty field', () => {
    const input = readDraft(draftOf(' a ', 'b\nc', ' 2.50', '1e3', '""', '[1]'), FIELDS);
    expect(JSON.stringify(input)).toBe(
      '{"input":{"topic":" a ","brief":"b\\nc","share":2.5,"words":1000,"tone":"","__proto__":[1]}}',
    );
    expect(readDraft(draftOf('a'), FIELDS)).toEqual({ input: { topic: 'a' } });
    expect(readDraft(draftOf('a', '', '', '', 'null'), FIELDS)).toEqual({ input: { topic: 'a', tone: null } });
  });

  it.each<[at: number, text: string, problem: string]>([
    [0, '', 'Enter a text.'],
    [2, '1,5', 'This is not a number'],
    [2, '0x10', 'This is not a number'],
    [2, '1e999', 'This is not a number'],
    [2, 'Infinity', 'This is not a number'],
    [2, '9'.repeat(100_000), 'This is not a number'],
    [3, '1.5', 'This is not a whole number'],
    [3, '9007199254740993', 'This is not a whole number'],
    [5, '{', 'This is not valid JSON'],
  ])('has a problem at field %i with "%s"', (at, text, problem) => {
    const draft = draftOf('a');
    const read = readDraft({ ...draft, texts: draft.texts.with(at, text) }, FIELDS);
    const problems = 'problems' in read ? read.problems : new Map<number, string>();
    expect([...problems.keys()]).toEqual([at]);
    expect(problems.get(at)).toContain(problem);
  });
});

describe('the way to write an input', () => {
  it('changes with the input, and back, without loss', () => {
    const value = fc.record(
      {
        topic: fc.string({ minLength: 1 }).filter((text) => !/[\r\n]/u.test(text)),
        brief: fc.string({ minLength: 1 }),
        share: fc.double({ noNaN: true, noDefaultInfinity: true }),
        words: fc.maxSafeInteger(),
        tone: fc.constantFrom('dry', '', 1, null, false),
      },
      { requiredKeys: ['topic'] },
    );
    fc.assert(
      fc.property(value, fc.option(fc.jsonValue(), { nil: undefined }), (record, json) => {
        const entries: (readonly [string, unknown])[] = Object.entries(record);
        if (json !== undefined) entries.push(['__proto__', json]);
        const given: unknown = Object.fromEntries(entries);
        const text = JSON.stringify(given);
        const fields = switched(rawOf(text), FIELDS, false);
        expect(fields?.isRaw).toBe(false);
        const inFields = readDraft(fields ?? rawOf('0'), FIELDS);
        expect(JSON.parse(JSON.stringify('input' in inFields ? inFields.input : 0))).toEqual(JSON.parse(text));
        const raw = switched(fields ?? rawOf('0'), FIELDS, true);
        expect(JSON.parse(raw?.typed.text ?? '')).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    '[]',
    'null',
    '"text"',
    '{"other":1}',
    '{"topic":""}',
    '{"topic":1}',
    '{"topic":"a\\nb"}',
    '{"words":1.5}',
    '{"tone":"loud"}',
    '{',
  ])('stays JSON for %s, which the fields cannot hold', (text) => {
    expect(switched(rawOf(text), FIELDS, false)).toBeUndefined();
  });

  it('stays fields while one has a text that is no value', () => {
    expect(switched(draftOf('a', '', 'many'), FIELDS, true)).toBeUndefined();
    expect(switched(draftOf(), FIELDS, true)?.typed.text).toBe('');
    expect(switched(rawOf(' '), FIELDS, false)?.texts).toEqual(FIELDS.map(() => ''));
  });
});

describe('the problems of the server', () => {
  const refusal = (...problems: readonly { path: readonly string[]; message: string }[]) =>
    new Refused({ error: { code: 'INPUT_INVALID', message: 'All of it', problems } });

  it('are at their fields, with the path inside, and the others by themselves', () => {
    const refused = refusal(
      { path: ['topic'], message: 'Too big' },
      { path: ['topic'], message: 'Not nice' },
      { path: ['__proto__', '0', 'a'], message: 'No' },
      { path: ['gone', 'x'], message: 'Unknown' },
      { path: [], message: 'Bad' },
    );
    expect(placed(refused, FIELDS)).toEqual({
      atFields: new Map([
        [0, 'Too big\nNot nice'],
        [5, '0.a: No'],
      ]),
      others: ['gone.x: Unknown', 'Bad'],
    });
  });

  it('are the whole message if none is at a field', () => {
    for (const fields of [FIELDS, []])
      expect(placed(refusal({ path: [], message: 'Bad' }), fields)).toEqual({
        atFields: new Map(),
        others: ['All of it'],
      });
  });
});
