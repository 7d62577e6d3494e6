import { describe, expect, it } from 'vitest';
import { inOneLine, readable, startOf, textOf } from '../../visualizations/dashboard/src/parts/untrusted-text.ts';

describe('readable()', () => {
  it('makes controls, zero-width and direction marks visible, and keeps lines, tabs and emoji', () => {
    expect(readable('a\u202Eb\u2066c\u200Bd\u0000e\u001B[31mf\u2028g\uFEFF')).toBe(
      'a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+0000⟩e⟨U+001B⟩[31mf⟨U+2028⟩g⟨U+FEFF⟩',
    );
    expect(readable('one\r\ntwo\n\tthree 👩‍👩‍👧 é שלום')).toBe('one\ntwo\n\tthree 👩‍👩‍👧 é שלום');
  });
});

describe('combining marks on one character', () => {
  it('are counted from the fifth on, as they would cover other lines', () => {
    expect(readable(`a${'\u0301'.repeat(50)}b e\u0301\u0302\u0303\u0304`)).toBe(
      `a${'\u0301'.repeat(4)}⟨46 more marks⟩b e\u0301\u0302\u0303\u0304`,
    );
    expect(inOneLine(`a${'\u0301'.repeat(5)}`)).toBe(`a${'\u0301'.repeat(4)}⟨1 more mark⟩`);
    expect(readable('कि नी 1️⃣ שָׁלוֹם')).toBe('कि नी 1️⃣ שָׁלוֹם');
  });
});

describe('inOneLine()', () => {
  it('joins lines', () => {
    expect(inOneLine('  one\n\n two\u0007\t')).toBe('one two⟨U+0007⟩');
  });
});

describe('startOf()', () => {
  it('keeps a text that fits, and cuts others', () => {
    expect(startOf('four', 4)).toBe('four');
    expect(startOf('fives', 4)).toBe('five…');
    expect(startOf('two words', 4)).toBe('two…');
    expect(startOf('a\n b', 4)).toBe('a b');
  });

  it('splits no character', () => {
    expect(startOf('abc😀d', 4)).toBe('abc…');
  });

  it('marks the cut if the start is only space', () => {
    expect(startOf(`${' '.repeat(100)}word`, 4)).toBe('…');
  });

  it('takes no longer for a million characters', () => {
    expect(startOf('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(10)}…`);
  });
});

describe('textOf()', () => {
  it('keeps text, and formats all else as JSON', () => {
    expect([textOf('a\n'), textOf({ a: [1] }), textOf(null), textOf(undefined)]).toEqual([
      'a\n',
      '{\n  "a": [\n    1\n  ]\n}',
      'null',
      '',
    ]);
  });
});
