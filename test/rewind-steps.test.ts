/** The number of steps of a rewind. */
import { describe, expect, it, vi } from 'vitest';
import { definePipeline, phase, task } from '../src/index.ts';
import {
  createRunState,
  phaseAt,
  type RunState,
  type CoordinatorPorts,
} from '../src/machines/coordinator/run-state.ts';
import { moveTo } from '../src/machines/coordinator/phase-state.ts';
import { commit, followUp } from '../src/machines/coordinator/rewind.ts';
import { readersOf } from '../src/model/ledger/ledger.ts';
import { ask, createView } from '../src/model/ledger/input-view.ts';

const PORTS: CoordinatorPorts = {
  spawn: () => ({ start: () => undefined, send: () => undefined }),
  publish: () => undefined,
  later: () => undefined,
  atRest: (job: () => void) => job(),
  settle: () => undefined,
};

function chainOf(count: number): RunState {
  const { plan } = definePipeline({
    name: 'chain',
    phases: Array.from({ length: count }, (_, at) =>
      phase(`p${at}`, { after: at === 0 ? [] : [`p${at - 1}`], tasks: [task('t', { run: () => at })] }),
    ),
  });
  return createRunState({ run: 'r', plan }, PORTS);
}

/** Commits every phase in order. @returns The number of phases that were examined. */
function commitAll(state: RunState, value: number): number {
  const looks = vi.spyOn(state.phases, 'get');
  const scans = vi.spyOn(state.phases, 'values');
  for (let at = 0; at < state.plan.phases.length; at += 1) {
    const entry = phaseAt(state, at);
    if (entry.lifecycle === 'approved') moveTo(entry, 'pending');
    moveTo(entry, 'working');
    entry.view = createView(state.ledger, at);
    followUp(state, entry, commit(state, entry, { t: value }));
  }
  const steps = looks.mock.calls.length + scans.mock.calls.length * state.plan.phases.length;
  vi.restoreAllMocks();
  return steps;
}

describe('a rewind over a long chain', () => {
  it('takes a constant number of steps for each phase, however long the chain is', () => {
    const stepsPerPhase = [100, 1000].map((count) => {
      const state = chainOf(count);
      commitAll(state, 1);
      return Math.ceil(commitAll(state, 2) / count);
    });
    expect(stepsPerPhase[1]).toBe(stepsPerPhase[0]);
    expect(stepsPerPhase[1]).toBeLessThan(10);
  });

  it('finds the requesters of a phase further up, in definition order', () => {
    const { ledger } = chainOf(5);
    ask(createView(ledger, 4), 'p0');
    ask(createView(ledger, 3), 'p0');
    ask(createView(ledger, 1), 'p0');
    expect(readersOf(ledger, 0)).toEqual([1, 3, 4]);
    expect(readersOf(ledger, 1)).toEqual([2]);
  });
});
