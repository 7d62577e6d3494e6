import { describe, expect, it } from 'vitest';
import { createRunHistory } from '../../visualizations/dashboard/src/data/run-history.ts';
import { viewportFor, wholeAgain } from '../../visualizations/dashboard/src/run/graph/graph-viewport.ts';
import { layoutForRun } from '../../visualizations/dashboard/src/run/graph/layout-request.ts';
import { isWay, neighbourOf, type Way } from '../../visualizations/dashboard/src/run/graph/neighbours.ts';
import { attemptText, createFaceMaker } from '../../visualizations/dashboard/src/run/graph/phase-face.ts';
import { isWanted, kindsOf, sorted, type PhaseRow } from '../../visualizations/dashboard/src/run/phase/phase-filter.ts';
import { definePipeline, memoryStore, phase, readRun, startRun, task } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { fake, play } from '../rig.ts';
import { eventfulRun } from './eventful.ts';

describe('viewportFor()', () => {
  const at = (x: number, y: number) => ({ name: `${x} ${y}`, x, y, width: 100, height: 40 });
  const viewport = { x: 0, y: 0, zoom: 1, width: 800, height: 600 };

  it.each([
    ['nothing, where nothing is looked for', [], viewport, null],
    ['where it looks, where all is seen', [at(100, 100), at(700, 500)], viewport, null],
    ['at one that is off the window', [at(5000, 90)], viewport, { x: 5000, y: 90, zoom: 1 }],
    ['at all of them, from further off', [at(5000, 0), at(6000, 0)], viewport, { x: 5500, y: 0, zoom: 752 / 1100 }],
    ['at the first, where all could not be read', [at(5000, 0), at(90_000, 0)], viewport, { x: 5000, y: 0, zoom: 1 }],
    ['where it looks, where the first is seen of many', [at(100, 100), at(90_000, 0)], viewport, null],
    ['closer, where names cannot be read', [at(100, 100)], { ...viewport, zoom: 0.1 }, { x: 100, y: 100, zoom: 0.6 }],
    ['where it looks, where there is no window', [at(5000, 0)], { ...viewport, width: 0 }, null],
  ])('chooses %s', (_, nodes, from, look) => {
    expect(viewportFor(nodes, from, 0.6)).toEqual(look);
  });
});

describe('wholeAgain()', () => {
  const at = (x: number) => ({ name: String(x), x, y: 100, width: 100, height: 40 });
  const nodes = [at(100), at(700)];
  const narrow = { x: 0, y: 0, zoom: 1, width: 600, height: 400 };

  it.each([
    ['all, from further off', nodes, narrow, 800, { x: 400, y: 100, zoom: 552 / 700 }],
    ['nothing new, if all is still in view', nodes, { ...narrow, width: 760 }, 800, null],
    ['nothing new, if somebody had moved the graph', nodes, { ...narrow, x: 300 }, 800, null],
    ['nothing new, if names could not be read', nodes, { ...narrow, width: 300 }, 800, null],
    ['nothing new at first, if there was no window', nodes, narrow, 0, null],
  ])('shows %s', (_, places, viewport, before, look) => {
    expect(wholeAgain(places, viewport, before, 0.6)).toEqual(look);
  });
});

describe('the progress of a phase', () => {
  it('is the latest of its attempt, and ends with its tasks', async () => {
    const tasks = [
      task('work', {
        run: ({ attempt, report }) => {
          if (attempt > 0) return;
          report({ progress: 0.5 });
          report({ progress: 'almost' });
        },
      }),
    ];
    const { records } = await play([fake('a', { tasks, verdicts: ['RETRY: Again.'] })]);
    const history = createRunHistory();
    const seen = records.map(({ seq, event }) => {
      const [face] = createFaceMaker().facesOf(history.at(records, seq));
      return [event.type, face?.progress] as const;
    });
    expect(seen.filter(([, progress]) => progress !== undefined && progress !== '')).toEqual([
      ['task.reported', '50%'],
      ['task.reported', 'almost'],
      ['task.completed', 'almost'],
    ]);
  });
});

