/** Findings of the doctor in the records of real runs. */
import { describe, expect, it } from 'vitest';
import { human, task, type Policy, type Run, type TaskContext } from '../src/index.ts';
import type { RunEvent } from '../src/records.ts';
import { diagnose } from '../src/projections/doctor/diagnose.ts';
import type { Diagnosis } from '../src/projections/doctor/diagnosis.ts';
import { foldGateHistories, type GateHistory } from '../src/projections/doctor/gate-history.ts';
import { foldSentBack, type SentBack } from '../src/projections/doctor/send-back-counts.ts';
import { fake, play, type Fake, type PlayOptions } from './rig.ts';

/** The histories that the doctor diagnoses. */
interface Histories {
  readonly gates: readonly GateHistory[];
  readonly sentBack: readonly SentBack[];
}

/** Plays a pipeline that number of times, each run with phases of its own. */
async function historiesOf(
  times: number,
  phasesOf: (nth: number) => readonly Fake[],
  options: (nth: number) => PlayOptions = () => ({}),
): Promise<Histories> {
  const gates = foldGateHistories();
  const sentBack = foldSentBack();
  for (let nth = 0; nth < times; nth++) {
    const runId = `run-${nth}`;
    const { records } = await play(phasesOf(nth), { ...options(nth), run: { runId } });
    for (const record of records) {
      gates.apply(record);
      sentBack.apply(record);
    }
  }
  return { gates: gates.all(), sentBack: sentBack.all() };
}

async function findingsIn(...given: Parameters<typeof historiesOf>): Promise<readonly Diagnosis[]> {
  const { gates, sentBack } = await historiesOf(...given);
  return diagnose(gates, sentBack);
}

/** Answers the pending item with a text. */
async function answerWithText(run: Run): Promise<void> {
  const [item] = run.inbox();
  if (item) await run.answer(item.id, { type: 'value', value: `text ${item.attempt}` });
}

function codes(findings: readonly Diagnosis[]): readonly string[] {
  return findings.map(({ code, phase }) => `${phase} ${code}`);
}

/** A retry with a required change, which keeps the doctor from reporting its absence. */
const change = (requiredChange: string) => ({ type: 'retry', feedback: `It lacks. ${requiredChange}`, requiredChange });

describe('a healthy fleet', () => {
  it('has no findings', async () => {
    const { gates, sentBack } = await historiesOf(12, (nth) => [
      fake('plan', { verdicts: nth % 3 === 0 ? [change('Add dates.')] : [] }),
      fake('draft', {
        after: ['plan'],
        verdicts: nth % 4 === 0 ? [change('Cite sources.')] : [],
      }),
    ]);
    expect(diagnose(gates, sentBack)).toEqual([]);
    expect(
      gates.map(({ phase, reviews, approvals, demands, runs }) => [phase, reviews, approvals, demands, runs]),
    ).toEqual([
      ['plan', 16, 12, 4, 12],
      ['draft', 15, 12, 3, 12],
    ]);
    expect(gates.map(({ attempts }) => Object.fromEntries(attempts))).toEqual([
      { 1: 8, 2: 4 },
      { 1: 9, 2: 3 },
    ]);
  });

  it('is counted in full, with the first ten records of each kind', async () => {
    const { gates, sentBack } = await historiesOf(12, () => [
      fake('a'),
      fake('b', {
        after: ['a'],
        verdicts: ['RETRY: bad', { type: 'retryPredecessor', phase: 'a', feedback: 'worse' }],
      }),
    ]);
    const kept = Array.from({ length: 10 }, (_, nth) => `run-${nth}`);
    expect(gates[0]?.vague.count).toBe(24);
    expect(gates[0]?.vague.first.map(({ runId }) => runId)).toEqual(kept.slice(0, 5).flatMap((one) => [one, one]));
    expect(sentBack[0]).toMatchObject({ runs: 12, evidence: { count: 12 } });
    expect(sentBack[0]?.evidence.first.map(({ runId }) => runId)).toEqual(kept);
  });

  it('is counted across the end and the retry of a run', async () => {
    const { records } = await play([fake('a', { verdicts: [change('Cite.'), change('Cite.')] })]);
    const gates = foldGateHistories();
    const sentBack = foldSentBack();
    const between: readonly RunEvent[] = [
      { type: 'run.ended', status: 'failed' },
      { type: 'run.resumed' } as never,
      { type: 'run.reopened' } as never,
    ];
    for (const record of records) {
      for (const event of [record.event, ...between]) {
        gates.apply({ ...record, event });
        sentBack.apply({ ...record, event });
      }
    }
    expect(gates.all()).toMatchObject([{ repeated: { count: 1 }, runs: 1 }]);
  });

  it('may have phases without a gate, or no runs', async () => {
    expect(await historiesOf(1, () => [fake('plan')])).toEqual({ gates: [], sentBack: [] });
    expect(diagnose([], [])).toEqual([]);
  });
});

