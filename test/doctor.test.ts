/** What is found in the records of real runs, and what is not. */
import { describe, expect, it } from 'vitest';
import type { Policy } from '../src/index.ts';
import { diagnose, type Finding } from '../src/model/diagnosis.ts';
import { foldGateHistories, type GateHistory } from '../src/model/gate-history.ts';
import { fake, play, type Fake, type PlayOptions } from './rig.ts';

/** Plays a pipeline so often, each run with phases of its own. */
async function gatesOf(
  times: number,
  phasesOf: (nth: number) => readonly Fake[],
  options: (nth: number) => PlayOptions = () => ({}),
): Promise<readonly GateHistory[]> {
  const fold = foldGateHistories();
  for (let nth = 0; nth < times; nth++) {
    const runId = `run-${nth}`;
    const { records } = await play(phasesOf(nth), { ...options(nth), run: { runId } });
    for (const record of records) fold.apply(record);
  }
  return fold.all();
}

async function findingsIn(...given: Parameters<typeof gatesOf>): Promise<readonly Finding[]> {
  return diagnose(await gatesOf(...given));
}

function codes(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ code, phase }) => `${phase} ${code}`);
}

/** What `retry` needs, to be no finding itself. */
const change = (requiredChange: string) => ({ type: 'retry', feedback: `It lacks. ${requiredChange}`, requiredChange });

