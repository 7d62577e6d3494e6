/**
 * Builds phases from random numbers.
 *
 * @module
 */
import type { InboxPolicy } from '../../src/index.ts';
import {
  delayOf,
  type Call,
  type CheckAct,
  type Edits,
  type GateSpec,
  type IssueAct,
  type PersonAct,
  type PhaseSpec,
  type Remarks,
  type ReviewAct,
  type TaskAct,
  type TaskSpec,
} from '../reference/scenario.ts';
import type { Drawn, DrawnAnswer, DrawnGate, DrawnInbox, DrawnPhase, DrawnTask } from './drawn.ts';

function nameOf(index: number): string {
  return String.fromCharCode(97 + index);
}

/** Builds a phase. Numbers refer to phases by their index among all. */
export function phaseOf(phase: DrawnPhase, index: number, all: readonly DrawnPhase[], seed: number): PhaseSpec {
  const after = index === 0 ? [] : [...new Set(phase.after.map((number) => nameOf(number % index)))];
  const above = ancestors(index, all);
  const name = nameOf(index);
  const place: Place = { name, above, all: all.length, seed, isGated: phase.gate !== null };
  const tasks = phase.tasks.map((task, at) => taskOf(task, at, phase.mode, place));
  const names = tasks.map((one) => one.name);
  return {
    name,
    after,
    mode: phase.mode,
    tasks,
    gate: phase.gate && gateOf(phase.gate, place, names),
    people: phase.people.map((one) => personAct(one, place, names)),
  };
}

/** The context of a random value. */
interface Place {
  readonly name: string;
  readonly above: readonly string[];
  /** The number of phases. */
  readonly all: number;
  readonly seed: number;
  readonly isGated: boolean;
}

/** Builds the inbox policy of a question. */
export function inboxOf({ options, reminds, raises, expires }: DrawnInbox, seed: number, who: string): InboxPolicy {
  return {
    ...options,
    ...(reminds && { remindAfterMs: delayOf(seed, `reminds@${who}`, 0) }),
    ...(raises && { raiseAfterMs: delayOf(seed, `raises@${who}`, 0) }),
    ...(expires && { expireAfterMs: delayOf(seed, `expires@${who}`, 0) }),
  };
}

/** Returns ancestors in topological order, which is the order of generation. */
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

function taskOf(task: DrawnTask, at: number, mode: PhaseSpec['mode'], { name, above, seed, isGated }: Place): TaskSpec {
  const after = mode === 'dependencies' && at > 0 ? task.after.map((number) => `t${number % at}`) : [];
  if (task.asked) {
    const asked = inboxOf(task.asked, seed, `${name}/t${at}`);
    const calls = task.calls.map(({ value }): TaskAct => ({ do: 'put', value }));
    return { name: `t${at}`, after, asks: [], tries: task.tries, asked, calls };
  }
  return {
    name: `t${at}`,
    after,
    asks: pick(above, task.asks),
    tries: task.tries,
    ...estimateOf(task.calls),
    calls: task.calls.map((one) => ({ ...taskAct(one, isGated ? above : []), ...tokensOf(one) })),
  };
}

function gateOf(gate: DrawnGate, place: Place, tasks: readonly string[]): GateSpec {
  const { name: own, above, seed } = place;
  const isAlone = gate.reviewers.length === 1;
  const listed = typeof gate.rewindTo === 'string' ? gate.rewindTo : pick(above, gate.rewindTo);
  return {
    ...gate.options,
    rewindTo: listed.length === 0 ? 'predecessors' : listed,
    ...(gate.reviewers.length > 1 && { quorum: Math.min(gate.quorum, gate.reviewers.length) }),
    ...(gate.inbox && { inbox: inboxOf(gate.inbox, seed, own) }),
    reviewers: gate.reviewers.map(({ asked, calls: drawn }, at) => {
      const calls = repeated(gate, drawn);
      const name = `r${at}`;
      if (asked) {
        const said = calls.map((one) => personalAct(one, place, isAlone ? tasks : []));
        return { name, asked: inboxOf(asked, seed, `${own}?${name}`), calls: said };
      }
      return {
        name,
        ...estimateOf(calls),
        calls: calls.map((one) => ({ ...reviewAct(one, above, isAlone, remarksOf(one, place)), ...tokensOf(one) })),
      };
    }),
    checks: gate.checks.map(({ baseline, calls }, at) => ({
      name: `c${at}`,
      ...(baseline && { baseline }),
      calls: repeated(gate, calls).map((one): Call<CheckAct> =>
        one.act === 'pass' ? { do: 'pass' } : { do: 'fail', says: `fix ${one.to}` },
      ),
    })),
  };
}