describe('a pathological fleet has findings', () => {
  it('for a repeated critique: with at most three records that show it', async () => {
    const findings = await findingsIn(2, () => [
      fake('draft', { maxRetries: 4, verdicts: [change('Cite.'), change('cite. '), change('Cite.'), change('Cut.')] }),
    ]);
    expect(findings).toMatchObject([
      {
        code: 'CRITIQUE_REPEATED',
        severity: 'problem',
        pipeline: 'rig',
        phase: 'draft',
        found: '4 of 8 demands repeated the one before: 4 in the same words',
        evidence: [{ runId: 'run-0' }, { runId: 'run-0' }, { runId: 'run-1' }],
      },
    ]);
  });

  it('but not for the same critique in another run, or of another phase', async () => {
    const findings = await findingsIn(3, () => [
      fake('a', { verdicts: [change('Cite.')] }),
      fake('b', { verdicts: [change('Cite.')] }),
    ]);
    expect(findings).toEqual([]);
  });

  it('for demands without a required change, if they are half of all or more', async () => {
    const vague = (verdicts: readonly unknown[]) => findingsIn(1, () => [fake('a', { maxRetries: 9, verdicts })]);
    expect(codes(await vague(['RETRY: bad', change('Cite.')]))).toEqual(['a CHANGE_NOT_NAMED']);
    expect(codes(await vague(['RETRY: bad', change('Cite.'), change('Cut.')]))).toEqual([]);
    const issues = [{ severity: 'high', description: 'No sources.', requiredChange: 'Cite.' }];
    expect(codes(await vague([{ type: 'retry', feedback: 'bad', issues }]))).toEqual([]);
    expect(codes(await vague([change('line 1 failed\nline 2 failed')]))).toEqual(['a CHANGE_NOT_NAMED']);
  });

  it('for a repeated required change in other prose', async () => {
    const cite = (feedback: string, requiredChange = 'Cite a source.') => ({ type: 'retry', feedback, requiredChange });
    const verdicts = [
      cite('No source is named.'),
      cite('Where is this from?', ' cite a  source.'),
      cite('Too long.', 'Cut.'),
    ];
    expect(await findingsIn(1, () => [fake('a', { maxRetries: 4, verdicts })])).toMatchObject([
      {
        code: 'CRITIQUE_REPEATED',
        found: '1 of 3 demands repeated the one before: 1 in other words, with the same required change',
      },
    ]);
  });

  it('for errors of reviewers, by their share of all reviews, approvals included', async () => {
    const down = new Error('429');
    const errors = (failing: number) =>
      findingsIn(10, (nth) => [fake('a', { verdicts: nth < failing ? [down, change('Cite.')] : [change('Cite.')] })]);
    expect(codes(await errors(4))).toEqual([]);
    expect(await errors(5)).toMatchObject([
      {
        code: 'REVIEW_ERRORS',
        found: '5 of 25 reviews (20 %) were errors of the reviewer: more than 1 in 10, with 95 % confidence',
      },
    ]);
  });

  it('but not for a healthy reviewer: 1 review in 20 fails, and most approve', async () => {
    const down = new Error('429');
    const failing = (store: number) => (nth: number) => (nth * 7 + store) % 20 === 0;
    for (const store of Array.from({ length: 5 }, (_, at) => at)) {
      const findings = await findingsIn(100, (nth) => [
        fake('a', {
          verdicts: [...(failing(store)(nth) ? [down] : []), ...(nth % 10 === 0 ? [change(`Change ${nth}.`)] : [])],
        }),
      ]);
      expect(findings).toEqual([]);
    }
  });

  it('for text without a decision: as an error if the gate asks again, as an approval if it approves', async () => {
    const unread = (onUnrecognised: 'ask' | 'approve') =>
      findingsIn(10, (nth) => [fake('a', { onUnrecognised, verdicts: nth < 9 ? ['hm'] : [change('Cite.')] })]);
    expect(codes(await unread('approve'))).toEqual([]);
    expect(codes(await unread('ask'))).toEqual(['a REVIEW_ERRORS']);
  });

  it('for loops without a bound, unless the run has one', async () => {
    const policy: Policy = { maxRetries: 'unlimited', maxPredecessorRetries: 'unlimited' };
    const phases = () => [fake('a', { verdicts: [] }), fake('b', { after: ['a'], verdicts: [] })];
    expect(await findingsIn(1, phases, () => ({ policy, limits: { durationMs: 9 } }))).toMatchObject([
      {
        phase: 'a',
        found: 'maxRetries is unlimited, and no limit of the run bounds the loop, so `onExhausted` never applies',
        evidence: [],
      },
      {
        phase: 'b',
        found:
          'maxRetries and maxPredecessorRetries are unlimited, and no limit of the run bounds the loop, so `onExhausted` never applies',
      },
    ]);
    expect(await findingsIn(1, phases, () => ({ policy, limits: { corrections: 9 } }))).toEqual([]);
    expect(await findingsIn(1, phases, () => ({ policy, limits: { perPair: 9 } }))).toMatchObject([
      { phase: 'a', found: expect.stringMatching(/^maxRetries is/u) as string },
      { phase: 'b', found: expect.stringMatching(/^maxRetries is/u) as string },
    ]);
  });

  it('for an issue that is open again in other words, and for the loop that the run detects', async () => {
    const issue = (description: string) => ({ id: 'sources', severity: 'high', description, requiredChange: 'Cite.' });
    const demand = (text: string, id = 'sources') => ({
      type: 'retry',
      feedback: text,
      issues: [{ ...issue(text), id }],
    });
    const twice = await findingsIn(1, () => [
      fake('a', { onExhausted: 'accept', verdicts: [demand('None.'), demand('Still none.')] }),
    ]);
    expect(twice).toMatchObject([
      { code: 'LOOPED', found: 'once it went round in a loop: once by an issue that stayed open', evidence: [{}] },
      {
        code: 'CRITIQUE_REPEATED',
        found: '1 of 2 demands repeated the one before: 1 in other words, with an issue that was open before',
      },
      { code: 'EXHAUSTION_ACCEPTED' },
    ]);
    const two = () => [fake('a', { verdicts: [demand('None.'), demand('Too long.', 'length')] })];
    expect(await findingsIn(1, two)).toEqual([]);
  });

  it('for repeated outputs, for repeated texts, and for the loops that the run detects', async () => {
    const stuck = await findingsIn(1, () => [
      fake('a', {
        maxRetries: 9,
        outputs: Array(9).fill('text'),
        verdicts: ['Cite.', 'Date it.', 'Cut it.'].map(change),
      }),
    ]);
    expect(stuck).toMatchObject([
      { code: 'LOOPED', found: 'once it went round in a loop: once by attempts with the outputs that were sent back' },
      {
        code: 'OUTPUT_UNCHANGED',
        severity: 'problem',
        found: '2 of 2 attempts after a demand put out what was sent back',
      },
    ]);
    const now = await findingsIn(1, () => [
      fake('a', {
        outputs: ['one', 'one', 'two', 'three'],
        maxRetries: 3,
        verdicts: ['Cite.', 'Date.', 'Cut.'].map(change),
      }),
    ]);
    expect(now).toMatchObject([{ code: 'OUTPUT_UNCHANGED', severity: 'notice' }]);
    const same = await findingsIn(1, () => [fake('a', { maxRetries: 9, verdicts: Array(9).fill(change('Cite.')) })]);
    expect(same).toMatchObject([
      { code: 'LOOPED', found: 'once it went round in a loop: once by a demand in the same words' },
      { code: 'CRITIQUE_REPEATED' },
    ]);
  });

  it('for alternating rewinds', async () => {
    const rewind = (to: string, feedback: string) => ({
      type: 'retryPredecessor',
      phase: to,
      feedback,
      requiredChange: feedback,
    });
    //  a ──▶ b ──▶ c
    const findings = await findingsIn(1, () => [
      fake('a', { verdicts: [] }),
      fake('b', {
        after: ['a'],
        verdicts: ['APPROVE', rewind('a', 'One.'), 'APPROVE', rewind('a', 'Two.'), 'APPROVE', rewind('a', 'Three.')],
      }),
      fake('c', { after: ['b'], verdicts: [rewind('b', 'Four.'), rewind('b', 'Five.'), rewind('b', 'Six.')] }),
    ]);
    expect(codes(findings)).toContain('b LOOPED');
    expect(findings.find(({ code }) => code === 'LOOPED')?.found).toBe(
      'once it went round in a loop: once by rewinds that take turns',
    );
  });

  it('for a revision that no task reads, with the gate or the handler as the cause', async () => {
    let outputs = 0;
    const work = (run: (context: TaskContext) => unknown) => [
      task('work', { description: 'Work.', run: (context) => [run(context), (outputs += 1)] }),
    ];
    const told = async (strategy: 'feedback' | 'none', run: (context: TaskContext) => unknown) =>
      codes(
        await findingsIn(1, () => [
          fake('a', { strategy, tasks: work(run), verdicts: [change('Cite.'), change('Cut.')] }),
        ]),
      );
    expect(await told('feedback', () => 'x')).toEqual(['a REVISION_UNREAD']);
    expect(await told('none', ({ prompt }) => prompt)).toEqual(['a REVISION_WITHHELD']);
    expect(await told('none', ({ revision }) => revision?.feedback)).toEqual([]);
    expect(await told('feedback', ({ revision }) => revision?.feedback)).toEqual([]);
    expect(await told('feedback', ({ prompt }) => prompt)).toEqual([]);
    const once = await findingsIn(2, (nth) => [
      fake('a', { tasks: work((context) => (nth === 0 ? 'x' : context.prompt)), verdicts: [change('Cite.')] }),
    ]);
    expect(once).toMatchObject([
      { found: '1 of 2 attempts after a demand read neither `prompt` nor `revision`', evidence: [{ runId: 'run-0' }] },
    ]);
    const seldom = await findingsIn(3, (nth) => [
      fake('a', { tasks: work((context) => (nth === 0 ? 'x' : context.prompt)), verdicts: [change('Cite.')] }),
    ]);
    expect(seldom).toEqual([]);
  });

  it('but not for a person as a task, nor for a phase with such a task', async () => {
    const findings = await findingsIn(1, () => [
      fake('a', {
        tasks: [
          task('code', { run: () => 'x' }),
          task('words', { run: ({ revision }: TaskContext) => revision?.feedback }),
        ],
        verdicts: [change('Cite.')],
      }),
    ]);
    expect(findings).toEqual([]);
    const work = task('work', { run: human({ question: 'Write it.' }) });
    const asked = await findingsIn(
      1,
      () => [fake('b', { tasks: [work], verdicts: [change('Cite.')] })],
      () => ({ detail: ['tasks'], when: { 'b/work asks: Write it.': answerWithText } }),
    );
    expect(asked).toEqual([]);
  });

  it('but not as a model, if a task is charged its estimate', async () => {
    const run = ({ revision }: TaskContext) => `Work. ${revision?.feedback}`;
    const found = await findingsIn(1, () => [
      fake('a', { tasks: [task('work', { estimate: { tokens: 10 }, run })], verdicts: [change('Cite.')] }),
    ]);
    expect(found).toEqual([]);
  });

  it('for a model that is asked without the prompt, although the revision was read', async () => {
    const modelled = (run: (context: TaskContext) => unknown) =>
      findingsIn(1, () => [
        fake('a', {
          tasks: [
            task('work', {
              run: (context: TaskContext) => {
                context.report({ model: 'm', tokens: 10 });
                return run(context);
              },
            }),
          ],
          verdicts: [change('Cite.')],
        }),
      ]);
    expect(await modelled(({ revision }) => `Work. ${revision?.feedback}`)).toMatchObject([
      {
        code: 'PROMPT_BYPASSED',
        severity: 'notice',
        found: expect.stringMatching(/^in 1 of 1 attempt after a demand a model was asked without `prompt`/u) as string,
      },
    ]);
    expect(await modelled(({ prompt, revision }) => `${prompt}${revision?.feedback}`)).toEqual([]);
  });

  it('for attempts that were accepted without approval', async () => {
    const findings = await findingsIn(1, () => [
      fake('a', { maxRetries: 1, onExhausted: 'accept', verdicts: [change('Cite.'), change('Cut.')] }),
    ]);
    expect(findings).toMatchObject([
      { code: 'EXHAUSTION_ACCEPTED', severity: 'notice', evidence: [{ runId: 'run-0' }] },
    ]);
  });

  it('for gates that always approve, or never, after enough reviews', async () => {
    const always = (times: number) => findingsIn(times, () => [fake('a', { verdicts: [] })]);
    expect(codes(await always(9))).toEqual([]);
    expect(codes(await always(10))).toEqual(['a NEVER_SENDS_BACK']);
    const never = (times: number) => findingsIn(times, () => [fake('a', { verdicts: ['REJECT: no'] })]);
    expect(codes(await never(9))).toEqual([]);
    expect(codes(await never(10))).toEqual(['a NEVER_APPROVES']);
  });

  it('for attempts that are one or many and seldom two', async () => {
    const attempts = (taken: (nth: number) => number) =>
      findingsIn(12, (nth) => [
        fake('a', { verdicts: Array.from({ length: taken(nth) - 1 }, (_, at) => change(`Change ${at}.`)) }),
      ]);
    expect(await attempts((nth) => (nth % 3 === 0 ? 3 : 1))).toMatchObject([
      { code: 'ATTEMPTS_BIMODAL', found: '8 of 12 starts took 1 attempt, 0 took 2, 4 took 3 or more' },
    ]);
    expect(codes(await attempts((nth) => (nth % 3) + 1))).toEqual([]);
    expect(codes(await attempts((nth) => (nth === 0 ? 3 : nth % 2 === 0 ? 1 : 2)))).toEqual([]);
  });

  it('for prompts that grow', async () => {
    const critique = { ...change('Cite more'), feedback: `It lacks. Cite ${'more and more '.repeat(300)}.` };
    const findings = await findingsIn(1, () => [fake('a', { verdicts: [critique] })]);
    const unwarned = await findingsIn(1, () => [fake('a', { maxPromptGrowth: 0, verdicts: [critique] })]);
    expect(unwarned).toEqual([{ ...findings[0], evidence: [{ runId: 'run-0', seq: 10 }] }]);
    expect(findings).toMatchObject([
      {
        code: 'PROMPT_GREW',
        found:
          'once a prompt had grown past 3 times the first, which counts as 1000 characters or more; the longest had 4416',
      },
    ]);
  });

  it('for phases that later ones send back again and again; a new start counts its own attempts', async () => {
    const rewind = (feedback: string) => ({ type: 'retryPredecessor', phase: 'a', feedback, requiredChange: feedback });
    const { gates, sentBack } = await historiesOf(4, (nth) => [
      fake('a', { verdicts: [] }),
      fake('b', { after: ['a'], verdicts: nth === 3 ? [] : [rewind('Add dates.')] }),
    ]);
    expect(diagnose(gates, sentBack)).toMatchObject([
      { phase: 'a', code: 'OFTEN_SENT_BACK', found: '3 times a later phase sent it back, in 4 runs' },
    ]);
    expect(gates.map(({ attempts }) => Object.fromEntries(attempts))).toEqual([{ 1: 1, 2: 3 }, { 1: 7 }]);
    const ungated = await findingsIn(3, () => [
      fake('a'),
      fake('b', { after: ['a'], verdicts: [rewind('Add dates.')] }),
    ]);
    expect(ungated).toMatchObject([
      { phase: 'a', code: 'OFTEN_SENT_BACK', advice: expect.stringMatching(/^It has no gate/u) as string },
    ]);
  });

  it('with problems first', async () => {
    const findings = await findingsIn(1, () => [
      fake('a', { maxRetries: 1, onExhausted: 'accept', verdicts: ['RETRY: bad', 'RETRY: worse'] }),
      fake('b', { verdicts: [change('Cite.'), change('Cite.')] }),
    ]);
    expect(codes(findings)).toEqual(['b CRITIQUE_REPEATED', 'a CHANGE_NOT_NAMED', 'a EXHAUSTION_ACCEPTED']);
  });
});
