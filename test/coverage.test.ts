/** Coverage of a pipeline by the records of its runs. */
import { describe, expect, it } from 'vitest';
import { analyze } from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import { coverageOf } from '../src/testing.ts';
import { fake, play, type FakeOptions, type PlayOptions } from './rig.ts';

/** Plays runs of one definition, each with its own scripts. */
async function runsOf(
  scripts: readonly (readonly [FakeOptions, FakeOptions])[],
  options: PlayOptions = {},
): Promise<readonly (readonly RunRecord[])[]> {
  const runs: (readonly RunRecord[])[] = [];
  for (const [a, b] of scripts) {
    const phases = [fake('a', { verdicts: [], ...a }), fake('b', { after: ['a'], verdicts: [], ...b })];
    runs.push((await play(phases, options)).records);
  }
  return runs;
}

function planOf(records: readonly RunRecord[] = []) {
  const [first] = records;
  if (first?.event.type !== 'run.started') throw new Error('There is no first record.');
  return first.event.plan;
}

describe('coverage', () => {
  it('of no run misses everything that the plan asks for', async () => {
    const [run] = await runsOf([[{}, {}]]);
    const coverage = coverageOf(planOf(run), []);
    expect(coverage.missing).toEqual([
      'phase a: ran',
      'phase a: approved',
      'phase b: ran',
      'phase b: approved',
      'gate a: approve',
      'gate a: retry granted',
      'gate a: retry refused',
      'gate a: reject',
      'gate a: escalate',
      'gate a: unreadable verdict',
      'gate a: review error',
      'gate a: review again granted',
      'gate a: review again refused',
      'gate a: question answered',
      'gate b: approve',
      'gate b: retry granted',
      'gate b: retry refused',
      'gate b: retryPredecessor a granted',
      'gate b: retryPredecessor a refused',
      'gate b: reject',
      'gate b: escalate',
      'gate b: unreadable verdict',
      'gate b: review error',
      'gate b: review again granted',
      'gate b: review again refused',
      'gate b: question answered',
      'end: completed',
      'end: rejected',
      'end: failed',
      'end: cancelled',
    ]);
    expect(coverage).toMatchObject({ runs: 0, records: 0, shown: 0, asked: coverage.missing.length, percent: 0 });
    expect(analyze(planOf(run)).bounded).toBe(true);
  });

  it('counts each decision with its outcome', async () => {
    const runs = await runsOf([
      [{ verdicts: ['RETRY: one', 'RETRY: two', 'APPROVE'] }, { verdicts: ['RETRY_PREDECESSOR a: more'] }],
      [{ verdicts: ['RETRY: one', 'RETRY: two', 'RETRY: three'] }, {}],
      [{ verdicts: ['what', new Error('gone'), 'REJECT: no'] }, {}],
    ]);
    const { rows, ends, phases, rewinds } = coverageOf(planOf(runs[0]), runs);
    const shown = (list: readonly { readonly name: string; readonly times: number }[]) =>
      list.flatMap(({ name, times }) => (times > 0 ? `${name} ${times}` : []));
    expect(shown(rows)).toEqual([
      'gate a: approve 2',
      'gate a: retry granted 4',
      'gate a: retry refused 1',
      'gate a: reject 1',
      'gate a: unreadable verdict 1',
      'gate a: review error 1',
      'gate a: review again granted 2',
      'gate b: approve 1',
      'gate b: retryPredecessor a granted 1',
    ]);
    expect(shown(ends)).toEqual(['end: completed 1', 'end: rejected 2']);
    expect(shown(rewinds)).toEqual(['rewind b → a 1']);
    expect(shown(phases)).toEqual([
      'phase a: ran 8',
      'phase a: approved 2',
      'phase a: rejected 2',
      'phase b: ran 2',
      'phase b: approved 1',
      'phase b: skipped 2',
    ]);
  });

  it('reads each record once, in one pass', async () => {
    const [run = []] = await runsOf([[{ verdicts: ['RETRY: one'] }, {}]]);
    const { length: rest } = run;
    let read = 0;
    function* counted(runId: string): Generator<RunRecord, void, undefined> {
      for (const record of run) {
        read += 1;
        yield { ...record, runId };
      }
    }
    const many = Math.ceil(10_000 / rest);
    function* all() {
      for (let at = 0; at < many; at += 1) yield counted(`run-${at}`);
    }
    const coverage = coverageOf(planOf(run), all());
    expect(read).toBe(many * rest);
    expect(coverage).toMatchObject({ runs: many, records: read });
    expect(coverage.missing).toEqual(coverageOf(planOf(run), [run]).missing);
    expect(coverage.ends).toContainEqual({ name: 'end: completed', status: 'completed', times: many, asked: true });
  });

  it('refuses a run without its first record', async () => {
    const [run = []] = await runsOf([[{}, {}]]);
    const code = expect.objectContaining({ code: 'RECORDS_INCOMPLETE' }) as unknown;
    expect(() => coverageOf(planOf(run), [run.slice(1)])).toThrow(code);
  });

  it('is JSON, and a table as text', async () => {
    const [run = []] = await runsOf([[{ verdicts: ['RETRY: one'] }, { verdicts: ['RETRY_PREDECESSOR a: more'] }]]);
    const coverage = coverageOf(planOf(run), [run]);
    expect(JSON.parse(JSON.stringify(coverage))).toEqual(coverage);
    expect(String(coverage)).toMatchInlineSnapshot(`
      "Coverage of "rig": 30 %, 9 of 30; 1 run, 32 records

      phase  ran  approved  rejected  failed  skipped  cancelled
      a        3         2         ·       ·        ·          ·
      b        2         1         ·       ·        ·          ·

      gate  approve  retry  reject  escalate  unreadable  error  again  question
      a           2    1/✗       ✗         ✗           ✗      ✗    ✗/✗       ✗/·
      b           1    ✗/✗       ✗         ✗           ✗      ✗    ✗/✗       ✗/·

      send back  by gates  in all
      b → a           1/✗       1

      end        runs
      completed     1
      rejected      ✗
      failed        ✗
      cancelled     ✗
      exhausted     ·

      Not shown by any run:
        gate a: retry refused
        gate a: reject
        gate a: escalate
        gate a: unreadable verdict
        gate a: review error
        gate a: review again granted
        gate a: review again refused
        gate a: question answered
        gate b: retry granted
        gate b: retry refused
        gate b: retryPredecessor a refused
        gate b: reject
        gate b: escalate
        gate b: unreadable verdict
        gate b: review error
        gate b: review again granted
        gate b: review again refused
        gate b: question answered
        end: rejected
        end: failed
        end: cancelled"
    `);
  });
});
