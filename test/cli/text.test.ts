/** Text that is cut to the width of a terminal. */
import stringWidth from 'string-width';
import { describe, expect, it, vi } from 'vitest';
import { errorText, problemOf } from '../../src/cli/terminal/error-text.ts';
import { fit, plain, span } from '../../src/cli/terminal/line.ts';
import { cut, problemLine, reasonText } from '../../src/cli/terminal/text.ts';

vi.mock('string-width', async (original) => {
  const real = await original<typeof import('string-width')>();
  return { default: vi.fn(real.default) };
});

const FAMILY = '👨‍👩‍👧‍👦';

/** Counts the characters that are measured while code runs. */
function measured(code: () => void): number {
  const measure = vi.mocked(stringWidth);
  measure.mockClear();
  code();
  return measure.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
}

describe('reasonText()', () => {
  it.each([
    ['The limit of 700 for durationMs is spent', 'The limit of 0.7s for durationMs is spent'],
    ['The limit of 3 for corrections is spent', 'The limit of 3 for corrections is spent'],
    [
      'What is left of the limit of 90000 for deadlineMs is less than "t" of phase "a" may use: 60000',
      'What is left of the limit of 1m 30s for deadlineMs is less than "t" of phase "a" may use: 1m 00s',
    ],
  ])('writes the times of %j', (reason, text) => expect(reasonText(reason)).toBe(text));
});

describe('cut()', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['ab cd', 4, 'ab…'],
    ['漢字', 4, '漢字'],
    ['漢字漢', 4, '漢…'],
    ['漢字漢', 5, '漢字…'],
    ['漢', 1, '…'],
    ['abc', 0, ''],
    ['', 0, ''],
    [`${FAMILY}${FAMILY}`, 4, `${FAMILY}${FAMILY}`],
    [`${FAMILY}${FAMILY}a`, 4, `${FAMILY}…`],
    ['e\u0301e\u0301', 2, 'e\u0301e\u0301'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('of %j to %i columns is %j', (text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
  });

  it.each(['x', '漢', FAMILY, 'e\u0301', '\u0301'])('measures only what fits of a long text of %j', (one) => {
    const text = one.repeat(1_000_000 / one.length);
    expect(measured(() => cut(text, 80))).toBeLessThan(2000);
    expect(measured(() => fit([span('head '), span(text), span('tail')], 80))).toBeLessThan(2000);
    expect(stringWidth(cut(text, 80))).toBeLessThanOrEqual(80);
    expect(cut(text, 80)).not.toMatch(/\p{Cs}/u);
    expect(cut(text, 80).endsWith('…')).toBe(true);
  });
});

describe('problemLine()', () => {
  it.each([
    ['Cannot a as b\nDo c.\nDocs: docs/errors.md#X', 'Cannot a as b. Do c.'],
    ['Cannot a as b:\n  c: d\nDo e.\nDocs: docs/errors.md#X', 'Cannot a as b: c: d. Do e.'],
    ['Cannot a as b?\nDo c.\nDocs: docs/errors.md#X', 'Cannot a as b? Do c.'],
    ['Cannot a as b\nDocs: docs/errors.md#X', 'Cannot a as b'],
    ['Cannot a as b\nDocs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#X', 'Cannot a as b'],
    [
      'Cannot a as b\nDocs: https://example.com/docs/errors.md#X',
      'Cannot a as b Docs: https://example.com/docs/errors.md#X',
    ],
    ['Cite\ntwo sources', 'Cite two sources'],
  ])('of %j is %j', (message, line) => {
    expect(problemLine(message)).toBe(line);
  });

  it('has the text after an error before its documentation', () => {
    const message = 'Cannot a as b\nDo c.\nDocs: docs/errors.md#X';
    const info = { code: 'STORE_UNREADABLE', name: 'PhasegateError', message, cause: 'Error: d' };
    expect(problemLine(errorText(info))).toBe('Cannot a as b. Do c. (cause: Error: d)');
  });
});

describe('errorText()', () => {
  it('says a cause once', () => {
    const info = { code: 'TASK_FAILED', name: 'Error', cause: 'SyntaxError: Unexpected end of JSON input' };
    expect(errorText({ ...info, message: `Cannot read it: ${info.cause}` })).toBe(`Cannot read it: ${info.cause}`);
    expect(errorText({ ...info, message: 'Cannot read it' })).toBe(`Cannot read it (cause: ${info.cause})`);
  });
});

describe('errorText() of a cause with a reference to its documentation', () => {
  it('has only the outer one, and both codes', () => {
    const cause = 'PhasegateError: Cannot c as d\nDo e.\nDocs: docs/errors.md#STORE_FULL: Error: f';
    const message = 'Cannot a as b\nDocs: docs/errors.md#STORE_FAILED';
    expect(errorText({ code: 'STORE_FAILED', name: 'PhasegateError', message, cause })).toBe(
      'Cannot a as b (cause: PhasegateError: Cannot c as d\nDo e. (STORE_FULL): Error: f)\nDocs: docs/errors.md#STORE_FAILED',
    );
  });
});

describe('fit()', () => {
  it.each([
    [['ab', 'cd'], 4, 'abcd'],
    [['ab', 'cd'], 3, 'ab…'],
    [['ab', 'cd'], 2, 'ab'],
    [['ab', '', 'c'], 2, 'ab'],
    [['漢', '字'], 3, '漢…'],
  ])('of %j to %i columns is %j', (texts, columns, expected) => {
    expect(
      plain(
        fit(
          texts.map((text) => span(text)),
          columns,
        ),
      ),
    ).toBe(expected);
  });
});

describe('problemOf()', () => {
  it.each([
    ['Cannot a as b.\nDo c.\nDocs: docs/errors.md#PLAN_INVALID', 'Cannot a as b.'],
    [
      'Cannot a as it has 1 problem:\n  X: y. Do z.\nDocs: docs/errors.md#PLAN_INVALID',
      'Cannot a as it has 1 problem:\n  X: y. Do z.',
    ],
    ['broken\nin two lines', 'broken\nin two lines'],
  ])('leaves out the hint of %j, and no problem', (message, problem) => {
    expect(problemOf({ code: 'PLAN_INVALID', name: 'PhasegateError', message })).toBe(problem);
  });
});
