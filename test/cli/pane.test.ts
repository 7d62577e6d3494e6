import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPane, type Pane, type PaneSize } from '../../src/cli/terminal/pane.ts';
import { createScreen, type ScreenModel } from './screen.ts';

interface Terminal {
  readonly screen: ScreenModel;
  readonly pane: Pane;
  /** The number of characters that were written. */
  readonly written: () => number;
  /** Draws lines. @returns The visible lines. */
  readonly draw: (...lines: readonly string[]) => readonly string[];
  readonly print: (text: string) => void;
  readonly resize: (size: PaneSize) => void;
}

function terminal(columns: number, rows: number, options: { readonly reflows?: boolean } = {}): Terminal {
  let size = { columns, rows };
  let written = 0;
  const screen = createScreen(size, options);
  const pane = createPane(
    (text) => {
      written += text.length;
      screen.write(text);
    },
    () => size,
    options.reflows === false ? { XTERM_VERSION: 'XTerm(1)' } : {},
  );
  return {
    screen,
    pane,
    written: () => written,
    draw(...lines) {
      pane.draw(lines.map((text) => ({ text, painted: `\u001B[36m${text}\u001B[39m` })));
      return screen.lines();
    },
    print(text) {
      pane.clear();
      screen.write(`${text}\n`);
    },
    resize(next) {
      size = next;
      screen.resize(next);
    },
  };
}

describe('a pane', () => {
  it.each([
    ['a line fewer before the same last lines', ['a', 'b', 'c', 'd'], ['a', 'c', 'd']],
    ['lines more before the same last line', ['a', 'd'], ['a', 'b', 'c', 'd']],
    ['fewer lines', ['a', 'b', 'c'], ['a']],
    ['other lines', ['a', 'bbbb', 'c'], ['x', 'b', 'z']],
    ['no lines', ['a', 'b'], []],
    ['a shorter line', ['aaaa', 'bbbb'], ['a', 'bbbb']],
  ])('shows %s', (_, before, after) => {
    const { draw, print, screen } = terminal(20, 10);
    print('above');
    draw(...before);
    expect(draw(...after)).toEqual(['above', ...after]);
    expect(screen.history()).toEqual([]);
  });

  it('writes nothing if nothing has changed, and little if little has', () => {
    const { draw, written } = terminal(80, 24);
    const lines = Array.from({ length: 20 }, (_, at) => `${at} ${'x'.repeat(70)}`);
    draw(...lines);
    const first = written();
    draw(...lines);
    expect(written()).toBe(first);
    draw(...lines.with(7, 'y'));
    expect(written() - first).toBeLessThan(80);
  });

  it('hides the cursor while it is open', () => {
    const { draw, pane, screen } = terminal(20, 5);
    pane.close();
    expect(screen.hasCursor).toBe(true);
    draw('a');
    pane.clear();
    expect(screen.hasCursor).toBe(false);
    draw('b');
    pane.close();
    expect(screen.hasCursor).toBe(true);
    expect(screen.lines()).toEqual([]);
    draw('c');
    expect(screen.hasCursor).toBe(false);
  });

  it.each([
    ['breaks lines', true],
    ['cuts lines off', false],
  ])('leaves nothing behind on a terminal that %s when it becomes narrower', (_, reflows) => {
    const { draw, print, resize, screen } = terminal(40, 20, { reflows });
    print('above');
    draw('wide '.repeat(7), '進捗'.repeat(9), '進'.repeat(19), 'short');
    resize({ columns: 9, rows: 20 });
    expect(draw('new', 'lines')).toEqual(['above', 'new', 'lines']);
    resize({ columns: 40, rows: 20 });
    expect(draw('wide '.repeat(7).trimEnd(), 'again')).toEqual(['above', 'wide '.repeat(7).trimEnd(), 'again']);
    expect(screen.history()).toEqual([]);
  });

  it('keeps its lines whole on a terminal that becomes lower', () => {
    const { draw, print, resize } = terminal(20, 10);
    print('above');
    draw('a', 'b', 'c', 'd', 'e', 'f');
    resize({ columns: 20, rows: 5 });
    expect(draw('a', 'x', 'c')).toEqual(['a', 'x', 'c']);
  });

  it.each([
    ['on a terminal of any size', { rows: fc.integer({ min: 2, max: 15 }), widths: fc.constant(0) }],
    // The terminal is so high that no line leaves it at the top, where it could not be erased. 14 lines of 62
    // characters, broken at 4, are 224 rows.
    ['on a terminal whose width changes', { rows: fc.constant(300), widths: fc.integer({ min: 1, max: 60 }) }],
  ])('shows its last lines below all that was printed, %s', (_, { rows, widths }) => {
    const drawn = fc.array(fc.nat({ max: 100 }), { maxLength: 14 });
    const step = fc.oneof(drawn, drawn, drawn, fc.constantFrom('one', 'two'), widths);
    fc.assert(
      fc.property(rows, fc.integer({ min: 4, max: 60 }), fc.array(step, { maxLength: 40 }), (height, width, steps) => {
        let columns = width;
        const { draw, print, resize, screen } = terminal(columns, height);
        const printed: string[] = [];
        let last: readonly number[] = [];
        for (const [at, one] of steps.entries()) {
          if (typeof one === 'string') {
            print(one);
            printed.push(one);
          } else if (typeof one === 'number') {
            columns = 3 + (one || columns - 3);
            resize({ columns, rows: height });
          } else last = one;
          // Some lines change, and some do not.
          const lines = last.map((size) => `:${'x'.repeat(size % 5 === 0 ? at : size)}`.slice(0, columns - 1));
          draw(...lines.slice(0, height - 1));
          expect([...screen.history(), ...screen.lines()]).toEqual([...printed, ...lines.slice(0, height - 1)]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
