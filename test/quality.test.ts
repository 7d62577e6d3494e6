/** Defects and measures of runs: each defect with its phase, its disposition, and its cost. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  memoryStore,
  needsRework,
  readRun,
  requestChanges,
  resumeRun,
  retryRun,
  definePipeline,
  startRun,
} from '../src/index.ts';
import type { Decision, Issue, TaskContext } from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import type { Defect } from '../src/projections/quality/defect.ts';
import { defectsOf, measuresOf } from '../src/projections/quality/quality.ts';
import { drive, fake, fakeCheck, idle, play, simulatedTime, type Fake } from './rig.ts';

/** Formats a defect as a line. */
function line({ number, type, injected, detected, disposition, removed, fix, attempts }: Defect): string {
  const finder = detected.name === null ? detected.by : `${detected.by} ${detected.name}`;
  const end = removed ? ` in ${removed.phase}` : '';
  const by = fix ? ` by ${fix.phase}@${fix.version}` : '';
  const caused = Object.entries(attempts).map(([phase, count]) => `${phase} ${count}`);
  return `${number} ${type} of ${injected}, found in ${detected.phase} by ${finder}: ${disposition}${end}${by}; ${caused.join(', ') || 'none'}`;
}

async function linesOf(phases: readonly Fake[], options?: Parameters<typeof play>[1]): Promise<readonly string[]> {
  const { records } = await play(phases, options);
  return defectsOf(records).map(line);
}

function issue(id: string, affectedPhase?: string, severity: Issue['severity'] = 'high'): Issue {
  return { id, severity, category: 'logic', description: `${id} is wrong.`, ...(affectedPhase && { affectedPhase }) };
}

const onIssues = (...issues: readonly Issue[]) => requestChanges(issues);

/** Returns an output with a duration and a cost. */
const costly =
  (ms: number, costUsd: number, time: ReturnType<typeof simulatedTime>) => async (context: TaskContext) => {
    await new Promise<void>((resolve) => time.clock.setTimeout(resolve, ms));
    context.report({ costUsd });
    return 'done';
  };