describe('createFaceMaker()', () => {
  it('shows the status of each phase, and keeps equal faces identical', async () => {
    const records = await eventfulRun();
    const history = createRunHistory();
    const maker = createFaceMaker();
    const first = maker.facesOf(history.at(records, 1));
    expect(first.map(({ name, status, attempt }) => [name, status, attempt])).toEqual(
      ['a', 'b', 'c', 'd', 'g', 'e', 'f'].map((name) => [name, 'pending', '']),
    );
    const before = maker.facesOf(history.at(records, records.length - 2));
    const last = maker.facesOf(history.at(records, records.length));
    expect(last.map(({ name, status, attempt, generation }) => [name, status, attempt, generation])).toEqual([
      ['a', 'approved', 'attempt 3 of 5', 1],
      ['b', 'approved', 'attempt 2 of 4', 0],
      ['c', 'approved', 'attempt 1 of 3', 0],
      ['d', 'rejected', 'attempt 1 of 3', 0],
      ['g', 'skipped', '', 0],
      ['e', 'failed', 'attempt 1', 0],
      ['f', 'cancelled', 'attempt 1', 0],
    ]);
    expect(last[0]).toBe(before[0]);
    expect(maker.facesOf(history.at(records, records.length))).toBe(last);
  });

  it('marks phases that are stale, accepted without approval, or to run again', async () => {
    //  a ──▶ b    b ⇢ a, and c has read a
    //  └───▶ c
    const { records } = await play([
      fake('a', { outputs: [1, 2] }),
      fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: more', 'APPROVE'] }),
      fake('c', { after: ['a'], verdicts: ['RETRY: no', 'RETRY: no'], maxRetries: 1, onExhausted: 'accept' }),
    ]);
    const notes = notesAt(records, records.length);
    expect(notes).toEqual([[], [], ['stale', 'budget spent']]);
    const all = await play([
      fake('a', { outputs: [1, 2] }),
      fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: more', 'APPROVE'], invalidate: 'all' }),
      fake('c', { after: ['a'] }),
    ]);
    const invalidated = all.records.find(({ event }) => event.type === 'phase.invalidated')?.seq ?? 0;
    expect(notesAt(all.records, invalidated)[2]).toEqual(['must run again']);
  });

  it('counts attempts up to the maximum of the gate, and beyond it after a rewind', () => {
    const gate = (maxRetries: number | 'unlimited') => {
      const [made] = definePipeline({
        name: 'p',
        phases: [
          phase('a', {
            tasks: [task('t', { run: () => 1 })],
            review: { maxRetries, by: task('r', { run: () => 'APPROVE' }) },
          }),
        ],
      }).plan.phases;
      return { gate: made?.gate ?? null };
    };
    expect([1, 2, 3].map((number) => attemptText(gate(2), number, number - 1))).toEqual([
      'attempt 1 of 3',
      'attempt 2 of 3',
      'attempt 3 of 3',
    ]);
    // Another phase has sent it back, which restores its retries.
    expect(attemptText(gate(2), 3, 0)).toBe('attempt 3 of 5');
    expect([
      attemptText(gate(0), 1, 0),
      attemptText(gate('unlimited'), 5, 4),
      attemptText({ gate: null }, 1, 0),
    ]).toEqual(['attempt 1', 'attempt 5', 'attempt 1']);
  });
});

describe('a level of a fleet', () => {
  const level = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `${index + 1}`);
    const work = (name: string) => task(name, { description: `Do ${name}\n\nAll.`, run: () => name });
    return phase('phase-1', { tasks: ['base', ...names, 'integrate'].map(work) });
  };

  it('has its subtasks with their status', async () => {
    const store = memoryStore();
    await startRun(definePipeline({ name: 'p', phases: [level(2)] }), { store, runId: 'r' }).result;
    const records = await readRun(store, 'r');
    const history = createRunHistory();
    const maker = createFaceMaker();
    const subtasksAt = (seq: number) =>
      maker
        .facesOf(history.at(records, seq))[0]
        ?.subtasks.map(({ subtaskId, title, status }) => [subtaskId, title, status]);
    expect(subtasksAt(1)).toEqual([
      ['1', 'Do 1', 'pending'],
      ['2', 'Do 2', 'pending'],
    ]);
    expect(subtasksAt(records.length)).toEqual([
      ['1', 'Do 1', 'completed'],
      ['2', 'Do 2', 'completed'],
    ]);
  });

  it('is as high as its subtasks need, up to a limit', () => {
    const heightOf = (count: number) =>
      layoutForRun(definePipeline({ name: 'p', phases: [level(count)] }).plan).nodes[0]?.height ?? 0;
    expect(heightOf(2) - heightOf(1)).toBe(20);
    expect(heightOf(9) - heightOf(8)).toBe(20);
    expect(heightOf(200)).toBe(heightOf(9));
  });
});

