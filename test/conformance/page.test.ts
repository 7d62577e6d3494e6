import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { casesOf, FILES, KINDS, type Case } from './case.ts';

const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
const cases = FILES.flatMap(casesOf);

describe('docs/conformance.md', () => {
  it('has the right numbers of cases', () => {
    const counted = rowsOf(page.slice(0, page.indexOf('\n## '))).map(([, kind, ...counts]) => [kind, ...counts]);
    const kinds = KINDS.map((kind) => [`\`${kind}\``, ...countsOf(cases.filter((one) => one.kind === kind))]);
    expect(counted).toEqual([...kinds, ['', ...countsOf(cases)]]);
  });

  it.each([
    ['Deviating', 'deviating'],
    ['Not applicable', 'notApplicable'],
  ])('lists the right cases under "%s"', (heading, status) => {
    const [, section = ''] = page.split(`\n## ${heading}\n`);
    const listed = rowsOf(section.split('\n## ')[0] ?? '').flatMap(([numbers = '']) => numbersIn(numbers));
    expect(listed).toEqual(cases.filter((one) => one.status === status).map((one) => one.case));
  });
});

describe('phased execution', () => {
  const [, section = ''] = page.split('\n## Phased execution\n');
  const named = rowsOf(section).flatMap((cells) => [...(cells.at(-1) ?? '').matchAll(/`([\w-]+\/[\w-]+)`: ([^;]+)/gu)]);

  it('names every part, in order', () => {
    const parts = rowsOf(section).flatMap(([part = '']) => (part.startsWith('S4-') ? [part] : []));
    expect(parts).toEqual(Array.from({ length: 12 }, (_, index) => `S4-${index + 1}`));
    expect(named.length).toBeGreaterThan(35);
  });

  it.each(named.map(([, file = '', name = '']) => [file, name.trim()] as const))(
    '%s has the test "%s"',
    (file, name) => {
      const text = readFileSync(new URL(`../${file}.test.ts`, import.meta.url), 'utf8');
      expect(hasText(text, name)).toBe(true);
    },
  );
});

describe('the cases', () => {
  it('are numbered from 1 to 152, without gaps', () => {
    expect(cases.map((one) => one.case)).toEqual(Array.from({ length: 152 }, (_, index) => index + 1));
  });
});

// --- internal ---

function countsOf(some: readonly Case[]): readonly string[] {
  const counts = (['carried', 'deviating', 'notApplicable'] as const).map(
    (status) => some.filter((one) => one.status === status).length,
  );
  return [some.length, ...counts].map(String);
}

/** True if a source has a text that begins or ends with these words, as the name of a test does. */
function hasText(source: string, words: string): boolean {
  const parts = source.split(words);
  return parts.slice(1).some((after, index) => /['"`]$/u.test(parts[index] ?? '') || /^['"`,]/u.test(after));
}

/** Returns the cells of each row of a table, without its head. */
function rowsOf(table: string): readonly (readonly string[])[] {
  const rows = table.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Parses the numbers of a list such as `3, 7–9`. */
function numbersIn(list: string): readonly number[] {
  return list.split(',').flatMap((part) => {
    const [first = NaN, last = first] = part.split('–').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
