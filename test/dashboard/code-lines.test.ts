import { createLowlight } from 'lowlight';
import python from 'highlight.js/lib/languages/python';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../../visualizations/dashboard/src/parts/code/code-lines.ts';

const lowlight = createLowlight({ python });

describe('linesOf()', () => {
  it('splits tokens at line breaks, and keeps every character', () => {
    const code = 'def wings(n):  # all\n    """One\n\n    two."""\n    return n * 4.5\n';
    const lines = linesOf(lowlight.highlight('python', code).children);
    expect(lines.map((tokens) => tokens.map(({ text }) => text).join('')).join('\n')).toBe(code);
    const colored = lines.map((tokens) =>
      tokens.flatMap(({ kind, text }) => (kind === null ? [] : [`${kind} ${text}`])),
    );
    expect(colored).toEqual([
      ['keyword def', 'name wings', 'comment # all'],
      ['string """One'],
      [],
      ['string     two."""'],
      ['keyword return', 'number 4.5'],
      [],
    ]);
  });

  it('takes the innermost known class, and ignores what it does not know', () => {
    const text = (value: string) => ({ type: 'text', value }) as const;
    const element = (className: unknown, ...children: readonly unknown[]) =>
      ({ type: 'element', properties: { className }, children }) as const;
    const nodes = [
      element(['hljs-string'], text('a'), element(['hljs-subst'], text('b'), element(['hljs-number'], text('1')))),
      element(['constructor'], text('c'), 'no node', { type: 'comment' }),
      element('hljs-string', text('d')),
    ];
    expect(linesOf(nodes)).toEqual([
      [
        { kind: 'string', text: 'a' },
        { kind: 'string', text: 'b' },
        { kind: 'number', text: '1' },
        { kind: null, text: 'c' },
        { kind: null, text: 'd' },
      ],
    ]);
  });
});