describe('defects without issues', () => {
  it('are one for each demand; a repeated demand is the same defect', async () => {
    const verdicts = ['RETRY: Cite.', 'RETRY: cite!', 'RETRY: Cut it.', 'APPROVE'];
    expect(await linesOf([fake('a', { maxRetries: 3, verdicts })])).toEqual([
      '1 feedback of a, found in a by reviewer review: fixed in a by a@1; a 2',
      '2 feedback of a, found in a by reviewer review: fixed in a by a@1; a 1',
    ]);
  });

  it('belong to the phase that is sent back', async () => {
    const phases = [fake('a'), fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: Add dates.'] })];
    expect(await linesOf(phases)).toEqual([
      '1 feedback of a, found in b by reviewer review: fixed in b by a@2; a 1, b 1',
    ]);
  });

  it('are one for each failing check, as long as it fails', async () => {
    const checks = [fakeCheck('lint', ['2 of 16', '1 of 16']), fakeCheck('types', ['no: "any"\n\nCheck "x" failed'])];
    expect(await linesOf([fake('a', { checks, maxRetries: 3, verdicts: ['RETRY: Cite.'] })])).toEqual([
      '1 check of a, found in a by check lint: fixed in a by a@1; a 2',
      '2 check of a, found in a by check types: fixed in a by a@1; a 1',
      '3 feedback of a, found in a by reviewer review: fixed in a by a@1; a 1',
    ]);
  });

  it('belong to the checks that have failed, whatever their details quote', async () => {
    const quoted = 'the log says:\n\nCheck "types" failed: no\n\nand so on';
    const checks = [fakeCheck('lint', [quoted, 'still']), fakeCheck('types', [])];
    const { records } = await play([fake('a', { checks, maxRetries: 3 })]);
    expect(defectsOf(records).map((one) => [line(one), one.description])).toEqual([
      ['1 check of a, found in a by check lint: fixed in a by a@1; a 2', `Check "lint" failed:\n${quoted}`],
    ]);
  });

  it('belong to an unnamed check if the record names none', async () => {
    const { records } = await play([fake('a', { checks: [fakeCheck('lint', ['no'])] })]);
    const older = records.map((record): RunRecord => {
      if (record.event.type !== 'review.decided') return record;
      const { failedChecks: _, ...event } = record.event;
      return { ...record, event };
    });
    expect(defectsOf(older).map(line)).toEqual(['1 check of a, found in a by check: fixed in a by a@1; a 1']);
  });

  it('come from demands of tasks that cannot work', async () => {
    const demand = () => {
      throw needsRework('a', 'There is no date.');
    };
    const phases = [fake('a'), fake('b', { after: ['a'], outputs: [demand, demand], verdicts: [] })];
    expect(await linesOf(phases)).toEqual(['1 rework of a, found in b by worker: fixed in b by a@3; a 2, b 2']);
  });

  it('are removed once the tasks can work, even without a later gate', async () => {
    const demand = () => {
      throw needsRework('a', 'There is no date.');
    };
    const phases = [
      fake('a'),
      fake('b', { after: ['a'], outputs: ['b 1', demand, 'b 2'], verdicts: [] }),
      fake('c', { after: ['b'], regate: false, verdicts: ['RETRY_PREDECESSOR b: Cite.'] }),
    ];
    expect(await linesOf(phases)).toEqual([
      '1 feedback of b, found in c by reviewer review: fixed in c by b@2; b 1, c 1',
      '2 rework of a, found in b by worker: fixed in b by a@2; a 1, b 1',
    ]);
  });

  it('are distinguished by reviewer, and only demands that were delivered lead to an attempt', async () => {
    const phases = [
      fake('a'),
      fake('b', { after: ['a'], reviewers: { x: ['RETRY: Cite.'], y: ['RETRY_PREDECESSOR a: Add dates.'] } }),
    ];
    expect(await linesOf(phases)).toEqual([
      '1 feedback of b, found in b by reviewer x: fixed in b by b@1; none',
      '2 feedback of a, found in b by reviewer y: fixed in b by a@2; a 1, b 1',
    ]);
  });
});

describe('defects with issues', () => {
  it('of several phases are corrected by one rewind, and share its cost', async () => {
    const time = simulatedTime();
    const phases = [
      fake('a', { outputs: [costly(1000, 1, time), costly(1000, 2, time)] }),
      fake('b', { after: ['a'], outputs: [costly(10, 4, time), costly(3000, 8, time)] }),
      fake('c', { after: ['b'], rewindTo: 'ancestors', verdicts: [onIssues(issue('x', 'b'), issue('y', 'a'))] }),
    ];
    const { records } = await play(phases, { time });

    const defects = defectsOf(records);
    expect(defects.map(line)).toEqual([
      '1 logic of b, found in c by reviewer review: fixed in c by b@2; a 1, b 1, c 1',
      '2 logic of a, found in c by reviewer review: fixed in c by a@2; a 1, b 1, c 1',
    ]);
    expect(defects.map(({ rework }) => rework)).toEqual([
      { costUsd: 5, tokens: 0, ms: 2000 },
      { costUsd: 5, tokens: 0, ms: 2000 },
    ]);
    const { effort, reworkShare, appraisalToFailure, containment } = measuresOf(records);
    expect(effort.rework).toEqual({ costUsd: 10, tokens: 0, ms: 4000 });
    expect(reworkShare).toEqual({ costUsd: (100 * 10) / 15, tokens: null, ms: (100 * 4000) / 5010 });
    expect(appraisalToFailure).toEqual({ costUsd: 0, tokens: null, ms: 0 });
    expect(containment).toEqual([
      { injected: 'a', removed: { c: 1 }, accepted: 0, open: 0 },
      { injected: 'b', removed: { c: 1 }, accepted: 0, open: 0 },
    ]);
  });

  it('may be withdrawn, and then count only against the reviewer who found them', async () => {
    const withdraw = { type: 'approve', priorFindings: [{ id: 'x', status: 'withdrawn' }] };
    const { records } = await play([fake('a', { verdicts: [onIssues(issue('x')), withdraw] })]);
    expect(defectsOf(records).map(line)).toEqual(['1 logic of a, found in a by reviewer review: withdrawn; a 1']);
    expect(measuresOf(records)).toMatchObject({
      defects: { withdrawn: 1 },
      removalEfficiency: null,
      phases: [{ injected: 0, removed: 0, yield: null }],
      containment: [],
      reviewers: [{ decisions: 2, contradicted: 1 }],
    });
  });

  it('are accepted if the budget is spent; a later gate that finds one finds the same', async () => {
    const phases = [
      fake('a', { maxRetries: 0, onExhausted: 'accept', verdicts: [onIssues(issue('x'))] }),
      fake('b', { after: ['a'], verdicts: [onIssues(issue('x', 'a'))] }),
    ];
    const { records } = await play(phases);
    const [defect] = defectsOf(records);
    expect(defectsOf(records).map(line)).toEqual([
      '1 logic of a, found in a by reviewer review: fixed in b by a@2; a 1, b 1',
    ]);
    expect(defect?.found.map(({ phase }) => phase)).toEqual(['a', 'b']);
    expect(measuresOf(records).phases).toMatchObject([
      { phase: 'a', yield: 0, containment: 0 },
      { phase: 'b', entry: 1, yield: 100 },
    ]);
  });

  it('in an approval are accepted', async () => {
    const approving = { type: 'approve', issues: [issue('x', undefined, 'low')] };
    const { records } = await play([fake('a', { verdicts: [approving] })]);
    expect(defectsOf(records).map(line)).toEqual(['1 logic of a, found in a by reviewer review: accepted; none']);
    expect(measuresOf(records)).toMatchObject({ removalEfficiency: 0, gates: [{ firstPassYield: 100 }] });
  });

  it('that recur after their correction are new ones', async () => {
    const verdicts = [onIssues(issue('x')), onIssues(issue('y')), onIssues(issue('x')), 'APPROVE'];
    expect(await linesOf([fake('a', { maxRetries: 3, verdicts })])).toEqual([
      '1 logic of a, found in a by reviewer review: fixed in a by a@1; a 1',
      '2 logic of a, found in a by reviewer review: fixed in a by a@1; a 1',
      '3 logic of a, found in a by reviewer review: fixed in a by a@1; a 1',
    ]);
  });

  it('belong to the reviewed phase if they name a phase that it does not need', async () => {
    const phases = [
      fake('a', { verdicts: [onIssues(issue('x', 'b'), issue('y', 'nowhere'))] }),
      fake('b', { after: ['a'] }),
    ];
    expect(await linesOf(phases)).toEqual([
      '1 logic of a, found in a by reviewer review: fixed in a by a@1; a 1',
      '2 logic of a, found in a by reviewer review: fixed in a by a@1; a 1',
    ]);
  });
});

describe('people', () => {
  const escalating = (verdicts: readonly unknown[]) => [
    fake('a'),
    fake('b', { after: ['a'], maxRetries: 0, onExhausted: 'escalate', verdicts }),
  ];

  it('may reassign an issue to a phase; the history has both', async () => {
    const sendBack: Decision = { type: 'retryPredecessor', phase: 'a', feedback: '', issues: [issue('x', 'a')] };
    const { records } = await play(escalating([onIssues(issue('x')), 'APPROVE']), {
      when: {
        'b escalated (exhausted): - [high, logic] x is wrong.': (run) => run.decide('b', sendBack, { by: 'Ada' }),
      },
    });
    const [defect] = defectsOf(records);
    expect(defectsOf(records).map(line)).toEqual([
      '1 logic of a, found in b by reviewer review: fixed in b by a@2; a 1, b 1',
    ]);
    expect(defect?.attribution).toMatchObject([
      { phase: 'b', by: 'reviewer', name: 'review' },
      { phase: 'a', by: 'person', name: 'Ada' },
    ]);
  });

  it('may reassign it by the text of a demand without issues', async () => {
    const { records } = await play(escalating(['RETRY: Add dates.', 'APPROVE']), {
      when: { 'b escalated (exhausted): Add dates.': (run) => run.decide('b', 'RETRY_PREDECESSOR a: Add dates.') },
    });
    expect(defectsOf(records).map(line)).toEqual([
      '1 feedback of a, found in b by reviewer review: fixed in b by a@2; a 1, b 1',
    ]);
  });

  it('may reassign it by the joined text of several reviewers', async () => {
    const panel = fake('b', {
      after: ['a'],
      maxRetries: 0,
      onExhausted: 'escalate',
      reviewers: { x: ['RETRY: Add dates.'], y: ['RETRY: Cite.'] },
    });
    const { records } = await play([fake('a'), panel], {
      when: {
        'b escalated (exhausted): Add dates. | Cite.': (run) =>
          run.decide('b', { type: 'retryPredecessor', phase: 'a', feedback: 'Add dates.\n\nCite.' }),
      },
    });
    expect(defectsOf(records).map(line)).toEqual([
      '1 feedback of a, found in b by reviewer x: fixed in b by a@2; a 1, b 1',
      '2 feedback of a, found in b by reviewer y: fixed in b by a@2; a 1, b 1',
    ]);
  });

  it('may find a defect themselves', async () => {
    const { records } = await play(escalating(['ESCALATE: Not sure.', 'APPROVE']), {
      when: { 'b escalated (requested): Not sure.': (run) => run.decide('b', 'RETRY: Add dates.') },
    });
    expect(defectsOf(records).map(line)).toEqual(['1 feedback of b, found in b by person: fixed in b by b@1; b 1']);
  });

  it('overrule reviewers, which counts against those', async () => {
    const { records } = await play(escalating([{ type: 'retry', feedback: 'Add dates.', confidence: 0.75 }]), {
      when: { 'b escalated (exhausted): Add dates.': (run) => run.decide('b', 'APPROVE') },
    });
    expect(defectsOf(records).map(line)).toEqual(['1 feedback of b, found in b by reviewer review: accepted; none']);
    expect(measuresOf(records).reviewers).toEqual([
      {
        phase: 'b',
        reviewer: 'review',
        decisions: 1,
        approvals: 0,
        judgedByPeople: 1,
        overruled: 1,
        overruledShare: 100,
        contradicted: 1,
        bands: [{ most: 0.8, decisions: 1, contradicted: 1 }],
      },
    ]);
  });
});

describe('measures', () => {
  it('compute the yield of first reviews; retries are not starts, and failed reviews are not reviews', async () => {
    const phases = [
      fake('a', { reviewBackoff: { first: 1 }, verdicts: [new Error('429'), 'RETRY: Cite.', 'APPROVE', 'APPROVE'] }),
      fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: Add dates.'] }),
    ];
    const { records } = await play(phases);
    expect(measuresOf(records).gates).toEqual([
      { phase: 'a', reviews: 3, unanswered: 1, starts: 2, passed: 1, firstPassYield: 50 },
      { phase: 'b', reviews: 2, unanswered: 0, starts: 2, passed: 1, firstPassYield: 50 },
    ]);
  });

  it('count an approval against a reviewer if a later gate finds what it missed', async () => {
    const sure = { type: 'approve', confidence: 0.95 };
    const phases = [
      fake('a', { verdicts: [sure, sure] }),
      fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: Add dates.'] }),
    ];
    const { records } = await play(phases);
    expect(measuresOf(records).reviewers).toMatchObject([
      { phase: 'a', decisions: 2, contradicted: 1, bands: [{ most: 1, decisions: 2, contradicted: 1 }] },
      { phase: 'b', decisions: 2, contradicted: 0, bands: [{ most: null }] },
    ]);
  });

  it('are null if a run without defects determines nothing', async () => {
    const { records } = await play([fake('a'), fake('b', { after: ['a'], verdicts: [] })]);
    expect(measuresOf(records)).toMatchObject({
      removalEfficiency: null,
      phases: [
        { phase: 'a', removed: null, yield: null, containment: null },
        { phase: 'b', removed: 0, yield: null, processYield: null },
      ],
      reworkShare: { costUsd: null, tokens: null },
      appraisalToFailure: { costUsd: null },
      gates: [{ phase: 'b', firstPassYield: 100 }],
    });
    expect(measuresOf([]).phases).toEqual([]);
  });

  it('do not count a phase as rework if its run is retried after the end', async () => {
    const store = memoryStore();
    let broken = true;
    const phases = [
      fake('a', { verdicts: ['RETRY: Cite.'] }),
      fake('b', {
        after: ['a'],
        outputs: Array.from({ length: 3 }, () => ({ report }: TaskContext) => {
          report({ costUsd: 1 });
          if (broken) throw new Error('down');
          return 'up';
        }),
      }),
    ];
    const pipeline = definePipeline({ name: 'line', phases: phases.map((one) => one.definition) });
    await startRun(pipeline, { store, runId: 'run' }).result;
    broken = false;
    const again = await retryRun(store, 'run', pipeline);
    expect((await again.result).status).toBe('completed');
    const records = await readRun(store, 'run');
    expect(defectsOf(records).map(line)).toEqual([
      '1 feedback of a, found in a by reviewer review: fixed in a by a@1; a 1',
    ]);
    expect(measuresOf(records).effort).toMatchObject({ work: { costUsd: 2 }, rework: { costUsd: 0 } });
  });

  it('exclude the time in which no process has the run', async () => {
    const store = memoryStore();
    const time = simulatedTime();
    const work = async ({ report }: TaskContext) => {
      for (const progress of [0.25, 0.5, 0.75, 1]) {
        await new Promise<void>((resolve) => time.clock.setTimeout(resolve, 1000));
        report({ progress });
      }
      return 'done';
    };
    const slow = fake('a', { outputs: [work, work] });
    const pipeline = definePipeline({ name: 'line', phases: [slow.definition] });
    const first = startRun(pipeline, { store, runId: 'run', clock: time.clock });
    await idle();
    await time.pass(1000);
    first.suspend();
    await first.result;
    await time.pass(1_000_000);
    const second = await resumeRun(store, 'run', pipeline, { clock: time.clock });
    await drive(second, time);
    const { effort } = measuresOf(await readRun(store, 'run'));
    expect(effort.work.ms).toBe(5000);
  });
});

describe('issues of random reviews', () => {
  it('are all accounted for, whatever is found and reported', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const found = fc.array(fc.tuple(fc.nat(3), fc.nat(4)), { maxLength: 3 });
    const said = fc.array(fc.tuple(fc.nat(3), fc.constantFrom('fixed', 'open', 'withdrawn')), { maxLength: 2 });
    const verdict = fc.record({ kind: fc.constantFrom('approve', 'retry', 'retry', 'retry', 'reject'), found, said });
    const reviews = fc.array(fc.array(verdict, { maxLength: 4 }), { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(reviews, async (all) => {
        const phases = all.map((verdicts, at) =>
          fake(names[at] ?? '', {
            after: names.slice(Math.max(0, at - 1), at),
            rewindTo: 'ancestors',
            outputs: Array.from({ length: 9 }, (_, nth) => ({ report }: TaskContext) => {
              report({ tokens: 7 ** (nth % 3) });
              return nth;
            }),
            verdicts: verdicts.map(({ kind, found: issues, said: prior }) => ({
              type: kind,
              ...(kind === 'retry' ? { feedback: 'again' } : { reason: 'no' }),
              issues: issues.map(([id, of]) => issue(`i${id}`, names[of])),
              priorFindings: prior.map(([id, status]) => ({ id: `i${id}`, status })),
            })),
          }),
        );
        const { records } = await play(phases);
        const defects = defectsOf(records);
        const { containment, defects: counts, effort, phases: measured } = measuresOf(records);
        const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
        expect(total(containment.map((row) => total(Object.values(row.removed))))).toBe(counts.fixed);
        expect(total(containment.map((row) => row.accepted + row.open))).toBe(counts.accepted + counts.open);
        expect(total(measured.map(({ injected }) => injected))).toBe(defects.length - counts.withdrawn);
        expect(total(defects.map(({ rework }) => rework.tokens))).toBeCloseTo(effort.rework.tokens, 6);
        const starts = new Map<string, number>();
        let again = 0;
        for (const { event } of records) {
          if (event.type === 'phase.started') starts.set(event.phase, (starts.get(event.phase) ?? 0) + 1);
          if (event.type === 'task.reported' && (starts.get(event.phase) ?? 0) > 1) again += event.tokens ?? 0;
        }
        expect(effort.rework.tokens).toBe(again);
        for (const { injected, found: at } of defects)
          expect(names.indexOf(injected)).toBeLessThanOrEqual(names.indexOf(at[0]?.phase ?? ''));
      }),
      { numRuns: 60, seed: 3 },
    );
  }, 120_000);
});
