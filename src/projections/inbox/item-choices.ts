/**
 * The possible answers to an item of the inbox, and the consequences of each.
 *
 * @module
 */
import type { RunStatus } from '../../model/events/event.ts';
import { planGraph, type Plan } from '../../model/plan/plan.ts';
import { between, reach, type Graph } from '../../model/values/graph.ts';
import type { RunSnapshot } from '../run/run-result.ts';
import type { InboxItem } from './inbox-item.ts';
import {
  afterApproval,
  afterCorrection,
  afterRejection,
  afterSkip,
  GOES_ON,
  ifAgreed,
  type RunEnd,
} from './run-end.ts';

/** The consequences of an answer, as far as they can be known. Names of phases are in the order of the plan. */
export interface Consequences extends RunEnd {
  /** Phases that would run, or run again. */
  readonly runs: readonly string[];
  /** Phases that would run again if an output that they have read changes. */
  readonly mayRun: readonly string[];
  /** Phases that would be skipped. */
  readonly skips: readonly string[];
  /** Phases that would keep their outputs, marked as stale. */
  readonly stale: readonly string[];
  /** The budgets that it spends: a correction counts for the limit of the run, and for no budget of a gate. */
  readonly spends: string;
}

/** One kind of answer. */
export interface Choice extends Consequences {
  readonly answer:
    'approve' | 'edit' | 'retry' | 'rewind' | 'reclassify' | 'reject' | 'skip' | 'escalate' | 'value' | 'abort';
  /** The phase that would be sent back. */
  readonly phase?: string | undefined;
  /** The meaning in words. */
  readonly means: string;
}

/**
 * Returns every kind of answer that an item accepts.
 *
 * @param hasIssues True if reviewers of the phase have found issues that are open.
 */
export function choicesOf(plan: Plan, snapshot: RunSnapshot, item: InboxItem, hasIssues = false): readonly Choice[] {
  const abort: Choice = { ...NOTHING, answer: 'abort', means: 'the run ends as cancelled', ...ends('cancelled') };
  if (item.kind === 'task') {
    const means = `your answer is the output of task "${item.task}"`;
    return [{ ...NOTHING, ...valueEnd(plan, snapshot, item), answer: 'value', means }, abort];
  }
  if (item.kind === 'limit') {
    return [
      { ...NOTHING, answer: 'approve', means: 'the limit is lifted, and the run continues' },
      { ...NOTHING, answer: 'reject', means: 'the run ends as exhausted', ...ends('exhausted') },
      abort,
    ];
  }
  const scene = sceneOf(plan, snapshot, item.about);
  return scene ? [...choicesFor(scene, item, hasIssues), abort] : [abort];
}

// --- internal ---

const NOTHING: Consequences = { runs: [], mayRun: [], skips: [], stale: [], spends: 'nothing', ...GOES_ON };

function ends(endsAs: RunStatus): RunEnd {
  return { run: 'ends', endsAs };
}

/** Without a gate, the value may be the last thing that the run needs. Other tasks of the phase may still work. */
function valueEnd(plan: Plan, snapshot: RunSnapshot, { about }: InboxItem): RunEnd {
  const scene = sceneOf(plan, snapshot, about);
  return scene && !plan.phases[scene.index]?.gate ? ifAgreed(afterApproval(scene)) : GOES_ON;
}

const RECLASSIFY: Choice = {
  ...NOTHING,
  answer: 'reclassify',
  means:
    'an open issue is reassigned to the phase that you name; every phase with an open issue works again, the earliest first',
  spends: 'one correction of the run for each phase that has to correct something',
};

interface Scene {
  readonly plan: Plan;
  readonly graph: Graph;
  readonly snapshot: RunSnapshot;
  readonly index: number;
  readonly name: string;
}

function sceneOf(plan: Plan, snapshot: RunSnapshot, name: string): Scene | undefined {
  const graph = planGraph(plan);
  const index = graph.indexOf.get(name);
  return index === undefined ? undefined : { plan, graph, snapshot, index, name };
}

