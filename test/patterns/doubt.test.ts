/** Patterns of users in YAML: what is accepted is linear, by a prover that shares no code with ours. */
import { RegExpParser } from '@eslint-community/regexpp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overlap, charsOf } from '../../src/cli/load/patterns/char-sets.ts';
import { patternDoubt } from '../../src/cli/load/patterns/pattern-doubt.ts';
import { pipelineOf } from '../../src/cli/load/yaml/load.ts';
import { doubtOf } from './linear.ts';

/** True if `failures` may have this pattern. */
const isFailures = (source: string) => patternDoubt(source, { everywhere: true }) === undefined;
/** True if a JSON Schema may have this pattern. */
const isSchemas = (source: string) => patternDoubt(source, { everywhere: false }) === undefined;

const LINES = [
  '^FAIL (.+)$',
  'FAIL (.+)',
  '✗ (.+)$',
  '^not ok \\d+ - (.+)$',
  '^[ \\t]+\\d+\\) (.+)$',
  'error TS\\d+: (.*)$',
  '^\\w+:\\d+:\\d+: error: (.+)$',
  '--- FAIL: (\\S+)',
  '^(.+) failed$',
  '●\\s+(.+)$',
];
const WHOLE = [
  '^[a-z]+$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[0-9a-f]{40}$',
  '^[A-Z][a-z]*( [A-Z][a-z]*)*$',
  '^[^@\\s]+@[^@\\s.]+(?:\\.[^@\\s.]+)+$',
  '^(?:ab?c?)+$',
];
const REFUSED = [
  '(a+)+$',
  '^(a|a)*b',
  '^(?:a|b|ab)*c',
  '^(a?b?)*$',
  '^(?:a*)*$',
  '[a-z]+$',
  '(.+) failed',
  '^\\s+x|y',
  '.*.*x',
  '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
  '(?:a|a){50}b',
  'a?a?a?a?a?a?a?a?a?a?aaaaaaaaaa',
  '^(?=.*\\d).+$',
  '(.)\\1',
];

/** A small pattern, of all that repeats, chooses and anchors. */
const patterns = fc.letrec<{ all: string; one: string }>((tie) => ({
  one: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\s', '\\w', '\\n') },
    tie('all').map((inner) => `(?:${inner})`),
    tie('all').map((inner) => `(${inner})`),
  ),
  all: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('one'),
    fc.tuple(tie('one'), fc.constantFrom('*', '+', '?', '*?', '{2}', '{0,3}', '{1,20}')).map((two) => two.join('')),
    fc.tuple(tie('all'), tie('all')).map((two) => two.join('')),
    fc.tuple(tie('all'), tie('all')).map((two) => `(?:${two.join('|')})`),
  ),
})).all;
const anchored = fc.tuple(fc.constantFrom('^', ''), patterns, fc.constantFrom('$', 'x', '')).map((all) => all.join(''));

const yaml = (check: string) => `name: p
phases:
  - name: a
    tasks: [{ name: t, command: [echo], output: json }]
    review: { checks: [${check}] }
`;

describe('patternDoubt()', () => {
  it.each(LINES)('accepts %s for failures', (source) => expect(isFailures(source)).toBe(true));
  it.each(WHOLE)('accepts %s in a schema', (source) => expect(isSchemas(source)).toBe(true));
  it.each(REFUSED)('refuses %s', (source) => expect(isFailures(source) || isSchemas(source)).toBe(false));

  it('takes a class of characters by property for any', () => {
    expect(isFailures('^(\\p{L}|a)*b$')).toBe(false);
    expect(isFailures('^\\p{L}+$')).toBe(true);
  });

  it('accepts only what is proven to be linear in another way', () => {
    let accepted = 0;
    fc.assert(
      fc.property(anchored, fc.boolean(), (source, everywhere) => {
        if (patternDoubt(source, { everywhere }) !== undefined) return;
        accepted += 1;
        // The flag g is left out: between matches, nothing is read twice if what precedes the last repetition is linear.
        expect([source, doubtOf(source, everywhere ? 'um' : '')]).toEqual([source, undefined]);
      }),
      { numRuns: 150 },
    );
    expect(accepted).toBeGreaterThan(20);
  }, 600_000);

  it('knows the characters of an element', () => {
    const elements = ['a', '.', '[ab]', '[^a]', '\\s', '\\S', '\\w', '\\W', '\\d', '\\D', '[^\\w\\s]', '[\\d-]'];
    const parser = new RegExpParser({ ecmaVersion: 2024 });
    for (const source of elements) {
      const [element] =
        parser.parsePattern(source, 0, source.length, { unicode: true }).alternatives[0]?.elements ?? [];
      if (!element || !('raw' in element) || !['Character', 'CharacterSet', 'CharacterClass'].includes(element.type))
        throw new Error(source);
      const set = charsOf(element as Parameters<typeof charsOf>[0]);
      const native = new RegExp(`^${source}$`, 'u');
      for (let code = 0; code <= 0xffff; code += 1) {
        const isIn = overlap(set, [[code, code]]);
        if (isIn !== native.test(String.fromCodePoint(code))) throw new Error(`${source}: ${code}`);
      }
    }
  });
});

describe('a pipeline file', () => {
  it.each([
    ['failures', '{ command: [npm, test], failures: "^(a+)+$" }', '^(a+)+$'],
    [
      'a schema',
      '{ use: matchesSchema, task: t, schema: { type: array, items: { type: string, pattern: "(x|x)*y" } } }',
      '(x|x)*y',
    ],
    [
      'names in a schema',
      '{ use: matchesSchema, task: t, schema: { type: object, patternProperties: { "(x|x)*y": { type: string } } } }',
      '(x|x)*y',
    ],
  ])('is refused with a slow pattern in %s, which the error shows', (_, check, pattern) => {
    expect(() => pipelineOf(yaml(check), 'p.yaml', '.')).toThrow(
      `cannot use the pattern ${pattern} as the`.slice(0, -4),
    );
    expect(() => pipelineOf(yaml(check), 'p.yaml', '.')).toThrow('begin it with ^, and let what follows a repetition');
  });

  it('is refused with what is no pattern', () => {
    const check = '{ command: [npm, test], failures: "(" }';
    expect(() => pipelineOf(yaml(check), 'p.yaml', '.')).toThrow('cannot use the pattern ( as it is not a regular');
  });

  const list = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  it.each([
    ['lists', `a: ${list(100)}`, '1:103'],
    ['many lists', `a: ${list(100_000)}`, ':'],
    ['lists without an end', `a: ${'['.repeat(100_000)}`, ':'],
    ['maps', Array.from({ length: 1300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'), ':'],
    ['itself', 'a: &a [*a]', ':'],
  ])('is refused if it is nested too deep, with %s', (_, source, place) => {
    const message = /p\.yaml:(?<at>\S+): lists and maps are nested more than 100 levels deep: flatten them/u;
    let thrown = '';
    try {
      pipelineOf(source, 'p.yaml', '.');
    } catch (error) {
      thrown = String(error);
    }
    expect(thrown).toContain('as it has 1 problem:');
    expect(message.exec(thrown)?.groups?.['at']).toContain(place);
  });

  it('may be nested less deep', () => {
    expect(() => pipelineOf(`a: ${list(99)}`, 'p.yaml', '.')).not.toThrow('nested');
  });
});
