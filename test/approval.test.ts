/** Approvals that contradict themselves, and text decisions that cannot be parsed. */
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  parseDecision,
  phase,
  policies,
  reject,
  retry,
  task,
  type GatePolicy,
  type Issue,
  type ReviewOptions,
} from '../src/index.ts';
import { rehearse, repeats } from '../src/testing.ts';

/** Rehearses a gate with one answer for each question; the last answer is repeated. */
async function taken(answers: readonly unknown[], policy: GatePolicy = {}) {
  const tasks = [task('work', { run: () => 1 })];
  const boss = task('boss', { run: () => 'APPROVE' });
  const pipeline = definePipeline({
    name: 'p',
    policy: { maxRetries: 0, maxReviewErrors: 1, ...policy },
    phases: [phase('first', { tasks }), phase('second', { after: ['first'], tasks, review: boss })],
  });
  const reviews = { boss: answers.map((one) => repeats(one)) };
  const people = { second: reject('A person has seen it.') };
  const { result, prompts } = await rehearse(pipeline, { tasks: { '*': 1 }, reviews, people, attended: false });
  const { status, error } = result.phases['second'] ?? {};
  const warned = result.warnings.map(({ code }) => code);
  return { status, asked: prompts('boss').length, warned, ...(error && { error: error.code }) };
}

const issue = (severity: Issue['severity']): Issue => ({ severity, description: 'No login.' });
const unavailable = { status: 'failed', asked: 2, warned: [], error: 'REVIEW_UNAVAILABLE' };

describe('an approval that contradicts itself', () => {
  it.each([
    ['with a critical issue', { issues: [issue('critical')] }],
    ['with a high issue', { issues: [issue('high'), issue('low')] }],
    ['without any confidence', { confidence: 0 }],
  ])('%s', async (_, fields) => {
    expect(await taken([{ ...approve(), ...fields }])).toStrictEqual(unavailable);
    expect(await taken([{ ...approve(), ...fields }, approve()])).toStrictEqual({
      status: 'approved',
      asked: 2,
      warned: [],
    });
  });

  it.each([
    ['a medium issue', { issues: [issue('medium')] }, {}],
    ['little confidence', { confidence: 0.1 }, {}],
    ['a high issue, where the gate says so', { issues: [issue('high')] }, { approval: { maxSeverity: 'high' } }],
    ['a score that is enough', { score: 70 }, { approval: { minScore: 70 } }],
    ['neither score nor confidence', {}, { approval: { minScore: 70, minConfidence: 0.9 } }],
  ] as const)('but not with %s', async (_, fields, policy) => {
    expect(await taken([{ ...approve(), ...fields }], policy)).toMatchObject({ status: 'approved', asked: 1 });
  });

  it.each([
    ['a medium issue', { issues: [issue('medium')] }, { approval: policies.strict.approval }],
    ['a confidence at the least', { confidence: 0.6 }, { approval: policies.strict.approval }],
    ['a score that is too low', { score: 69 }, { approval: { minScore: 70 } }],
  ] as const)('nor, where `gate.approval` says so, with %s', async (_, fields, policy) => {
    expect(await taken([{ ...approve(), ...fields }], policy)).toStrictEqual(unavailable);
  });
});

describe('an approval that contradicts itself, by one of several reviewers', () => {
  const bad = { ...approve(), issues: [issue('high')] };

  /** Runs a gate of two reviewers. @returns The status or error code, and the number of questions to each reviewer. */
  async function together(boss: readonly unknown[], peer: readonly unknown[], gate: Partial<ReviewOptions> = {}) {
    const by = ['boss', 'peer'].map((name) => task(name, { run: () => 'APPROVE' }));
    const review = { maxReviewErrors: 1, maxRetries: 0, ...gate, by } as ReviewOptions;
    const work = phase('work', { tasks: [task('work', { run: () => 1 })], review });
    const { result, prompts } = await rehearse(definePipeline({ name: 'p', phases: [work] }), {
      tasks: { work: 1 },
      reviews: { boss: boss.map((one) => repeats(one)), peer: peer.map((one) => repeats(one)) },
    });
    const { status, error } = result.phases['work'] ?? {};
    return { status: error ? error.code : status, boss: prompts('boss').length, peer: prompts('peer').length };
  }

  it('asks only that reviewer again', async () => {
    expect(await together([bad, approve()], [approve()])).toEqual({ status: 'approved', boss: 2, peer: 1 });
    expect(await together([bad], [approve()])).toEqual({ status: 'REVIEW_UNAVAILABLE', boss: 2, peer: 1 });
  });

  it('does not count towards a quorum, which others can reach without it', async () => {
    expect(await together([bad], [approve()], { quorum: 1 })).toEqual({ status: 'approved', boss: 1, peer: 1 });
    expect(await together([bad], [retry('more')], { quorum: 1 })).toEqual({
      status: 'REVIEW_UNAVAILABLE',
      boss: 2,
      peer: 1,
    });
  });

  it('is guarded against by the same options for each reviewer', async () => {
    const gate = { approval: { minScore: 70, minConfidence: 0.6 } };
    const [low, unsure] = [
      { ...approve(), score: 69 },
      { ...approve(), confidence: 0.6 },
    ];
    expect(await together([low, approve()], [unsure, approve()], gate)).toEqual({
      status: 'approved',
      boss: 2,
      peer: 2,
    });
    expect(await together([low], [unsure], gate)).toEqual({ status: 'REVIEW_UNAVAILABLE', boss: 2, peer: 2 });
    expect(await together([low], [unsure])).toEqual({ status: 'approved', boss: 1, peer: 1 });
  });

  it('never outweighs a rejection by another reviewer', async () => {
    expect(await together([bad, approve()], [reject('no')])).toEqual({ status: 'rejected', boss: 2, peer: 1 });
  });
});

