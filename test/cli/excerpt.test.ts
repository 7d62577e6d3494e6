/** Excerpts of outputs: the first lines, and the true number of the others. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptLines, excerptOf } from '../../src/cli/show/excerpt.ts';
import { plain } from '../../src/cli/terminal/line.ts';
import { files, phasegate } from './cli.ts';

const LONG = `import { definePipeline, human, phase, task } from 'phasegate';
const numbers = Array.from({ length: 5000 }, (_, at) => String(at));
export default definePipeline({ name: 'p', phases: [phase('a', { review: human({ question: 'Good?' }), tasks: [
  task('text', { run: () => numbers.join('\\n') + '\\n' }),
  task('list', { run: () => numbers }),
] })] });
`;

const shown = (value: unknown) => excerptLines(value).map(plain);

describe('an excerpt', () => {
  it('counts all lines that it leaves out, in any text', () => {
    const part = fc.constantFrom('a', '\n', '\r', '\r\n', '\t', '\u2028', 'x'.repeat(450), '\n'.repeat(30), 'é😀');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const all = text.trimEnd().split(/\r\n|[\n\r]/u);
        const counts = excerptOf(text).map(({ lines }) => lines);
        expect(counts.reduce((sum, lines) => sum + lines, 0)).toBe(all.length);
        expect(counts.length).toBeLessThanOrEqual(11);
        // A line stands for several only if it says so.
        const last = shown(text).at(-1) ?? '';
        const left = counts.slice(0, 10).length < all.length ? all.length - 10 : 0;
        if (counts.length === 11) expect(last).toBe(`    … ${left} more line${left === 1 ? '' : 's'}`);
      }),
    );
  });

  it('of a text that is cut in its first lines has the number of lines that it has not begun', () => {
    expect(shown(`${'x'.repeat(5000)}\nsecond\nthird`)).toEqual([`    ${'x'.repeat(4000)}…`, '    … 2 more lines']);
    expect(shown('x'.repeat(5000))).toEqual([`    ${'x'.repeat(4000)}…`]);
    expect(shown(`first\n${'x'.repeat(5000)}`)).toEqual(['    first', `    ${'x'.repeat(3994)}…`]);
  });

  it('of a list has the number of its lines as JSON', () => {
    expect(shown(Array.from({ length: 149_799 }, (_, at) => at)).at(-1)).toBe('    … 149791 more lines');
  });

  it('is shown in the summary of a run, in the run, and to the person who judges', async () => {
    const cwd = await files({ 'p.mjs': LONG });
    const ran = await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    expect(ran).toMatchObject({ code: 3 });
    for (const command of [
      ['show', 'r1'],
      ['inbox', 'show', 'r1'],
    ]) {
      const { code, stdout } = await phasegate(command, { cwd });
      expect(code).toBe(0);
      expect(stdout.match(/… .*$/gmu)).toEqual([
        '… 4990 more lines: --json has all of them',
        '… 4992 more lines: --json has all of them',
      ]);
    }
    const { stdout } = await phasegate(['inbox', 'answer', 'r1', '--approve'], { cwd });
    expect(stdout).not.toBe('');
    const resumed = await phasegate(['resume', 'r1'], { cwd });
    expect(resumed.stdout.match(/… .*$/gmu)).toEqual(['… 4990 more lines', '… 4992 more lines']);
  });
});
