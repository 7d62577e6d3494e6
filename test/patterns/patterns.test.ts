import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { collectPatterns } from './collect.ts';
import { doubtOf } from './linear.ts';

const patterns = collectPatterns(fileURLToPath(new URL('../../', import.meta.url)), ['src', 'visualizations']);

/** Patterns without a literal source, by file, each with the reason why it is allowed. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/actors/command/command-check.ts':
    '`failures` of a check is a pattern of the author of the pipeline, who may run any program in its place; the output is bounded',
  'src/cli/load/yaml/build-check.ts': 'the `failures` of YAML, which `patternDoubt` has proven to be linear',
};

const fileOf = (at: string): string => at.replace(/:\d+$/u, '');

describe('patterns of the sources', () => {
  it.each(patterns.flatMap(({ at, source, flags }) => (source === undefined ? [] : [[at, source, flags] as const])))(
    '%s /%s/%s takes time in proportion to the text',
    (_, source, flags) => {
      expect(doubtOf(source, flags)).toBeUndefined();
    },
    300_000,
  );

  it('every pattern is in the sources, except these', () => {
    const unknown = patterns.filter(({ source }) => source === undefined).map(({ at }) => fileOf(at));
    expect(unknown).toStrictEqual(Object.keys(EXCEPTIONS));
  });

  it('literals, constructors and constants of other files are found', () => {
    const found = (file: string) => patterns.filter(({ at }) => fileOf(at) === file).map(({ source }) => source);
    expect(found('src/store/refusals.ts')).toContain(String.raw`\p{Surrogate}|\0`);
    expect(found('src/cli/terminal/strip-controls.ts')).toContain(
      String.raw`(?!\t)[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\uFEFF]`,
    );
    expect(found('visualizations/dashboard/src/route.ts')).toContain('^#');
  });
});

describe('doubtOf() refuses', () => {
  it.each([
    ['three repetitions of the same text', String.raw`^\s*${'```'}(?:json)?\s*\n([^]*?)\n\s*${'```'}\s*$`, 'u'],
    ['two of them around what may be absent', String.raw`^\W*(?:none)?\W*$`, 'u'],
    ['an end that is looked for from every place', String.raw`\beyJ[\w-]+\.[\w-]+\.`, 'gu'],
    ['alternatives that read the same', '^(?:a|a)*b', 'u'],
    ['a match that reads past its end, again and again', 'x(?:[^y]*y)?', 'gu'],
    ['a look ahead without an end', String.raw`x(?=[^\n]*y)`, 'u'],
    ['the same in front of a look that fails', '^(?:a|a)*(?!b)', 'u'],
    ['a group again', String.raw`(.)\1*`, 'gu'],
  ])('%s', (_, source, flags) => {
    expect(doubtOf(source, flags)).toMatch(/time|cannot be judged|without an end|again and again/u);
  });
});