describe('a healthy fleet', () => {
  it('gives no finding', async () => {
    const gates = await gatesOf(12, (nth) => [
      fake('plan', { verdicts: nth % 3 === 0 ? [change('Add dates.')] : [] }),
      fake('draft', {
        after: ['plan'],
        verdicts: nth % 4 === 0 ? [change('Cite sources.')] : [],
      }),
    ]);
    expect(diagnose(gates)).toEqual([]);
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

  it('nor do phases without a gate, nor no runs', async () => {
    expect(await gatesOf(1, () => [fake('plan')])).toEqual([]);
    expect(diagnose(foldGateHistories().all())).toEqual([]);
  });
});

describe('a pathological one', () => {
  it('the same critique again: with the records that show it, at most three', async () => {
    const findings = await findingsIn(2, () => [
      fake('draft', { maxRetries: 4, verdicts: [change('Cite.'), change('cite. '), change('Cite.'), change('Cut.')] }),
    ]);
    expect(findings).toMatchObject([
      {
        code: 'CRITIQUE_REPEATED',
        severity: 'problem',
        pipeline: 'rig',
        phase: 'draft',
        found: '4 of 8 demands had the words of the one before',
        evidence: [{ runId: 'run-0' }, { runId: 'run-0' }, { runId: 'run-1' }],
      },
    ]);
  });

  it('the same critique in another run, or of another phase, is none', async () => {
    const findings = await findingsIn(3, () => [
      fake('a', { verdicts: [change('Cite.')] }),
      fake('b', { verdicts: [change('Cite.')] }),
    ]);
    expect(findings).toEqual([]);
  });

  it('demands without a required change, where they are half of all or more', async () => {
    const vague = (verdicts: readonly unknown[]) => findingsIn(1, () => [fake('a', { maxRetries: 9, verdicts })]);
    expect(codes(await vague(['RETRY: bad', change('Cite.')]))).toEqual(['a CHANGE_NOT_NAMED']);
    expect(codes(await vague(['RETRY: bad', change('Cite.'), change('Cut.')]))).toEqual([]);
  });

  it('errors of reviewers, by their share of what would have been rejections', async () => {
    const down = new Error('429');
    const errors = (failing: number) =>
      findingsIn(10, (nth) => [fake('a', { verdicts: nth < failing ? [down, change('Cite.')] : [change('Cite.')] })]);
    expect(codes(await errors(2))).toEqual([]);
    expect(await errors(3)).toMatchObject([
      { code: 'REVIEW_ERRORS', found: '3 of 13 reviews without an approval (23 %) were errors of the reviewer' },
    ]);
  });

  it('text without a verdict is one where the gate asks again, and an approval where it approves', async () => {
    const unread = (onUnrecognised: 'ask' | 'approve') =>
      findingsIn(10, (nth) => [fake('a', { onUnrecognised, verdicts: nth < 9 ? ['hm'] : [change('Cite.')] })]);
    expect(codes(await unread('approve'))).toEqual([]);
    expect(codes(await unread('ask'))).toEqual(['a REVIEW_ERRORS']);
  });

  it('loops without a bound, unless the run has one', async () => {
    const policy: Policy = { maxRetries: 'unlimited', maxPredecessorRetries: 'unlimited' };
    const phases = () => [fake('a', { verdicts: [] }), fake('b', { after: ['a'], verdicts: [] })];
    expect(await findingsIn(1, phases, () => ({ policy, limits: { durationMs: 9 } }))).toMatchObject([
      { phase: 'a', found: 'maxRetries is unlimited, and no limit of the run bounds the loop', evidence: [] },
      {
        phase: 'b',
        found: 'maxRetries and maxPredecessorRetries are unlimited, and no limit of the run bounds the loop',
      },
    ]);
    expect(await findingsIn(1, phases, () => ({ policy, limits: { corrections: 9 } }))).toEqual([]);
  });

  it('a revision that the worker is not told of', async () => {
    const findings = await findingsIn(1, () => [fake('a', { strategy: 'none', verdicts: [change('Cite.')] })]);
    expect(codes(findings)).toEqual(['a REVISION_WITHHELD']);
  });

  it('attempts that stand though nobody approved them', async () => {
    const findings = await findingsIn(1, () => [
      fake('a', { maxRetries: 1, verdicts: [change('Cite.'), change('Cut.')] }),
    ]);
    expect(findings).toMatchObject([
      { code: 'EXHAUSTION_ACCEPTED', severity: 'notice', evidence: [{ runId: 'run-0' }] },
    ]);
  });

  it('gates that always approve, or never, once they were asked often enough', async () => {
    const always = (times: number) => findingsIn(times, () => [fake('a', { verdicts: [] })]);
    expect(codes(await always(9))).toEqual([]);
    expect(codes(await always(10))).toEqual(['a NEVER_SENDS_BACK']);
    const never = (times: number) => findingsIn(times, () => [fake('a', { verdicts: ['REJECT: no'] })]);
    expect(codes(await never(9))).toEqual([]);
    expect(codes(await never(10))).toEqual(['a NEVER_APPROVES']);
  });

  it('attempts that are one or many and seldom two', async () => {
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

  it('prompts that grow', async () => {
    const critique = change(`Cite ${'more and more '.repeat(300)}.`);
    const findings = await findingsIn(1, () => [fake('a', { verdicts: [critique] })]);
    expect(findings).toMatchObject([
      { code: 'PROMPT_GREW', found: 'once a prompt had grown past 3 times the first; the longest had 4416 characters' },
    ]);
  });

  it('phases that later ones send back again and again; a new start counts its own attempts', async () => {
    const rewind = (feedback: string) => ({ type: 'retryPredecessor', phase: 'a', feedback, requiredChange: feedback });
    const gates = await gatesOf(4, (nth) => [
      fake('a', { verdicts: [] }),
      fake('b', { after: ['a'], verdicts: nth === 3 ? [] : [rewind('Add dates.')] }),
    ]);
    expect(diagnose(gates)).toMatchObject([
      { phase: 'a', code: 'OFTEN_SENT_BACK', found: '3 times a later phase sent it back, in 4 runs' },
    ]);
    expect(gates.map(({ attempts }) => Object.fromEntries(attempts))).toEqual([{ 1: 1, 2: 3 }, { 1: 7 }]);
  });

  it('problems come first', async () => {
    const findings = await findingsIn(1, () => [
      fake('a', { maxRetries: 1, verdicts: ['RETRY: bad', 'RETRY: worse'] }),
      fake('b', { verdicts: [change('Cite.'), change('Cite.')] }),
    ]);
    expect(codes(findings)).toEqual(['b CRITIQUE_REPEATED', 'a CHANGE_NOT_NAMED', 'a EXHAUSTION_ACCEPTED']);
  });
});
