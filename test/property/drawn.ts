/**
 * Phases of random scenarios, as small independent numbers.
 *
 * @module
 */
import fc from 'fast-check';
import type { InboxPolicy } from '../../src/index.ts';
import type { GateSpec, IssueAct, PhaseSpec } from '../reference/scenario.ts';

/** A phase without its predecessors. Numbers refer to other phases by their index. */
export interface DrawnPhase {
  readonly after: readonly number[];
  readonly mode: PhaseSpec['mode'];
  readonly tasks: readonly DrawnTask[];
  readonly gate: DrawnGate | null;
  readonly people: readonly DrawnAnswer[];
}

/** The policy of a question. Its times follow from the seed. */
export interface DrawnInbox {
  readonly options: Pick<InboxPolicy, 'severity' | 'queue' | 'onExpiry'>;
  readonly reminds: boolean;
  readonly raises: boolean;
  readonly expires: boolean;
}

export interface DrawnTask {
  readonly asked: DrawnInbox | null;
  readonly after: readonly number[];
  readonly asks: readonly number[];
  readonly tries: number;
  readonly calls: readonly Drawn[];
}

export interface DrawnGate {
  readonly options: Partial<GateSpec>;
  readonly rewindTo: 'predecessors' | 'ancestors' | readonly number[];
  readonly quorum: number;
  readonly inbox: DrawnInbox | null;
  readonly reviewers: readonly { readonly asked: DrawnInbox | null; readonly calls: readonly DrawnAnswer[] }[];
  readonly checks: readonly { readonly baseline: boolean; readonly calls: readonly Drawn[] }[];
}

/** One call: `to` refers to a phase to send back. */
export interface Drawn {
  readonly act: string;
  readonly to: number;
  readonly value: number;
  readonly tokens: number;
}

/** A call to a reviewer or a person, who may raise issues. */
export interface DrawnAnswer extends Drawn {
  readonly issues: readonly DrawnIssue[];
  readonly priors: readonly (readonly [string, 'fixed' | 'open' | 'withdrawn'])[] | null;
}

export interface DrawnIssue {
  readonly name: string;
  readonly severity: IssueAct['severity'];
  readonly about: 'nothing' | 'above' | 'own' | 'below' | 'nobody';
  readonly to: number;
  readonly loud: boolean;
}

function answers(max: number, acts: readonly (readonly [string, number])[]): fc.Arbitrary<readonly DrawnAnswer[]> {
  const answer = fc
    .tuple(
      drawnCall(acts.filter(([, weight]) => weight > 0)),
      rarelyMany(fc.array(drawnIssue, { minLength: 1, maxLength: 4, size: 'max' }), 2),
      fc.option(fc.uniqueArray(drawnPrior, { maxLength: 4, selector: ([name]) => name }), { nil: null, freq: 2 }),
    )
    .map(([call, issues, priors]): DrawnAnswer => ({ ...call, issues, priors }));
  return fc.array(answer, { maxLength: max, size: 'max' });
}

/** The names are few, so that they recur. `i9` is never found. */
const ISSUES = ['i0', 'i1', 'i2', 'w0', 'w1'] as const;

const drawnIssue: fc.Arbitrary<DrawnIssue> = fc.record({
  name: fc.constantFrom(...ISSUES),
  severity: fc.constantFrom<IssueAct['severity'][]>('low', 'critical', 'medium'),
  about: fc.oneof(
    { weight: 2, arbitrary: fc.constant<DrawnIssue['about']>('nothing') },
    { weight: 6, arbitrary: fc.constant<DrawnIssue['about']>('above') },
    { weight: 1, arbitrary: fc.constantFrom<DrawnIssue['about'][]>('own', 'below', 'nobody') },
  ),
  to: fc.nat(15),
  loud: fc.boolean(),
});

const drawnPrior = fc.tuple(
  fc.constantFrom(...ISSUES, 'i9'),
  fc.constantFrom<('fixed' | 'open' | 'withdrawn')[]>('fixed', 'open', 'withdrawn'),
);

/** Generates an empty list as often as others. */
function rarelyMany<T>(some: fc.Arbitrary<readonly T[]>, weight: number): fc.Arbitrary<readonly T[]> {
  return fc.oneof({ weight, arbitrary: fc.constant<readonly T[]>([]) }, { weight: 1, arbitrary: some });
}

function drawnCall(acts: readonly (readonly [string, number])[]): fc.Arbitrary<Drawn> {
  return fc.record({
    act: fc.oneof(...acts.map(([act, weight]) => ({ weight, arbitrary: fc.constant(act) }))),
    to: fc.nat(15),
    value: fc.nat(2),
    tokens: rarely(0, 1, 0.2),
  });
}

