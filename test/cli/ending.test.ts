/** The final output on a terminal: the tree and the summary fit into one window. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRunForTree } from '../../src/cli/live-tree/run-fold.ts';
import { endingLines } from '../../src/cli/live-tree/final-screen.ts';
import { plain, span, type Line } from '../../src/cli/terminal/line.ts';
import { rowsOf } from '../../src/cli/terminal/text.ts';
import type { Size } from '../../src/cli/live-tree/tree.ts';
import { approve, definePipeline, phase, reject, retry, startRun, task } from '../../src/index.ts';

const REST = 'phasegate show r1';

//  base ──▶ p1 … ; every 7th is sent back once. If `isBad`: p150 is rejected in three lines, and s1 … s4 come after it
async function ended(isBad: boolean, output: unknown = 'text') {
  const phases = Array.from({ length: 300 }, (_, index) => {
    const tasks = [task('work', { run: () => output })] as const;
    const after = index === 0 ? [] : ['p0'];
    const review =
      isBad && index === 150
        ? () => reject('No use.\nSecond.\nThird.')
        : index % 7 === 0
          ? ({ attempt }: { readonly attempt: number }) => (attempt > 0 ? approve() : retry('more'))
          : undefined;
    return phase(`p${index}`, { after, tasks, ...(review ? { review } : {}) });
  });
  const skipped = isBad
    ? ['s1', 's2', 's3', 's4'].map((name) => phase(name, { after: ['p150'], tasks: [task('work', { run: () => 1 })] }))
    : [];
  const state = foldRunForTree();
  const run = startRun(definePipeline({ name: 'many', phases: [...phases, ...skipped] }), { runId: 'r1' });
  run.events$.subscribe((record) => state.apply({ ...record, time: record.seq * 100 }));
  const result = await run.result;
  return {
    state,
    result: { ...result, metrics: { ...result.metrics, durationMs: 1000, elapsedMs: 1000 } },
    rest: REST,
  };
}

const NOTES: readonly Line[] = [[span('  stored in runs.db')], [span('  go on with: phasegate retry r1')]];

const size = { columns: 80, rows: 23 };

function height(lines: readonly Line[], { columns }: Size): number {
  return lines.reduce((sum, line) => sum + rowsOf(plain(line), columns), 0);
}

/** Returns the text of lines, without the times of phases. */
function text(lines: readonly Line[]): string {
  const untimed = lines.map((line) => plain(line).replace(/ {2}(?:\d+m )?[\d.]+s$/u, ''));
  return `\n${untimed.join('\n')}\n`;
}

describe('endingLines()', () => {
  it('lists failures, their reasons and skipped phases of an unsuccessful run, and counts outputs', async () => {
    const lines = endingLines({ ...(await ended(true)), notes: NOTES }, size, 1e6);
    expect(height(lines, size)).toBeLessThanOrEqual(size.rows);
    expect(text(lines)).toMatchInlineSnapshot(`
      "
      many  ✓ 299  ✗ 1  – 4
      ✓ p0    1 task  2 attempts
      ✓ p7    1 task  2 attempts
      ✓ p14   1 task  2 attempts
      ✓ p21   1 task  2 attempts
      ✓ p28   1 task  2 attempts
      ✓ p35   1 task  2 attempts
      ✓ p42   1 task  2 attempts
      ✗ p150  rejected: No use. Second. Third.
      – s1    skipped: p150
      – s2    skipped: p150
      – s3    skipped: p150
      – s4    skipped: p150
      … 292 approved
      ✗ rejected in 1.0s: 299 of 304 phases approved, 343 attempts, 43 corrections  run r1
        p150 rejected
          No use.
          Second.
          Third.
        … outputs of 298 phases: phasegate show r1
        stored in runs.db
        go on with: phasegate retry r1
      "
    `);
  });

  it('lists the first outputs of a completed run, and counts the others', async () => {
    const lines = endingLines({ ...(await ended(false)), notes: NOTES.slice(0, 1) }, size, 1e6);
    expect(height(lines, size)).toBeLessThanOrEqual(size.rows);
    expect(text(lines.slice(-17))).toMatchInlineSnapshot(`
      "
      ✓ p28  1 task  2 attempts
      … 295 approved
      ✓ completed in 1.0s: 300 of 300 phases approved, 343 attempts, 43 corrections  run r1
        p1 / work
          text
        p2 / work
          text
        p3 / work
          text
        p4 / work
          text
        p5 / work
          text
        p6 / work
          text
        … outputs of 293 more phases: phasegate show r1
        stored in runs.db
      "
    `);
  });

  it('cuts the first output if it is too long, and says so', async () => {
    const { state, result } = await ended(false, 'a\nb\nc\nd\ne\nf\ng\nh');
    const lines = endingLines({ state, result, rest: REST, notes: [] }, { columns: 80, rows: 10 }, 1e6);
    expect(text(lines.slice(-6))).toMatchInlineSnapshot(`
      "
      ✓ completed in 1.0s: 300 of 300 phases approved, 343 attempts, 43 corrections  run r1
        p1 / work
          a
          b
        … 6 more lines: phasegate show r1
        … outputs of 298 more phases: phasegate show r1
      "
    `);
  });

  it('counts all lines of a first output that is too long, also those that no summary shows', async () => {
    const { state, result } = await ended(false, '1\n'.repeat(5000));
    const lines = endingLines({ state, result, rest: REST, notes: [] }, { columns: 80, rows: 10 }, 1e6);
    expect(lines.map(plain).slice(-4)).toEqual([
      '    1',
      '    1',
      '  … 4998 more lines: phasegate show r1',
      '  … outputs of 298 more phases: phasegate show r1',
    ]);
  });

  it('limits the pending questions, and keeps the commands to continue', async () => {
    const asked = Array.from({ length: 40 }, (_, at): Line => [span(`  q${at} waits`)]);
    const lines = endingLines({ ...(await ended(true)), notes: [...asked, ...NOTES] }, size, 1e6);
    expect(height(lines, size)).toBeLessThanOrEqual(size.rows);
    expect(text(lines.slice(-4))).toMatchInlineSnapshot(`
      "
        q7 waits
        … 32 more lines: phasegate inbox
        stored in runs.db
        go on with: phasegate retry r1
      "
    `);
  });

  it('shows everything if there is room', async () => {
    const lines = endingLines({ ...(await ended(false)), notes: [] }, { columns: 80, rows: 400 }, 1e6);
    expect(lines.map(plain)).toContain('  … outputs of 289 more phases: --json has all of them');
    expect(lines.length).toBe(301 + 1 + 20 + 1);
  });

  it('is never longer than the window', async () => {
    const good = await ended(false, '日本語\n'.repeat(30));
    const bad = await ended(true, 'x'.repeat(3000));
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.integer({ min: 60, max: 200 }),
        fc.integer({ min: 8, max: 60 }),
        (isBad, columns, rows) => {
          const lines = endingLines({ ...(isBad ? bad : good), notes: NOTES }, { columns, rows }, 1e6);
          expect(height(lines, { columns, rows })).toBeLessThanOrEqual(rows);
          if (isBad) expect(text(lines)).toContain('p150 rejected');
        },
      ),
      { numRuns: 30 },
    );
  });
});
