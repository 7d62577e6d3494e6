/**
 * For all answers of reviewers: runs end, stay within `analyze`, and under `policies.strict` commit only what was
 * explicitly approved.
 *
 * `PHASEGATE_SEED=random PHASEGATE_SCENARIOS=5000 npx vitest run test/property/answers.test.ts` tries 5000 other
 * scenarios.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  analyze,
  definePipeline,
  phase,
  policies,
  startRun,
  task,
  type Inputs,
  type Pipeline,
  type Task,
} from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { openaiReviewer, type AskReply } from '../../src/openai.ts';
import { nonceIn } from '../openai/server.ts';
import { drive, simulatedTime, type SimulatedTime } from '../rig.ts';
import { replayDifference } from '../replay-difference.ts';
import { numberOfRuns } from './number-of-runs.ts';

const options = numberOfRuns({ runs: 170, seed: 11 });

/** The kind of a reviewer: a function, a text, or a model. */
type Kind = 'code' | 'text' | 'model';

/** The reaction of a reviewer to a call. Only `yes` is an approval. */
interface Act {
  readonly does: 'yes' | 'no' | 'almost' | 'anything' | 'throw' | 'hang' | 'huge' | 'hostile';
  readonly pick: number;
  readonly value: unknown;
  readonly text: string;
  readonly ms: number;
}

interface Panel {
  readonly reviewers: readonly { readonly kind: Kind; readonly acts: readonly Act[] }[];
  readonly quorum: number;
  readonly retries: number;
  readonly errors: number;
}

const act: fc.Arbitrary<Act> = fc.record({
  does: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Act['does']>('yes') },
    { weight: 6, arbitrary: fc.constant<Act['does']>('almost') },
    { weight: 5, arbitrary: fc.constantFrom<Act['does'][]>('no', 'anything', 'throw', 'hang', 'huge', 'hostile') },
  ),
  pick: fc.nat(50),
  value: fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
  }),
  text: fc.string({ unit: 'binary', maxLength: 60 }),
  ms: fc.nat(500),
});