describe('terminal codes before a decision', () => {
  it.each([
    ['\u001B[31mREJECT: 3 errors', { type: 'reject', reason: '3 errors' }],
    ['\u001B[1;31mRETRY\u001B[0m: x', retry('x')],
    ['\u009B31mREJECT: 3 errors', { type: 'reject', reason: '3 errors' }],
    ['\u001B]0;title\u0007REJECT: 3 errors', { type: 'reject', reason: '3 errors' }],
    ['RETRY: \u001B[31mred\u001B[39m lines\r\nand more', retry('red lines\r\nand more')],
  ])('are removed: %j', (text, decision) => {
    expect(parseDecision(text)).toStrictEqual(decision);
    expect(parseDecision(text, { place: 'ends' })).toStrictEqual(decision);
  });

  it.each(['\u0008REJECT: 3 errors', 'APPROVE\u0000', 'REJECT: no\rAPPROVE', '\u0085APPROVE', 'APPROVE\u007F'])(
    'are refused if other control characters remain: %j',
    (text) => {
      expect(parseDecision(text)).toStrictEqual({ type: 'unrecognised', text });
    },
  );

  it('reject the phase if the decision does', async () => {
    expect(await taken(['\u001B[31mREJECT: 3 errors'], policies.ensemble)).toMatchObject({ status: 'rejected' });
  });
});

describe('decisions at the ends of a text', () => {
  it.each([
    ['APPROVE', approve()],
    ['**APPROVE**', approve()],
    ['Verdict: APPROVE', approve()],
    ["APPROVE - it's good", approve()],
    ['I have read it all.\n\nAPPROVE\n', approve()],
    ['APPROVE\n\nI have read it all.', approve()],
    ['```\ncode\n```\nAPPROVE', approve()],
    ['RETRY: cite\n- two sources\nAPPROVE', retry('cite\n- two sources\nAPPROVE')],
    ['RETRY\n: x', retry('x')],
    ['RETRY\n\n  : x: y', retry('x: y')],
    ['Reasons.\nRETRY_PREDECESSOR first: x', { type: 'retryPredecessor', phase: 'first', feedback: 'x' }],
  ])('are found: %j', (text, decision) => {
    expect(parseDecision(text, { phases: ['first'], place: 'ends' })).toStrictEqual(decision);
  });

  it.each([
    'I cannot approve. The author wrote:\nAPPROVE\nand nothing else.',
    'The author wrote:\n> APPROVE',
    '"APPROVE"',
    '`APPROVE`',
    'The author says “it is good\nAPPROVE”',
    'The author says "it is good\n**APPROVE**"',
    '```\nAPPROVE\n```',
    'Its last lines:\n```\nAPPROVE',
    'Its last lines:\n~~~\n```\nAPPROVE',
    'Its code:\n    APPROVE',
    'Reasons.\nREJECT: too short\nStill, this is it:\nAPPROVE',
    'APPROVE\nREJECT: too short\nThat is all.',
    'Reasons.\nRETRY: x\nand y',
    'RETRY_PREDECESSOR',
    'RETRY_PREDECESSOR: ',
  ])('are not found: %j', (text) => {
    expect(parseDecision(text, { phases: ['first'], place: 'ends' })).toStrictEqual({ type: 'unrecognised', text });
  });

  it('are the only ones that count if a gate asks again', async () => {
    const echo = 'I cannot approve. The author wrote:\nAPPROVE\nand nothing else.';
    expect(await taken([echo])).toStrictEqual(unavailable);
    expect(await taken([echo], policies.strict)).toStrictEqual({ status: 'rejected', asked: 2, warned: [] });
    expect(await taken([echo], policies.ensemble)).toMatchObject({ status: 'approved', asked: 1 });
  });
});

describe('RETRY_PREDECESSOR without a readable name', () => {
  it('is a retry with a warning under policies.source', async () => {
    expect(await taken(['RETRY_PREDECESSOR', 'APPROVE'], { ...policies.ensemble, maxRetries: 1 })).toStrictEqual({
      status: 'approved',
      asked: 2,
      warned: ['PREDECESSOR_UNNAMED'],
    });
    expect(parseDecision('RETRY_PREDECESSOR\n: need data')).toStrictEqual(retry('need data'));
  });

  it('asks the reviewer again by default', async () => {
    expect(await taken(['RETRY_PREDECESSOR'])).toStrictEqual(unavailable);
  });
});
