/** Recipients of issues, and their cost in budgets (rules 35 to 37). */
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  forkRun,
  needsRework,
  requestChanges,
  resumeRun,
  type Issue,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { EventOf, RunRecord } from '../src/records.ts';
import { fake, play, trace, type Fake, type FakeOptions } from './rig.ts';

function issue(id: string, affectedPhase?: string, more: Partial<Issue> = {}): Issue {
  return { id, severity: 'high', description: `${id} is wrong.`, ...(affectedPhase && { affectedPhase }), ...more };
}

//  data ──▶ model ──▶ report
//  text ─────────────▶┘
function branches(verdicts: readonly unknown[], options: FakeOptions = {}): readonly Fake[] {
  return [
    fake('data', { verdicts: [] }),
    fake('text', { verdicts: [] }),
    fake('model', { after: ['data'], verdicts: [] }),
    fake('report', { after: ['model', 'text'], rewindTo: 'ancestors', verdicts, ...options }),
  ];
}

describe('issues', () => {
  const all = Array.from({ length: 5000 }, (_, index) => issue(`i-${index}`));
  const found = 'issues: expected at most 100 issues, found 5000';

  it('are refused with their number if there are too many', async () => {
    expect(() => requestChanges(all)).toThrow(`Cannot request changes as ${found}\n`);
    expect(requestChanges(all.slice(0, 100))).toMatchObject({ type: 'retry' });
    const { records } = await play([fake('a', { verdicts: [{ type: 'retry', feedback: '', issues: all }] })]);
    const decided = records.map(({ event }) => event).find((one) => one.type === 'review.decided');
    expect(decided?.verdict).toMatchObject({ type: 'unavailable', error: { code: 'DECISION_INVALID' } });
    expect(JSON.stringify(decided?.verdict)).toContain(found);
  });
});

describe('an issue of another branch', () => {
  const both = requestChanges([issue('i-text', 'text'), issue('i-data', 'data')], 'Two defects.');

  it('sends that phase back, too, in the same rewind, and spends a rewind of it', async () => {
    const { lines, records, result } = await play(
      branches([both, both, both], { loopAfter: 'unlimited', onExhausted: 'accept' }),
      { concurrency: 1 },
    );
    expect(lines.slice(6, 16)).toEqual([
      'report started 0',
      'report rewinding data: Two defects. | - [high] i-data is wrong.',
      'model invalidated by data g1',
      'data started 1 g1: Two defects. | - [high] i-data is wrong.',
      'data approved v2',
      'text started 1 g1: - [high] i-text is wrong.',
      'text approved v2',
      'model started 0 g1',
      'model approved v2 from data@2',
      'report started 0',
    ]);
    expect(rewinds(records).map((one) => one.riders?.map(({ phase }) => phase))).toEqual([['text'], ['text']]);
    // Two rewinds of each were allowed. The third demand finds both budgets spent.
    expect(lines).toContain('report approved v1 (exhausted) from model@3 text@3');
    expect(result.metrics.corrections).toBe(4);
  });

  it('stays open if no rewind of that phase is left', async () => {
    const first = requestChanges([issue('i-text', 'text')]);
    const phases = branches([first, first, both, 'APPROVE'], { loopAfter: 'unlimited' });
    const { lines, records, result } = await play(phases);
    expect(rewinds(records).map((one) => [one.target, one.riders])).toEqual([
      ['text', undefined],
      ['text', undefined],
      ['data', undefined],
    ]);
    expect(lines.filter((one) => one.startsWith('text started'))).toHaveLength(3);
    expect(phases[3]?.reviews[3]?.findings.map(({ id }) => id)).toEqual(['i-text', 'i-data']);
    expect(result.metrics.corrections).toBe(3);
  });

  it('counts for limits.corrections: a rewind that exceeds it with its riders does not happen', async () => {
    expect(await trace(branches([both]), { limits: { corrections: 1 } })).toContain('limit corrections reached 0/1');
    expect(await trace(branches([both]), { limits: { corrections: 2 } })).toContain('run completed');
  });
});

describe('regate: false', () => {
  it('applies to phases that are sent back, and not to phases in between with an issue', async () => {
    const demand = requestChanges([issue('i-data', 'data'), issue('i-model', 'model'), issue('i-text', 'text')]);
    const lines = await trace(branches([demand], { regate: false }), { detail: ['reviews'] });
    const again = lines.slice(lines.findIndex((one) => one.includes('rewinding')));
    expect(again.filter((one) => one.includes('review asked'))).toEqual([
      'model review asked 1',
      'report review asked 1',
    ]);
    expect(again).toEqual(
      expect.arrayContaining([
        'data approved v2 (unreviewed)',
        'text approved v2 (unreviewed)',
        'model approved v2 from data@2',
      ]),
    );
  });
});

describe('an issue of a phase that may not be sent back', () => {
  const astray = requestChanges([issue('i-x', 'nobody'), issue('i-y', 'report'), issue('i-z', 'data')]);

  it('goes to the phase under review, with a warning', async () => {
    const phases = branches([astray], { rewindTo: ['model'] });
    const { lines } = await play(phases);
    expect(lines).toContain('report warned ISSUE_ASTRAY');
    expect(lines).toContain(
      'report retrying: - [high] i-x is wrong. | - [high] i-y is wrong. | - [high] i-z is wrong.',
    );
  });

  it("escalates if onInvalidTarget is 'escalate'", async () => {
    const phases = branches([astray], { rewindTo: ['model'], onInvalidTarget: 'escalate' });
    const error = await play(phases).catch((thrown: unknown) => String(thrown));
    expect(error).toMatch(/report escalated \(invalidTarget\)/u);
    expect(error).not.toMatch(/ISSUE_ASTRAY/u);
  });
});

