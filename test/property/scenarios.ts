/**
 * Random scenarios.
 *
 * Everything is drawn as small independent numbers and then put together, so that fast-check can shrink each on its own.
 *
 * @module
 */
import fc from 'fast-check';
import type { Limits } from '../../src/index.ts';
import type {
  Call,
  CheckAct,
  GateSpec,
  IssueAct,
  PersonAct,
  PhaseSpec,
  Remarks,
  ReviewAct,
  Scenario,
  TaskAct,
  TaskSpec,
} from '../reference/scenario.ts';

/** What a random scenario may have. */
export interface Scope {
  /** @default 12 */
  readonly maxPhases?: number;
  /** Limits of the run, usage, and cancelling. @default true */
  readonly limits?: boolean;
  /** Failing tasks, rejections and escalations. @default true */
  readonly failures?: boolean;
}

/** Random scenarios; they shrink to few phases that do little. */
export function scenarios({ maxPhases = 12, limits = true, failures = true }: Scope = {}): fc.Arbitrary<Scenario> {
  return fc
    .record({
      seed: fc.integer({ min: 0, max: 0xffff }),
      phases: fc.array(drawnPhase(failures), { minLength: 1, maxLength: maxPhases, size: 'max' }),
      order: fc.array(fc.nat(11), { minLength: 0, maxLength: 12 }),
      concurrency: fc.oneof(
        { weight: 1, arbitrary: fc.constant('unlimited' as const) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
      ),
      onFailure: rarely<Scenario['onFailure']>('continue', 'halt', 0.1),
      attended: fc.boolean(),
      ...(limits ? runLimits : noLimits),
    })
    .map(({ phases, order, ...rest }) => {
      const { cancelAt, ...run } = rest;
      return {
        ...run,
        ...(cancelAt !== undefined && { cancelAt }),
        phases: shuffled(
          phases.map((one, index) => phaseOf(one, index, phases)),
          order,
        ),
      };
    });
}

// --- internal: runs ---

const runLimits = {
  onLimit: fc.constantFrom<Scenario['onLimit'][]>('stop', 'escalate'),
  lifts: fc.boolean(),
  limits: fc.oneof<fc.Arbitrary<Limits>[]>(
    fc.record({ corrections: fc.integer({ min: 0, max: 12 }) }),
    fc.record({ perPair: fc.integer({ min: 0, max: 2 }) }),
    fc.record({ attemptsPerPhase: fc.integer({ min: 1, max: 7 }) }),
    fc.record({ tokens: fc.integer({ min: 0, max: 30 }).map((tens) => tens * 10 + 5) }),
    fc.record({
      corrections: fc.integer({ min: 1, max: 6 }),
      perPair: fc.integer({ min: 1, max: 2 }),
      attemptsPerPhase: fc.integer({ min: 2, max: 4 }),
      tokens: fc.integer({ min: 1, max: 15 }).map((tens) => tens * 10 + 5),
    }),
  ),
  cancelAt: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.integer({ min: 1, max: 2 ** 34 })),
};

const noLimits: typeof runLimits = {
  onLimit: fc.constant('stop'),
  lifts: fc.constant(true),
  limits: fc.constant({}),
  cancelAt: fc.constant(undefined),
};

function rarely<T>(mostly: T, seldom: T, share: number): fc.Arbitrary<T> {
  const weight = Math.round(share * 100);
  return fc.oneof({ weight: 100 - weight, arbitrary: fc.constant(mostly) }, { weight, arbitrary: fc.constant(seldom) });
}

/** Definition order need not be topological: each number moves one phase to the front. */
function shuffled(phases: readonly PhaseSpec[], order: readonly number[]): PhaseSpec[] {
  return order.reduce<PhaseSpec[]>(
    (list, from) => {
      const [moved] = list.splice(from % list.length, 1);
      return moved ? [moved, ...list] : list;
    },
    [...phases],
  );
}

// --- internal: phases ---

/** A phase before it is known what comes before it. Numbers name other phases by their place. */
interface DrawnPhase {
  readonly after: readonly number[];
  readonly mode: PhaseSpec['mode'];
  readonly tasks: readonly DrawnTask[];
  readonly gate: DrawnGate | null;
  readonly people: readonly DrawnAnswer[];
}

interface DrawnTask {
  readonly after: readonly number[];
  readonly asks: readonly number[];
  readonly tries: number;
  readonly calls: readonly Drawn[];
}

interface DrawnGate {
  readonly options: Partial<GateSpec>;
  readonly rewindTo: 'predecessors' | 'ancestors' | readonly number[];
  readonly quorum: number;
  readonly reviewers: readonly (readonly DrawnAnswer[])[];
  readonly checks: readonly { readonly baseline: boolean; readonly calls: readonly Drawn[] }[];
}

/** One call: `to` names a phase to send back. */
interface Drawn {
  readonly act: string;
  readonly to: number;
  readonly value: number;
  readonly tokens: number;
}

