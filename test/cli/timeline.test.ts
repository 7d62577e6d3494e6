/** The timeline of phases that `phasegate show --timeline` draws. */
import { describe, expect, it } from 'vitest';
import { foldRun, type RunRecord } from '../../src/records.ts';
import { plain } from '../../src/cli/terminal/line.ts';
import { widthOf } from '../../src/cli/terminal/text.ts';
import { timelineLines } from '../../src/cli/show/timeline-lines.ts';
import { foldTimeline } from '../../src/projections/timeline/timeline.ts';
import { fake, play, simulatedTime, type SimulatedTime } from '../rig.ts';
import { article, containing, ranTo } from './article.ts';
import { phasegate } from './cli.ts';

describe('timelineLines()', () => {
  it('draws a row for each phase, a scale, and a legend', async () => {
    expect(drawn(await told(), 60)).toMatchInlineSnapshot(`
      "            │0.0s           │5.8s           │12s        18s│
      ✓ research  ███████████                ↶████████
      ✓ draft               ██████▒▒▒██████▒▒─────────██████
      ✗ print                                              ███◌◌◌◌
      … 1 phase without any work

      █ work   ▒ review   ◌ waits for a person
      ─ waits to start again   ↶ is sent back
      draft sent back research"
    `);
  });

  it.each([20, 40, 80, 200])('takes no more than %d columns', async (columns) => {
    const records = await told();
    const lines = drawn(records, columns).split('\n');
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
    expect(lines.filter((line) => line.includes('█')).length).toBeGreaterThanOrEqual(3);
  });

  it('draws long waiting short, with its duration', async () => {
    const time = simulatedTime();
    const { records } = await play(
      [
        fake('a', { outputs: [lasting(time, 8000)], verdicts: ['ESCALATE: look'] }),
        fake('b', { after: ['a'], outputs: [lasting(time, 8000)] }),
      ],
      {
        time,
        when: {
          'a escalated (requested): look': async (run) => {
            await time.pass(12 * 3_600_000);
            await run.decide('a', 'APPROVE');
          },
        },
      },
    );
    expect(drawn(records, 60)).toMatchInlineSnapshot(`
      "     │0.0s           │5.2s           │12h 00m       12h 00m│
      ✓ a  ████████████████████████◌◌◌◌◌◌◌
      ✓ b                                █████████████████████████

      █ work   ▒ review   ◌ waits for a person
      12h 00m without work are drawn short, from 8.0s on"
    `);
  });

  it('draws work only while a process worked, and waiting for people until now', async () => {
    const time = simulatedTime();
    const { records } = await play(
      [fake('a', { verdicts: ['ESCALATE: look'] }), fake('b', { outputs: [lasting(time, 10_000)] })],
      {
        time,
        when: { 'b approved v1 (unreviewed)': (run) => run.cancel('enough') },
      },
    );
    const until = records.findIndex(({ event }) => event.type === 'phase.escalated') + 1;
    const left = records.slice(0, until);
    expect(rowsOf(drawn(left, 40, { now: 30_000, workedUntil: 10_000 }))).toEqual([
      '‖ a  ◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌◌',
      '● b  ███████████████████████████████',
    ]);
  });

  it('has rows for runs that took no time, and none for phases that have not started', async () => {
    const { records } = await play([fake('a', { verdicts: ['REJECT: no'] }), fake('b', { after: ['a'] })]);
    expect(drawn(records, 30)).toMatchInlineSnapshot(`
      "     │0.0s               0.0s│
      ✗ a  █
      … 1 phase without any work

      █ work   ▒ review"
    `);
    expect(drawn(records.slice(0, 1), 30)).toBe('… 2 phases without any work');
  });

  it('cuts names at the width of their column', async () => {
    const { records } = await play([fake('a\u202Eb red'), fake('日本語'.repeat(20))]);
    const [, ...rows] = drawn(records, 40).split('\n');
    expect(rows.slice(0, 2)).toEqual(['✓ a b red         █', '✓ 日本語日本語…   █']);
    expect(rows.join('')).not.toContain('\u202E');
  });

  it('draws thousands of phases', async () => {
    const { records } = await play(Array.from({ length: 2000 }, (_, index) => fake(`p${index}`)));
    expect(rowsOf(drawn(records, 120))).toHaveLength(2000);
  });
});