describe('the same issue', () => {
  it('reaches a phase once, whoever reports it and however its phase is named', async () => {
    const phases = [
      fake('work', {
        reviewers: {
          one: [requestChanges([issue('i-x')], 'One.')],
          two: [requestChanges([issue('i-x', 'work'), issue('i-x', 'nobody')], 'Two.')],
        },
      }),
    ];
    expect(await trace(phases)).toContain('work retrying: One. | Two. | - [high] i-x is wrong.');
  });

  it('is identified by its text if it has no id', async () => {
    const phases = [
      fake('work', {
        loopAfter: 'unlimited',
        verdicts: [
          requestChanges([{ severity: 'low', category: 'Style', description: 'Names are unclear.' }]),
          requestChanges([{ severity: 'high', category: 'style', description: ' NAMES: are  unclear' }]),
        ],
      }),
    ];
    const { records } = await play(phases);
    const [first, second] = phases[0]?.reviews.slice(1).map(({ findings }) => findings) ?? [];
    expect(first).toHaveLength(1);
    expect(second).toEqual([{ ...first?.[0], issues: [expect.objectContaining({ severity: 'high' })], open: 2 }]);
    expect(records.filter(({ event }) => event.type === 'loop.detected')).toEqual([]);
  });
});

describe('many issues', () => {
  const many = Array.from({ length: 101 }, (_, at) => issue(`i${at}`, ['data', 'model', 'text', 'report'][at % 4]));

  it('all reach the phase that has to correct them', async () => {
    const { records } = await play(branches([requestChanges(many.slice(0, 100))]));
    const [made] = rewinds(records);
    const told = [made?.correction, ...(made?.riders ?? []).map((one) => one.correction)];
    expect(told.map((one) => one?.issues?.length)).toEqual([25, 25, 25, 25]);
  });

  it('beyond a hundred make the decision invalid', async () => {
    const phases = branches([{ type: 'retry', feedback: '', issues: many }]);
    expect(await trace(phases, { detail: ['reviews'] })).toContain('report decided unavailable');
  });
});

describe('a demand of a worker', () => {
  it('leaves findings unchanged', async () => {
    const stops = () => {
      throw needsRework('data', 'Wrong units.');
    };
    const phases = [
      fake('data'),
      fake('model', {
        after: ['data'],
        outputs: ['first', stops],
        verdicts: [requestChanges([issue('i-x')], 'Not yet.'), 'APPROVE'],
      }),
    ];
    const { lines } = await play(phases);
    expect(lines).toContain('model rewinding data by worker: Wrong units.');
    expect(phases[1]?.reviews[1]?.findings).toMatchObject([{ id: 'i-x', open: 1 }]);
  });
});

describe('a decision of a person with issues', () => {
  const decision = requestChanges([issue('i-data', 'data'), issue('i-text', 'text')], 'Look at the data.');
  const asked = branches(['ESCALATE: who knows', 'APPROVE'], { rewindTo: 'predecessors', maxPredecessorRetries: 0 });

  it('sends back the earliest ancestor with an issue, beyond the targets of the gate', async () => {
    const { lines, records } = await play(asked, {
      when: { 'report escalated (requested): who knows': (run) => run.decide('report', decision) },
    });
    expect(lines).toContain('report rewinding data by person: Look at the data. | - [high] i-data is wrong.');
    expect(lines).toContain('text started 1 g1: - [high] i-text is wrong.');
    expect(rewinds(records)[0]).toMatchObject({ spent: 0, riders: [{ phase: 'text' }] });
  });
});

describe('forkRun() with a decision that has issues', () => {
  it.each([
    ['a gate', ['APPROVE'], 'gate'],
    ['a person', ['ESCALATE: who knows'], 'person'],
  ] as const)('goes on as if %s had decided that', async (_, verdicts, by) => {
    const store = memoryStore();
    const phases = branches(verdicts);
    const { run } = await play(phases, {
      run: { store },
      when: { 'report escalated (requested): who knows': (one) => one.decide('report', 'APPROVE') },
    });
    const records = await readRun(store, run.id);
    const at = records.findLast(({ event }) => event.type === 'review.decided' && event.phase === 'report');
    expect(at?.event).toMatchObject({ by });
    const decision = requestChanges([issue('i-data', 'data'), issue('i-text', 'text')]);
    const runId = await forkRun(store, run.id, { at: at?.seq ?? 0, decision });
    const pipeline = definePipeline({ name: 'rig', phases: phases.map((one) => one.definition) });
    const again = await resumeRun(store, runId, pipeline);
    expect(await again.result).toMatchObject({ status: 'completed' });
    expect(rewinds(await readRun(store, runId))).toMatchObject([{ target: 'data', by, riders: [{ phase: 'text' }] }]);
  });
});

describe('an issue of the phase under review', () => {
  it('is not repeated if a limit holds the phase and a person approves', async () => {
    const demand = requestChanges([issue('i-data', 'data'), issue('i-report')]);
    const phases = branches(['RETRY: longer', demand]);
    const { lines } = await play(phases, {
      limits: { attemptsPerPhase: 2 },
      policy: { onLimit: 'escalate' },
      when: { 'limit attemptsPerPhase reached 2/2 holds report': (run) => run.decide('report', 'APPROVE') },
    });
    expect(lines.slice(-3)).toEqual([
      'report approved v1 from model@1 text@1',
      'report stale by model',
      'run completed',
    ]);
    expect(phases[3]?.calls).toHaveLength(2);
  });
});

// --- internal ---

function rewinds(records: readonly RunRecord[]): readonly EventOf<'phase.rewinding'>[] {
  return records.flatMap(({ event }) => (event.type === 'phase.rewinding' ? event : []));
}
