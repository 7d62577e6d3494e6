import { describe, expect, it } from 'vitest';
import { requestChanges } from '../../src/index.ts';
import type { RunEvent } from '../../src/records.ts';
import { issueId } from '../../src/model/decision/issue.ts';
import { isRecordWanted, typesOf } from '../../visualizations/dashboard/src/run/records/record-filter.ts';
import { knownBefore, wordsOf } from '../../visualizations/dashboard/src/run/records/record-words.ts';
import { eventfulRun } from './eventful.ts';

const at = { phase: 'a', generation: 0, attempt: 1 } as const;

describe('wordsOf()', () => {
  it('describes a loop by its issues, as the review before does', () => {
    const issues = ['No login.', 'x'.repeat(200)].map((description) => ({ severity: 'high', description }) as const);
    const ids = issues.map((issue) => issueId(issue));
    const events: readonly RunEvent[] = [
      { type: 'review.decided', ...at, by: 'gate', verdict: requestChanges([...issues]), verdicts: {} },
      { type: 'review.decided', ...at, phase: 'b', by: 'gate', verdict: { type: 'approve' }, verdicts: {} },
      { type: 'loop.detected', ...at, kind: 'issue', issues: ids, rewinds: [] },
    ];
    const records = events.map((event, index) => ({ runId: 'r', seq: index + 1, time: 0, event }) as const);
    const [, , loop] = records;
    expect(loop && wordsOf(loop, knownBefore(records, loop, undefined))).toBe(
      `goes round in a loop: "No login.", "${'x'.repeat(120)}…" are open again, and nothing was corrected`,
    );
  });

  it('describes every record of a run', async () => {
    const records = await eventfulRun();
    const [start] = records;
    const plan = start?.event.type === 'run.started' ? start.event.plan : undefined;
    const told = (phase: string) =>
      records.flatMap((record) => {
        const { event } = record;
        const isOf = 'phase' in event && event.phase === phase;
        return isOf ? [wordsOf(record, knownBefore(records, record, plan))] : [];
      });
    expect(told('a')).toEqual([
      'started',
      'work started',
      'work done',
      'review',
      'verdict: retry: more',
      'retry 1/2: more',
      'started, attempt 2: more',
      'work started',
      'work done',
      'review',
      'verdict: approve',
      'approved',
      'started, attempt 3: other numbers',
      'work started',
      'work done',
      'review',
      'verdict: approve',
      'approved, version 2',
    ]);
    expect(told('c')).toEqual([
      'started',
      'work started',
      'work done',
      'review',
      'verdict: escalate: is it good?',
      'waits for a person: is it good?',
      'a person decided: approve',
      'approved',
    ]);
    expect(told('e')).toEqual(['started', 'work started', 'work failed: broken', 'failed: broken']);
    expect(records.flatMap((record) => ('phase' in record.event ? [] : [wordsOf(record)]))).toEqual([
      `run ${start?.runId} of "rig" started, 7 phases`,
      'run cancelled: enough',
    ]);
  });

  it('fits one short line, whatever a model wrote, without direction marks', () => {
    const event = { type: 'phase.rejected', ...at, reason: `a\n\u202Eb${'c'.repeat(1_000_000)}` } as const;
    const words = wordsOf({ runId: 'r', seq: 1, time: 0, event });
    expect(words.startsWith('rejected: a ⟨U+202E⟩bccc')).toBe(true);
    expect(words.endsWith('c…')).toBe(true);
    expect(words.length).toBeLessThan(330);
  });
});

describe('isRecordWanted()', () => {
  it('finds records by type and phase, and rewinds by both phases', async () => {
    const records = await eventfulRun();
    const found = (find: string, only: string) =>
      records.filter((record) => isRecordWanted(record, { find, only })).map(({ event }) => event.type);
    expect(found('', 'phase.rewinding')).toEqual(['phase.rewinding']);
    expect(found('A', 'phase.rewinding')).toEqual(['phase.rewinding']);
    expect(found('b', 'phase.rewinding')).toEqual(['phase.rewinding']);
    expect(found('c', 'phase.rewinding')).toEqual([]);
    expect(found('g', '')).toEqual(['phase.skipped']);
    expect(found('', '')).toHaveLength(records.length);
    expect(typesOf(records).reduce((sum, [, count]) => sum + count, 0)).toBe(records.length);
  });
});