describe('phasegate show --timeline', () => {
  it('draws an ended run with the default width in a pipe', async () => {
    const cwd = await article('go');
    const run = await ranTo(cwd, 0);
    const { code, stdout, stderr } = await phasegate(['show', run, '--timeline'], { cwd });
    const lines = stdout.split('\n');
    expect(lines[0]).toBe(`run ${run} of "article"  completed`);
    expect(lines.filter((line) => /^✓ (?:research|draft   ) {2}/u.test(line))).toHaveLength(2);
    expect(lines).toContainEqual(containing('█ work'));
    expect(stdout).not.toContain('attempt 1');
    expect(Math.max(...lines.slice(3).map(widthOf))).toBeLessThanOrEqual(80);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('gives the bars as JSON', async () => {
    const cwd = await article('go');
    const run = await ranTo(cwd, 0);
    const { stdout } = await phasegate(['show', run, '--timeline', '--json'], { cwd });
    const { timeline, attempts } = JSON.parse(stdout) as { timeline: { bars: readonly object[] }; attempts: unknown };
    expect(timeline.bars).toMatchObject([
      { phase: 'research', kind: 'work', outcome: 'approved' },
      { phase: 'draft', kind: 'work', outcome: 'done' },
      { phase: 'draft', kind: 'review', outcome: 'approved' },
    ]);
    expect(attempts).toHaveLength(2);
    expect(JSON.parse((await phasegate(['show', run, '--json'], { cwd })).stdout)).not.toHaveProperty('timeline');
  });
});

// --- internal ---

/** Plays a run with two retries, a rewind, task retries, and a question to a person. @returns Its records. */
async function told(): Promise<readonly RunRecord[]> {
  //  research ──▶ draft ──▶ print      draft ⇢ research once
  const time = simulatedTime();
  const { records } = await play(
    [
      fake('research', { outputs: [lasting(time, 4000), lasting(time, 3000)] }),
      fake('draft', {
        after: ['research'],
        outputs: [lasting(time, 2000), lasting(time, 2000), lasting(time, 2000)],
        verdicts: [
          lasting(time, 1000, 'RETRY: more'),
          lasting(time, 1000, 'RETRY_PREDECESSOR research: numbers'),
          'APPROVE',
        ],
      }),
      fake('print', { after: ['draft'], outputs: [lasting(time, 1000)], verdicts: ['ESCALATE: look'] }),
      fake('archive', { after: ['print'] }),
    ],
    {
      time,
      when: {
        'print escalated (requested): look': async (run) => {
          await time.pass(1500);
          await run.decide('print', 'REJECT: no');
        },
      },
    },
  );
  return records;
}

function drawn(
  records: readonly RunRecord[],
  columns: number,
  until?: { readonly now: number; readonly workedUntil: number },
): string {
  const [view, fold] = [foldRun(), foldTimeline()];
  for (const record of records) {
    view.apply(record);
    fold.apply(record);
  }
  const start = records[0]?.event;
  if (start?.type !== 'run.started') throw new Error('The first record is another.');
  const last = records.at(-1)?.time ?? 0;
  const options = { plan: start.plan, snapshot: view.snapshot(), columns, now: last, workedUntil: last, ...until };
  return timelineLines(fold.timeline(), options).map(plain).join('\n');
}

function rowsOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => /^[✓●‖✗] /u.test(line));
}

function lasting({ clock }: SimulatedTime, ms: number, value: unknown = 'text'): () => Promise<unknown> {
  return () =>
    new Promise((resolve) => {
      clock.setTimeout(() => resolve(value), ms);
    });
}