/** A call of somebody who decides, who may speak of issues. */
interface DrawnAnswer extends Drawn {
  readonly issues: readonly DrawnIssue[];
  readonly priors: readonly (readonly [string, 'fixed' | 'open' | 'withdrawn'])[] | null;
}

interface DrawnIssue {
  readonly name: string;
  readonly severity: IssueAct['severity'];
  readonly about: 'nothing' | 'above' | 'own' | 'below' | 'nobody';
  readonly to: number;
  readonly loud: boolean;
}

function answers(max: number, acts: readonly (readonly [string, number])[]): fc.Arbitrary<readonly DrawnAnswer[]> {
  const answer = fc
    .tuple(
      drawnCall(acts),
      rarelyMany(fc.array(drawnIssue, { minLength: 1, maxLength: 4, size: 'max' }), 2),
      fc.option(fc.uniqueArray(drawnPrior, { maxLength: 4, selector: ([name]) => name }), { nil: null, freq: 1 }),
    )
    .map(([call, issues, priors]): DrawnAnswer => ({ ...call, issues, priors }));
  return fc.array(answer, { maxLength: max, size: 'max' });
}

/** Few, so that they come again. `i9` is never found. */
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

/** As often none as some. */
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

function drawnPhase(failures: boolean): fc.Arbitrary<DrawnPhase> {
  const bad = failures ? 1 : 0;
  return fc.record({
    after: fc.oneof(
      { weight: 1, arbitrary: fc.constant<number[]>([]) },
      { weight: 5, arbitrary: fc.array(fc.nat(11), { minLength: 1, maxLength: 3, size: 'max' }) },
    ),
    mode: fc.constantFrom('dependencies', 'sequential', 'parallel'),
    tasks: fc.array(
      fc.record({
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
    gate: fc.option(drawnGate(bad), { nil: null, freq: 5 }),
    people: answers(3, [
      ['approve', 4],
      ['retry', 2],
      ['rewind', 2],
      ['reject', bad],
    ]),
  });
}

function drawnGate(bad: number): fc.Arbitrary<DrawnGate> {
  return fc.record({
    options: fc.record(
      {
        maxRetries: fc.nat(3),
        maxPredecessorRetries: fc.nat(2),
        loopAfter: fc.constantFrom<Exclude<GateSpec['loopAfter'], undefined>[]>(2, 3, 'unlimited'),
        onExhausted: fc.constantFrom('accept', 'acceptBest', 'escalate', 'reject'),
        onUnrecognised: fc.constantFrom('approve', 'ask'),
        onInvalidTarget: fc.constantFrom('approve', 'escalate'),
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
    reviewers: fc.array(
      answers(6, [
        ['approve', 10],
        ['rewind', 16],
        ['retry', 6],
        ['babble', 1],
        ['malformed', 1],
        ['throw', 1],
        ['reject', bad],
        ['escalate', bad],
      ]),
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

// --- internal: putting together ---

function nameOf(index: number): string {
  return String.fromCharCode(97 + index);
}

function phaseOf(phase: DrawnPhase, index: number, all: readonly DrawnPhase[]): PhaseSpec {
  const after = index === 0 ? [] : [...new Set(phase.after.map((number) => nameOf(number % index)))];
  const above = ancestors(index, all);
  return {
    name: nameOf(index),
    after,
    mode: phase.mode,
    tasks: phase.tasks.map((task, at) => taskOf(task, at, phase.mode, above, phase.gate !== null)),
    gate: phase.gate && gateOf(phase.gate, above, nameOf(index), all.length),
    people: phase.people.map((one) => personAct(one, above, issuesOf(one, nameOf(index), above, all.length))),
  };
}

/** Ancestors in topological order, which is the order in which they were drawn. */
function ancestors(index: number, all: readonly DrawnPhase[]): readonly string[] {
  const reached = new Set<number>();
  const visit = (at: number): void => {
    for (const number of at === 0 ? [] : (all[at]?.after ?? [])) {
      if (reached.has(number % at)) continue;
      reached.add(number % at);
      visit(number % at);
    }
  };
  visit(index);
  return [...reached].toSorted((a, b) => a - b).map(nameOf);
}

function taskOf(
  task: DrawnTask,
  at: number,
  mode: PhaseSpec['mode'],
  above: readonly string[],
  gated: boolean,
): TaskSpec {
  return {
    name: `t${at}`,
    after: mode === 'dependencies' && at > 0 ? task.after.map((number) => `t${number % at}`) : [],
    asks: pick(above, task.asks),
    tries: task.tries,
    ...estimateOf(task.calls),
    calls: task.calls.map((one) => ({ ...taskAct(one, gated ? above : []), ...tokensOf(one) })),
  };
}

function gateOf(gate: DrawnGate, above: readonly string[], own: string, all: number): GateSpec {
  const listed = typeof gate.rewindTo === 'string' ? gate.rewindTo : pick(above, gate.rewindTo);
  return {
    ...gate.options,
    rewindTo: listed.length === 0 ? 'predecessors' : listed,
    ...(gate.reviewers.length > 1 && { quorum: Math.min(gate.quorum, gate.reviewers.length) }),
    reviewers: gate.reviewers.map((calls, at) => ({
      name: `r${at}`,
      ...estimateOf(calls),
      calls: calls.map((one) => ({
        ...reviewAct(one, above, gate.reviewers.length === 1, remarksOf(one, own, above, all)),
        ...tokensOf(one),
      })),
    })),
    checks: gate.checks.map(({ baseline, calls }, at) => ({
      name: `c${at}`,
      ...(baseline && { baseline }),
      calls: calls.map((one): Call<CheckAct> =>
        one.act === 'pass' ? { do: 'pass' } : { do: 'fail', says: `fix ${one.to}` },
      ),
    })),
  };
}

function pick(names: readonly string[], numbers: readonly number[]): string[] {
  return names.length === 0 ? [] : [...new Set(numbers.map((number) => names[number % names.length] ?? ''))];
}

/** What names no ancestor: from the middle, as fast-check likes the ends. */
const NOBODY = 11;

/** Mostly an ancestor, sometimes nothing of the kind. */
function targetOf({ to }: Drawn, above: readonly string[]): string {
  return to === NOBODY || above.length === 0 ? 'nobody' : (above[above.length - 1 - (to % above.length)] ?? 'nobody');
}

function tokensOf({ tokens }: Drawn): { readonly tokens?: number } {
  return tokens === 0 ? {} : { tokens: tokens * 10 };
}

/** What a worker says that a try uses at most: nothing, what is true, or too little. It is told from its script, which is random. */
function estimateOf({ length }: readonly Drawn[]): { readonly estimate?: number } {
  if (length % 4 === 0) return {};
  return { estimate: length % 4 === 2 ? 5 : 10 };
}

function taskAct(one: Drawn, above: readonly string[]): TaskAct {
  switch (one.act) {
    case 'rework':
      if (above.length === 0) return { do: 'put', value: one.value };
      return { do: 'rework', phase: targetOf(one, above), feedback: `rework ${one.to}` };
    case 'throw':
      return { do: 'throw' };
    default:
      return { do: 'put', value: one.value };
  }
}

function remarksOf(one: DrawnAnswer, own: string, above: readonly string[], all: number): Remarks {
  return {
    ...(one.issues.length > 0 && { issues: issuesOf(one, own, above, all) }),
    ...(one.priors && { priors: Object.fromEntries(one.priors) }),
  };
}

function issuesOf({ issues }: DrawnAnswer, own: string, above: readonly string[], all: number): readonly IssueAct[] {
  return issues.map(({ name, severity, about, to, loud }) => {
    const phase = {
      nothing: undefined,
      above: above[to % Math.max(1, above.length)],
      own,
      below: nameOf(to % all),
      nobody: 'nobody',
    }[about];
    return { name, severity, ...(phase !== undefined && { phase }), ...(loud && { loud }) };
  });
}

function reviewAct(one: Drawn, above: readonly string[], scores: boolean, remarks: Remarks): ReviewAct {
  const unsure = one.value === 2 && one.to % 5 === 3 ? { confidence: 0.5 } : {};
  switch (one.act) {
    case 'rewind':
      return { do: 'rewind', phase: targetOf(one, above), feedback: `change ${one.to}`, ...unsure, ...remarks };
    case 'retry':
      return { do: 'retry', feedback: `again ${one.to}`, ...unsure, ...(scores && { score: one.value }), ...remarks };
    case 'throw':
      // Some last, and some ask for a wait, some of those for a longer one than there is.
      if (one.to % 3 === 0) return { do: 'throw', lasts: true };
      return one.to % 3 === 1 ? { do: 'throw', waits: 1_500_007 * (1 + (one.to % 4)) } : { do: 'throw' };
    case 'babble':
    case 'malformed':
      return { do: one.act };
    case 'reject':
    case 'escalate':
      return { do: one.act, ...remarks };
    default:
      return { do: 'approve', ...remarks };
  }
}

function personAct(one: Drawn, above: readonly string[], found: readonly IssueAct[]): PersonAct {
  const issues = found.length > 0 ? { issues: found } : {};
  switch (one.act) {
    case 'retry':
      return { do: 'retry', feedback: `person ${one.to}`, ...issues };
    case 'rewind':
      return above.length === 0
        ? { do: 'approve' }
        : { do: 'rewind', phase: above[one.to % above.length] ?? '', feedback: `person ${one.to}`, ...issues };
    case 'reject':
      return { do: 'reject' };
    default:
      return { do: 'approve' };
  }
}