function pick(names: readonly string[], numbers: readonly number[]): string[] {
  return names.length === 0 ? [] : [...new Set(numbers.map((number) => names[number % names.length] ?? ''))];
}

/** The number for an unknown phase. It is in the middle, as fast-check prefers the ends. */
const NOBODY = 11;

/** Returns mostly an ancestor, and sometimes an unknown phase. */
function targetOf({ to }: Drawn, above: readonly string[]): string {
  return to === NOBODY || above.length === 0 ? 'nobody' : (above[above.length - 1 - (to % above.length)] ?? 'nobody');
}

function tokensOf({ tokens }: Drawn): { readonly tokens?: number } {
  return tokens === 0 ? {} : { tokens: tokens * 10 };
}

/**
 * Returns the estimate of a worker: none, a true one, or one that is too low. It depends on the length of the random
 * script.
 */
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

function remarksOf(one: DrawnAnswer, place: Place): Remarks {
  return {
    ...(one.issues.length > 0 && { issues: issuesOf(one, place) }),
    ...(one.priors && { priors: Object.fromEntries(one.priors) }),
  };
}

function issuesOf({ issues }: DrawnAnswer, { name: own, above, all }: Place): readonly IssueAct[] {
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
      return rewindAct(one, targetOf(one, above), unsure, remarks);
    case 'retry':
      return { do: 'retry', feedback: `again ${one.to}`, ...unsure, ...(scores && { score: one.value }), ...remarks };
    case 'throw':
      // Some errors are final, and some ask for a wait, which may be longer than the maximum.
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

/** Builds a rewind. If its target is unknown it is mostly text, as code would end its phase by that. */
function rewindAct(one: Drawn, phase: string, unsure: { readonly confidence?: number }, remarks: Remarks): ReviewAct {
  const rewind = { do: 'rewind', phase, feedback: `change ${one.to}` } as const;
  const isText = phase === 'nobody' ? one.value !== 0 : Object.keys(remarks).length === 0 && one.value % 2 === 1;
  return isText ? { ...rewind, words: true } : { ...rewind, ...unsure, ...remarks };
}

/** Builds the act of a person as a reviewer: only valid decisions, without the status of earlier findings. */
function personalAct(one: DrawnAnswer, place: Place, tasks: readonly string[]): ReviewAct {
  const { priors: _, ...remarks } = remarksOf(one, place);
  const act = reviewAct(one, place.above, tasks.length > 0, remarks);
  if (act.do === 'babble' || act.do === 'malformed' || act.do === 'throw') return { do: 'approve' };
  return one.act === 'edit' && act.do === 'approve' ? { ...act, ...editsOf(one, tasks) } : act;
}

/** Returns new outputs of some tasks, or of all. */
function editsOf({ to, value }: Drawn, tasks: readonly string[]): { readonly outputs?: Edits } {
  if (tasks.length === 0) return {};
  const edited = to % 3 === 0 ? tasks.slice(0, 1) : tasks;
  return { outputs: Object.fromEntries(edited.map((name) => [name, 7 + value])) };
}

function personAct(one: DrawnAnswer, place: Place, tasks: readonly string[]): PersonAct {
  const { above } = place;
  const found = issuesOf(one, place);
  const issues = found.length > 0 ? { issues: found } : {};
  switch (one.act) {
    case 'retry':
      return { do: 'retry', feedback: `person ${one.to}`, ...issues };
    case 'rewind':
      return above.length === 0
        ? { do: 'approve' }
        : { do: 'rewind', phase: above[one.to % above.length] ?? '', feedback: `person ${one.to}`, ...issues };
    case 'reject':
    case 'skip':
    case 'abort':
      return { do: one.act };
    case 'edit':
      return { do: 'approve', ...editsOf(one, tasks) };
    case 'reclassify':
      return { do: 'reclassify', nth: one.value, phase: above[one.to % (above.length + 1)] ?? place.name };
    default:
      return { do: 'approve' };
  }
}

/** Repeats the first call, if the gate has one reviewer that always says the same. */
function repeated<T>({ quorum, reviewers }: DrawnGate, calls: readonly T[]): readonly T[] {
  return quorum === 3 && reviewers.length === 1 ? calls.flatMap(() => calls.slice(0, 1)) : calls;
}