function script(max: number, acts: readonly (readonly [string, number])[]): fc.Arbitrary<readonly Drawn[]> {
  return fc.array(drawnCall(acts.filter(([, weight]) => weight > 0)), { maxLength: max, size: 'max' });
}

/** The policy of a question to people. */
export const drawnInbox: fc.Arbitrary<DrawnInbox> = fc.record({
  options: fc.record(
    {
      severity: fc.constantFrom<NonNullable<InboxPolicy['severity']>[]>('normal', 'high', 'urgent'),
      queue: fc.constant('finance'),
      onExpiry: fc.constantFrom<NonNullable<InboxPolicy['onExpiry']>[]>('stay', 'reject', { queue: 'managers' }),
    },
    { requiredKeys: [] },
  ),
  reminds: fc.boolean(),
  raises: fc.boolean(),
  expires: fc.boolean(),
});

/** Generates null, or the policy of a question if somebody is a person. */
function byPerson(people: boolean): fc.Arbitrary<DrawnInbox | null> {
  return people ? fc.option(drawnInbox, { nil: null, freq: 2 }) : fc.constant(null);
}

/** Generates a phase. @param failures True if work may fail. @param people True if people may do work. */
export function drawnPhase(failures: boolean, people: boolean): fc.Arbitrary<DrawnPhase> {
  const bad = failures ? 1 : 0;
  const odd = people ? 1 : 0;
  return fc.record({
    after: fc.oneof(
      { weight: 1, arbitrary: fc.constant<number[]>([]) },
      { weight: 5, arbitrary: fc.array(fc.nat(11), { minLength: 1, maxLength: 3, size: 'max' }) },
    ),
    mode: fc.constantFrom('dependencies', 'sequential', 'parallel'),
    tasks: fc.array(
      fc.record({
        asked: byPerson(people),
        after: fc.array(fc.nat(2), { maxLength: 1 }),
        asks: fc.array(fc.nat(11), { maxLength: 1 }),
        tries: rarely(1, 2, 0.3),
        calls: script(5, [
          ['put', 80],
          ['rework', 4],
          ['throw', bad],
        ]),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    gate: fc.option(drawnGate(bad, people), { nil: null, freq: 5 }),
    people: answers(3, [
      ['approve', 4],
      ['retry', 2],
      ['rewind', 2],
      ['reject', bad],
      ['edit', odd * 2],
      ['reclassify', odd * 2],
      ['skip', odd],
      ['abort', odd * bad],
    ]),
  });
}

function drawnGate(bad: number, people: boolean): fc.Arbitrary<DrawnGate> {
  return fc.record({
    options: fc.record(
      {
        maxRetries: fc.nat(3),
        maxPredecessorRetries: fc.nat(2),
        loopAfter: fc.constantFrom<Exclude<GateSpec['loopAfter'], undefined>[]>(2, 3, 'unlimited'),
        onExhausted: fc.constantFrom(
          'accept',
          'acceptBest',
          'escalate',
          'reject',
          ...(people ? (['escalate', 'escalate'] as const) : []),
        ),
        onUnrecognised: fc.constantFrom('approve', 'ask'),
        onInvalidTarget: fc.constantFrom('approve', 'escalate', 'ask'),
        maxReviewErrors: fc.nat(2),
        invalidate: fc.constantFrom('requester', 'changed', 'all'),
        regate: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    rewindTo: fc.oneof(
      fc.constant('predecessors' as const),
      { weight: 2, arbitrary: fc.constant('ancestors' as const) },
      fc.array(fc.nat(11), { minLength: 1, maxLength: 2 }),
    ),
    quorum: fc.integer({ min: 1, max: 3 }),
    inbox: byPerson(people),
    reviewers: fc.array(
      fc.record({
        asked: byPerson(people),
        calls: answers(6, [
          ['approve', 10],
          ['rewind', 16],
          ['retry', 6],
          ['babble', 1],
          ['malformed', 1],
          ['throw', 1],
          ['reject', bad],
          ['escalate', people ? 5 : bad],
          ['edit', people ? 4 : 0],
        ]),
      }),
      { minLength: 1, maxLength: 3, size: 'xsmall' },
    ),
    checks: fc.array(
      fc.record({
        baseline: fc.boolean(),
        calls: script(6, [
          ['pass', 3],
          ['fail', 2],
        ]),
      }),
      { maxLength: 2 },
    ),
  });
}

/** Generates one value, and another in one of that many cases. */
export function rarely<T>(mostly: T, seldom: T, share: number): fc.Arbitrary<T> {
  const weight = Math.round(share * 100);
  return fc.oneof({ weight: 100 - weight, arbitrary: fc.constant(mostly) }, { weight, arbitrary: fc.constant(seldom) });
}