describe('layoutForRun()', () => {
  it('keeps the position of every phase, whatever happens in the run', async () => {
    const records = await eventfulRun();
    const history = createRunHistory();
    const places = [1, 10, 25, records.length].map((seq) => {
      const { plan } = history.at(records, seq);
      return plan ? layoutForRun(plan).nodes : undefined;
    });
    expect(places[0]).toHaveLength(7);
    for (const one of places) expect(one).toEqual(places[0]);
  });
});

describe('neighbourOf()', () => {
  it('follows the edges, and moves up and down between phases of a column', () => {
    //  a ──▶ b ──▶ d
    //  └───▶ c ────┘
    const own = (name: string, after: readonly string[]) =>
      phase(name, { after, tasks: [task('t', { run: () => 1 })] });
    const { plan } = definePipeline({
      name: 'p',
      phases: [own('a', []), own('b', ['a']), own('c', ['a']), own('d', ['b', 'c'])],
    });
    const { nodes } = layoutForRun(plan);
    const from = (name: string, way: Way) => {
      const to = neighbourOf(plan, nodes, { from: nodes.findIndex((node) => node.name === name), way });
      return to === null ? null : (nodes[to]?.name ?? null);
    };
    const [upper, lower] = (nodes[1]?.y ?? 0) < (nodes[2]?.y ?? 0) ? ['b', 'c'] : ['c', 'b'];
    expect(from('a', 'ArrowLeft')).toBeNull();
    expect(['b', 'c']).toContain(from('a', 'ArrowRight'));
    expect(from('b', 'ArrowRight')).toBe('d');
    expect(from('c', 'ArrowLeft')).toBe('a');
    expect([from(upper ?? '', 'ArrowDown'), from(lower ?? '', 'ArrowUp')]).toEqual([lower, upper]);
    expect([from(upper ?? '', 'ArrowUp'), from('a', 'ArrowDown')]).toEqual([null, null]);
    expect([from('c', 'Home'), from('a', 'End')]).toEqual(['a', 'd']);
    expect(['ArrowRight', 'Enter', 'constructor'].map(isWay)).toEqual([true, false, false]);
  });
});

describe('lists of phases', () => {
  it('are filtered by name and status, with the most important first', async () => {
    const records = await eventfulRun();
    const { snapshot, ...moment } = createRunHistory().at(records, records.length);
    const faces = createFaceMaker().facesOf({ snapshot, ...moment });
    expect(kindsOf(faces)).toEqual([
      ['failed', 1],
      ['rejected', 1],
      ['approved', 3],
      ['skipped', 1],
      ['cancelled', 1],
    ]);
    const namesOf = (find: string, only: string) =>
      faces.filter((face) => isWanted(face, { find, only })).map(({ name }) => name);
    expect([namesOf('', ''), namesOf('A', ''), namesOf('', 'approved'), namesOf('d', 'approved')]).toEqual([
      ['a', 'b', 'c', 'd', 'g', 'e', 'f'],
      ['a'],
      ['a', 'b', 'c'],
      [],
    ]);
    const rows = faces.flatMap((face): PhaseRow[] => {
      const result = snapshot.phases[face.name];
      return result ? [{ face, result }] : [];
    });
    const order = (by: Parameters<typeof sorted>[1]) =>
      sorted(rows, by)
        .map(({ face }) => face.name)
        .join('');
    expect([order('what matters'), order('the plan'), order('name'), order('corrections')]).toEqual([
      'edabcgf',
      'abcdgef',
      'abcdefg',
      'abcdgef',
    ]);
  });
});

// --- internal ---

function notesAt(records: readonly RunRecord[], seq: number): readonly (readonly string[])[] {
  return createFaceMaker()
    .facesOf(createRunHistory().at(records, seq))
    .map(({ notes }) => notes);
}