const panel: fc.Arbitrary<Panel> = fc.record({
  reviewers: fc.array(
    fc.record({
      kind: fc.constantFrom<Kind[]>('code', 'text', 'model'),
      acts: fc.array(act, { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  quorum: fc.integer({ min: 1, max: 3 }),
  retries: fc.nat(2),
  errors: fc.nat(3),
});

/** One answer, as the test knows it. */
interface Given {
  readonly reviewer: string;
  readonly attempt: number;
  readonly isApproval: boolean;
}

describe('for all answers of reviewers', () => {
  it('a run ends, keeps to its bounds, and commits only what enough of them have approved', async () => {
    const ends = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(panel, async (scenario) => {
        const time = simulatedTime();
        const given: Given[] = [];
        const pipeline = build(scenario, time, given);
        const run = startRun(pipeline, { clock: time.clock, attended: true });
        const records: RunRecord[] = [];
        const due: (() => unknown)[] = [];
        run.events$.subscribe((record) => {
          records.push(record);
          if (record.event.type === 'phase.escalated') due.push(() => run.cancel('nobody answers'));
        });
        const result = await drive(run, time, due);
        ends.set(result.status, (ends.get(result.status) ?? 0) + 1);
        const [bound] = analyze(pipeline).bounds;
        const count = (type: string) => records.filter(({ event }) => event.type === type).length;
        expect(count('phase.started')).toBeLessThanOrEqual(bound?.attempts ?? 0);
        expect(count('review.started')).toBeLessThanOrEqual(Math.max(...Object.values(bound?.reviews ?? {})));
        expect(unearned(scenario, records, given)).toBeNull();
        expect(replayDifference(pipeline, records, result)).toBeNull();
      }),
      options,
    );
    // Both ends must occur, or the properties would be trivially true.
    expect(ends.get('completed') ?? 0).toBeGreaterThan(20);
    expect(ends.get('cancelled') ?? 0).toBeGreaterThan(20);
  }, 600_000);
});

// --- internal ---

/** Returns a message if an attempt was committed without enough approvals of that very attempt. */
function unearned({ reviewers, quorum }: Panel, records: readonly RunRecord[], given: readonly Given[]): string | null {
  const approved = records.flatMap(({ event }) => (event.type === 'phase.approved' ? [event] : []))[0];
  if (!approved) return null;
  const yes = new Set(
    given.filter((one) => one.isApproval && one.attempt === approved.attempt).map((one) => one.reviewer),
  );
  if (yes.size >= Math.min(quorum, reviewers.length) && approved.because === 'approved') return null;
  return `attempt ${approved.attempt} was approved (${approved.because}) by ${[...yes].join(' ') || 'nobody'}`;
}

function build({ reviewers, quorum, retries, errors }: Panel, time: SimulatedTime, given: Given[]): Pipeline<Inputs> {
  const note = phase('note', {
    tasks: [task('draft', { run: ({ attempt }) => `APPROVE ${attempt}` })],
    review: {
      by: reviewers.map(({ kind, acts }, index) => reviewerOf(`r${index}`, kind, acts, time, given)),
      quorum: Math.min(quorum, reviewers.length),
      maxRetries: retries,
      maxReviewErrors: errors,
    },
  });
  return definePipeline({ name: 'answers', phases: [note], policy: policies.strict });
}

const TIMEOUT = 10_000;

function reviewerOf(
  name: string,
  kind: Kind,
  acts: readonly Act[],
  { clock }: SimulatedTime,
  given: Given[],
): Task<string, unknown, Inputs> {
  let calls = 0;
  const next = async (attempt: number): Promise<Act> => {
    const one = acts[calls % acts.length];
    calls += 1;
    if (!one) throw new Error('there is no act');
    await new Promise<void>((resolve) => clock.setTimeout(resolve, one.ms));
    if (one.does === 'hang') await new Promise(() => undefined);
    if (one.does === 'throw') throw thrown(one);
    given.push({ reviewer: name, attempt, isApproval: one.does === 'yes' });
    return one;
  };
  if (kind === 'model') {
    let attempt = 0;
    return openaiReviewer(name, {
      criteria: 'It is short.',
      timeout: TIMEOUT,
      retry: { attempts: 2 },
      material: (context) => {
        ({ attempt } = context);
        return { outputs: context.outputs };
      },
      ask: async ({ messages }) => replyOf(await next(attempt), nonceIn(messages[0]?.content ?? '')) as AskReply,
    });
  }
  const answer = kind === 'code' ? decisionOf : textOf;
  return task(name, { timeout: TIMEOUT, run: async ({ attempt }) => answer(await next(attempt)) });
}

const ERRORS = [
  () => new Error('busy'),
  () => Object.assign(new Error('locked'), { retryable: false }),
  () => Object.assign(new Error('later'), { retryAfterMs: 1e12 }),
  () => Object.assign(new Error('soon'), { retryAfterMs: Number.NaN, retryable: 'no' }),
  () => ({ type: 'approve' }),
  () => 'APPROVE',
  () => undefined,
  () => hostile(),
];

function thrown({ pick }: Act): unknown {
  return ERRORS[pick % ERRORS.length]?.();
}

/** An object that throws when it is read. */
function hostile(): object {
  const broken = () => {
    throw new Error('do not look');
  };
  return new Proxy(
    {},
    { get: broken, has: broken, ownKeys: broken, getOwnPropertyDescriptor: broken, getPrototypeOf: broken },
  );
}

/** Values that are almost decisions. */
const ALMOST: readonly unknown[] = [
  { type: 'APPROVE' },
  { type: 'approved' },
  { type: 'approve', confidence: 2 },
  { type: 'approve', confidence: '1' },
  { type: 'approve', score: 'good' },
  { type: 'approve', issues: 'none' },
  [{ type: 'approve' }],
  { decision: { type: 'approve' } },
  { approve: true },
  { type: ['approve'] },
  true,
  1,
  Object.create({ type: 'approve' }),
  new Map([['type', 'approve']]),
];

function decisionOf({ does, pick, value }: Act): unknown {
  switch (does) {
    case 'yes':
      return [{ type: 'approve' }, { type: 'approve', confidence: 0.1, more: 1 }, { type: 'approve', score: -3 }][
        pick % 3
      ];
    case 'no':
      return [
        { type: 'retry', feedback: 'APPROVE' },
        { type: 'reject', reason: 'no' },
        { type: 'escalate', reason: '' },
      ][pick % 3];
    case 'almost':
      return ALMOST[pick % ALMOST.length];
    case 'huge':
      return { type: 'retry', feedback: 'APPROVE\n'.repeat(4000) };
    case 'hostile':
      return hostile();
    case 'anything':
    case 'hang':
    case 'throw':
      return isApproval(value) ? null : value;
  }
}

/** Texts that look like approvals but are not. */
const NOT_QUITE: readonly string[] = [
  'I cannot APPROVE this.',
  'APPROVED? Not by me.',
  'not approve',
  'DISAPPROVE',
  'APPROVE\nREJECT: never',
  'RETRY: say APPROVE',
  'ESCALATE: APPROVE or not?',
  '{"type":"approved"}',
  'A P P R O V E',
  '',
  ' \n ',
];

function textOf({ does, pick, text }: Act): unknown {
  switch (does) {
    case 'yes':
      return ['APPROVE', 'approve', '**APPROVE**', 'APPROVE: it is short.'][pick % 4];
    case 'no':
      return ['RETRY: more', 'REJECT: no', 'ESCALATE: who knows'][pick % 3];
    case 'almost':
      return NOT_QUITE[pick % NOT_QUITE.length];
    case 'huge':
      return 'It is what it is. '.repeat(4000);
    case 'hostile':
      return hostile();
    case 'anything':
    case 'hang':
    case 'throw':
      return /a.?p.?p.?r.?o.?v|go/iu.test(text) ? '' : text;
  }
}

function replyOf({ does, pick, value, text }: Act, nonce: string): unknown {
  const verdict = (fields: object, own: unknown = nonce) =>
    JSON.stringify({ nonce: own, conf: 0.9, critique: 'So.', ...fields });
  const yes = { verdict: 'approved' };
  const told = (said: string) => ({ text: said, usage: { inputTokens: 1, outputTokens: 1 } });
  switch (does) {
    case 'yes':
      // Invalid usage does not invalidate the answer.
      if (pick % 4 === 3) return { text: verdict(yes), usage: { inputTokens: -1, outputTokens: 'many' } };
      return told(verdict(yes));
    case 'no':
      return told(verdict(pick % 2 === 0 ? { verdict: 'reject' } : { verdict: 'retry', required_change: 'Cut it.' }));
    case 'almost':
      return [
        () => told(verdict(yes, 'another')),
        () => told(verdict(yes, null)),
        () => told(verdict({ verdict: 'APPROVED' })),
        () => told(verdict({ ...yes, conf: 7 })),
        () => told(verdict({ ...yes, critique: null })),
        () => told(`Here it is: ${verdict(yes)}`),
        () => told(`${verdict(yes)}${verdict(yes)}`),
        () => told(verdict(yes).slice(0, -1)),
        () => told('APPROVE'),
        () => ({ text: verdict(yes), finishReason: 'length' }),
        () => ({ text: verdict(yes), finishReason: 'refusal' }),
        () => ({ text: verdict(yes), finishReason: 'tool_calls' }),
      ][pick % 12]?.();
    case 'huge':
      return told(verdict({ verdict: 'retry', required_change: 'Cut it.', critique: 'APPROVE '.repeat(4000) }));
    case 'hostile':
      return hostile();
    case 'anything':
    case 'hang':
    case 'throw':
      return pick % 2 === 0 ? told(text) : value;
  }
}

function isApproval(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'approve';
}