function choicesFor(scene: Scene, { kind, empty }: InboxItem, hasIssues: boolean): readonly Choice[] {
  const { plan, graph, index, name } = scene;
  const isReview = kind === 'review';
  const retry = isReview
    ? 'one retry of the gate, if it has one left; one correction'
    : 'one correction of the run, and no retry of the gate';
  // Other reviewers must have seen the outputs that they approve.
  const isAlone = plan.phases[index]?.gate?.reviewers.length === 1;
  const isFinal = !isReview || isAlone;
  const vote = (end: RunEnd) => (isFinal ? end : ifAgreed(end));
  const approved = vote(afterApproval(scene));
  const approve: Choice = {
    ...NOTHING,
    ...approved,
    answer: 'approve',
    means: approval(isFinal),
    runs: freed(scene),
  };
  const edit: Choice = {
    ...NOTHING,
    ...approved,
    answer: 'edit',
    means: 'your outputs replace those of the attempt, and it is approved',
    runs: freed(scene),
  };
  const corrected = isReview ? afterCorrection(scene) : GOES_ON;
  const targets = isReview ? (plan.phases[index]?.gate?.targets ?? []) : ancestors(graph, index);
  return [
    ...(empty ? [] : [approve]),
    ...(isReview && !isAlone ? [] : [edit]),
    {
      ...NOTHING,
      ...corrected,
      answer: 'retry',
      means: `"${name}" works again, with your feedback`,
      runs: [name],
      spends: retry,
    },
    ...targets.map((target) => ({ ...rewind(scene, target, isReview), ...corrected })),
    ...(hasIssues && !isReview ? [RECLASSIFY] : []),
    { ...reject(scene), ...vote(afterRejection(scene)) },
    ...(isReview
      ? [{ ...NOTHING, answer: 'escalate' as const, means: 'the phase waits for somebody else' }]
      : [skip(scene)]),
  ];
}

/** @param isFinal True if no other reviewer votes. */
function approval(isFinal: boolean): string {
  return isFinal ? 'the outputs of this attempt are committed' : 'you vote for it; its other reviewers vote too';
}

function rewind({ plan, graph, snapshot, index, name }: Scene, target: string, isReview: boolean): Choice {
  const at = graph.indexOf.get(target) ?? index;
  const again = new Set([at, ...between(graph, at, index), index]);
  const others = [...(graph.next[at] ?? [])].filter(
    (one) => !again.has(one) && hasCommit(snapshot, nameOf(graph, one)),
  );
  const names = namesIn(graph, others);
  const mode = plan.phases[index]?.gate?.invalidate ?? 'requester';
  return {
    ...NOTHING,
    answer: 'rewind',
    phase: target,
    means: `"${target}" works again, with your feedback, then the phases between, then "${name}"`,
    runs: [...namesIn(graph, [...again]), ...(mode === 'all' ? names : [])],
    mayRun: mode === 'changed' ? names : [],
    stale: mode === 'requester' ? names : [],
    spends: isReview
      ? 'one rewind of the gate, if it has one left; one correction'
      : 'one correction of the run, and no rewind of the gate',
  };
}

function reject(scene: Scene): Choice {
  const halts = scene.plan.onFailure === 'halt';
  return {
    ...NOTHING,
    ...left(scene),
    answer: 'reject',
    means: halts
      ? 'the phase is rejected, and the run ends'
      : 'the phase is rejected; phases that do not need it continue',
  };
}

function skip(scene: Scene): Choice {
  const { skips, stale } = left(scene);
  return {
    ...NOTHING,
    ...afterSkip(scene),
    answer: 'skip',
    means: 'the phase is left out, which is no failure of the run',
    skips: [scene.name, ...skips],
    stale,
  };
}

/** Returns the phases that become skipped or stale if this phase ends without approval. */
function left({ graph, snapshot, index }: Scene): Pick<Consequences, 'skips' | 'stale'> {
  const names = namesIn(graph, [...reach(graph.next, index)]);
  const waiting = names.filter((name) => snapshot.phases[name]?.status === 'pending');
  return {
    skips: waiting.filter((name) => !hasCommit(snapshot, name)),
    stale: waiting.filter((name) => hasCommit(snapshot, name)),
  };
}

/** Returns phases that wait for no other phase than this. */
function freed({ graph, snapshot, index }: Scene): readonly string[] {
  const isReady = (phase: number) =>
    (graph.before[phase] ?? []).every(
      (one) => one === index || snapshot.phases[nameOf(graph, one)]?.status === 'approved',
    );
  return namesIn(graph, [...(graph.next[index] ?? [])].filter(isReady));
}

function ancestors(graph: Graph, index: number): readonly string[] {
  return namesIn(graph, [...reach(graph.before, index)]);
}

function hasCommit({ phases }: RunSnapshot, name: string): boolean {
  return (phases[name]?.version ?? 0) > 0;
}

function namesIn(graph: Graph, phases: readonly number[]): readonly string[] {
  return phases.toSorted((a, b) => a - b).map((phase) => nameOf(graph, phase));
}

function nameOf({ names }: Graph, index: number): string {
  return names[index] ?? '';
}
