import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/records.ts';
import { phaseMachine } from '../../src/machines/phase/phase.machine.ts';
import { stateAfter } from '../../visualizations/dashboard/src/run/phase/phase-state.ts';
import { ANYWHERE, waysOf } from '../../visualizations/statechart/statechart-ways.ts';
import { statechartOf } from '../../visualizations/statechart/statechart.ts';
import { eventfulRun } from './eventful.ts';

describe('stateAfter()', () => {
  it('moves every phase along transitions of the machine, through all of its states', async () => {
    const records = await eventfulRun();
    const chart = statechartOf(phaseMachine);
    const ways = new Set(waysOf(chart).map(({ from, to }) => `${from} ${to}`));
    const initial = chart.states.find(({ isInitial }) => isInitial)?.name;
    const seen = new Set<string>();
    for (const phase of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      for (const [from, to] of stepsOf(records, phase)) {
        if (to !== null) seen.add(to);
        // A phase that starts again has a new machine.
        const isFirst = from === null || chart.states.find(({ name }) => name === from)?.type === 'final';
        const isWay = isFirst
          ? to === initial || to === null
          : ways.has(`${from} ${to}`) || ways.has(`${ANYWHERE} ${to}`);
        expect({ phase, from, to, isWay }).toEqual({ phase, from, to, isWay: true });
      }
    }
    expect([...seen].toSorted()).toEqual(chart.states.map(({ name }) => name).toSorted());
  });

  it('follows each phase', async () => {
    const records = await eventfulRun();
    const courseOf = (phase: string) => stepsOf(records, phase).map(([, to]) => to);
    const once = ['running', 'reviewing', 'deciding'];
    expect(courseOf('a')).toEqual([...once, 'retrying', ...once, 'approved', ...once, 'approved']);
    expect(courseOf('b')).toEqual([...once, 'rewinding', ...once, 'approved']);
    expect(courseOf('c')).toEqual([...once, 'escalated', 'deciding', 'approved']);
    expect(courseOf('d')).toEqual([...once, 'rejected']);
    expect(courseOf('e')).toEqual(['running', 'failed']);
    expect(courseOf('f')).toEqual(['running', 'cancelled']);
    expect(courseOf('g')).toEqual([]);
  });

  it('has no state for a phase that has to run again', () => {
    const invalidated = { type: 'phase.invalidated', phase: 'a', generation: 1, because: 'b' } as const;
    expect(stateAfter('approved', invalidated, 'a')).toBeNull();
    expect(stateAfter('approved', invalidated, 'b')).toBe('approved');
    expect(stateAfter('failed', { type: 'run.reopened' }, 'a')).toBeNull();
    expect(stateAfter('approved', { type: 'run.reopened' }, 'a')).toBe('approved');
    expect(stateAfter('escalated', { type: 'phase.skipped', phase: 'a', because: 'no' }, 'a')).toBe('cancelled');
    expect(stateAfter(null, { type: 'phase.skipped', phase: 'a', because: 'no' }, 'a')).toBeNull();
  });
});

// --- internal ---

/** Returns the transitions of a phase, as pairs of states. */
function stepsOf(records: readonly RunRecord[], phase: string): readonly (readonly [string | null, string | null])[] {
  const steps: (readonly [string | null, string | null])[] = [];
  let state: string | null = null;
  for (const { event } of records) {
    const next = stateAfter(state, event, phase);
    if (next !== state) steps.push([state, next]);
    state = next;
  }
  return steps;
}
