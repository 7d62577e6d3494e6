import { describe, expect, it } from 'vitest';
import { foldAttempts } from '../src/projections/run/attempts.ts';
import { foldAttemptNumbers } from '../src/projections/search/attempt-numbers.ts';
import type { RunEvent } from '../src/records.ts';
import { endsAttempt } from '../src/model/events/attempt-end.ts';
import { startPhaseHistory } from '../visualizations/dashboard/src/run/phase/phase-history.ts';
import { eventfulRun } from './dashboard/eventful.ts';
import { fake, play } from './rig.ts';

const at = { phase: 'a', generation: 0, attempt: 0 } as const;

describe('endsAttempt()', () => {
  it('is true for every end of an attempt, and false for events within it', async () => {
    const records = await eventfulRun();
    const ends = new Set(records.flatMap(({ event }) => (endsAttempt(event) ? [event.type] : [])));
    const others = new Set(records.flatMap(({ event }) => (endsAttempt(event) ? [] : [event.type])));
    expect([...ends].toSorted()).toEqual([
      'phase.approved',
      'phase.cancelled',
      'phase.escalated',
      'phase.failed',
      'phase.rejected',
      'phase.retrying',
      'phase.rewinding',
      'phase.skipped',
    ]);
    expect([...others].filter((type) => type.startsWith('phase.'))).toEqual(['phase.started']);
  });

  it.each<RunEvent>([
    { type: 'phase.skipped', phase: 'a', because: 'no need', who: 'ada' },
    { type: 'phase.invalidated', phase: 'a', generation: 1, because: 'b' },
  ])('has the same rule for the command line and the dashboard: $type', (last) => {
    const events: readonly RunEvent[] = [{ type: 'phase.started', ...at }, last];
    const attempts = foldAttempts();
    const history = startPhaseHistory('a');
    for (const [index, event] of events.entries()) {
      const record = { runId: 'r', seq: index + 1, time: index, event };
      attempts.apply(record);
      history.apply(record);
    }
    expect(
      attempts
        .attempts()
        .get('a')
        ?.map(({ end }) => end),
    ).toEqual([last.type]);
    expect(history.read().attempts.map(({ end }) => end?.event.type)).toEqual([last.type]);
  });
});

describe('foldAttempts()', () => {
  it('numbers all attempts of a phase, also if it started afresh, as the dashboard and a search do', async () => {
    const back = ['RETRY_PREDECESSOR a: other numbers', 'APPROVE'];
    const phases = [fake('a'), fake('b', { after: ['a'] }), fake('c', { after: ['a', 'b'], verdicts: back })];
    const fold = foldAttempts();
    const history = startPhaseHistory('b');
    const numbers = foldAttemptNumbers();
    const counted: (number | null)[] = [];
    for (const record of (await play(phases)).records) {
      fold.apply(record);
      history.apply(record);
      numbers.apply(record);
      if (record.event.type === 'phase.started' && record.event.phase === 'b') counted.push(numbers.of(record.event));
    }
    const own = fold.attempts().get('b') ?? [];
    expect(own.map(({ number, attempt, generation }) => [number, attempt, generation])).toEqual([
      [1, 0, 0],
      [2, 0, 1],
    ]);
    expect(counted).toEqual([1, 2]);
    expect(own.map(({ seq, number }) => [seq, number])).toEqual(
      history.read().attempts.map(({ seq, number }) => [seq, number]),
    );
  });
});
