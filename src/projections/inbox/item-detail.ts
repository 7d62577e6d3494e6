/**
 * The details that a person needs to answer an item of the inbox, read from the records of its run.
 *
 * @module
 */
import { createPatch } from 'diff';
import type { EventOf, RunEvent, RunRecord, Verdict } from '../../model/events/event.ts';
import type { Inputs, Outputs } from '../../model/handlers/task.ts';
import { planGraph, type Plan } from '../../model/plan/plan.ts';
import type { Limits } from '../../model/plan/policy-schema.ts';
import { findingsAfter, recounted, type ReviewFinding } from '../../model/review/open-issues.ts';
import type { Correction } from '../../model/revision/revision.ts';
import { byName } from '../../model/values/by-name.ts';
import { namesAbove } from '../../model/values/graph.ts';
import type { RunMetrics } from '../run/run-result.ts';
import { foldRun } from '../run/run-view.ts';
import type { InboxItem } from './inbox-item.ts';
import { choicesOf, type Choice } from './item-choices.ts';

/** One attempt of the phase that an item is about. */
export interface TriedAttempt {
  /** Its number among the attempts of its phase in the whole run, from 1. */
  readonly number: number;
  readonly generation: number;
  /** 0-based, since the last fresh start of the phase; as in records. */
  readonly attempt: number;
  /** Its outputs, by task; those that a person has edited are the edited ones. */
  readonly outputs: Outputs;
  /** The original outputs of tasks that a person has edited, by task; absent if there are none. */
  readonly replaced?: Outputs | undefined;
  /** The decision of its gate; `undefined` before it. */
  readonly verdict: Verdict | undefined;
  /** Attempts in a row, up to this one, with the outputs that were sent back; absent if its outputs are new. */
  readonly unchanged?: number | undefined;
  /** The answer of each reviewer. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

/** A demanded change. */
export interface AskedChange extends Correction {
  /** The attempt of the demanding phase: see {@link TriedAttempt.number}. */
  readonly number: number;
  /** The phase that was sent back with it, if it is not the one of the item. */
  readonly to?: string | undefined;
}

/** An item with its history, and the consequences of every answer. */
export interface ItemDetail {
  readonly item: InboxItem;
  /** The inputs of the phase: outputs of its predecessors at its latest fresh start, by phase, then task. Empty for limits. */
  readonly inputs: Inputs;
  /** Attempts, the oldest first; empty for limits. */
  readonly attempts: readonly TriedAttempt[];
  /** Every change demanded of the phase so far, or by its gate of other phases; the oldest first. */
  readonly corrections: readonly AskedChange[];
  /** Findings of its reviewers that are not known to be corrected. */
  readonly findings: readonly ReviewFinding[];
  /** The phases that it needs, in topological order: an issue may be reassigned to each of them. */
  readonly reach: readonly string[];
  /** Differences between the outputs of the last two attempts, as a unified diff by task; only tasks that differ. */
  readonly changes: Readonly<Record<string, string>>;
  /** Usage of the run so far. */
  readonly used: RunMetrics;
  /** Usage of the phase: US dollars and tokens. */
  readonly phaseUsed: { readonly costUsd: number; readonly tokens: number };
  /** Limits of the run. */
  readonly limits: Limits;
  /** The tasks of the phase, whose outputs a person can edit; empty for limits. */
  readonly tasks: readonly string[];
  /** The possible answers, with their consequences. */
  readonly choices: readonly Choice[];
}

/**
 * Collects the details of an item.
 *
 * @param records Every record of its run, the oldest first.
 * @param edited Approved edits of the last attempt's outputs, if no record has them. @default none
 */
export function itemDetail(
  records: readonly RunRecord[],
  item: InboxItem,
  { edited }: { readonly edited?: Outputs | undefined } = {},
): ItemDetail {
  const view = foldRun();
  const attempts: Tried[] = [];
  const corrections: AskedChange[] = [];
  const reading = foldReading(item);
  const started = new Map<string, number>();
  let plan: Plan | undefined;
  let findings: readonly ReviewFinding[] = [];
  for (const record of records) {
    const { event } = record;
    view.apply(record);
    if (event.type === 'run.started' || event.type === 'run.resumed') plan = event.plan ?? plan;
    reading.apply(event, plan);
    noteAttempt(attempts, item, event);
    if (event.type === 'phase.started') started.set(event.phase, (started.get(event.phase) ?? 0) + 1);
    if (event.type === 'phase.retrying' || event.type === 'phase.rewinding') {
      const number = started.get(event.phase) ?? 0;
      corrections.push(...demandsAbout(item.about, event).map((one) => ({ ...one, number })));
    }
    if (event.type === 'review.decided' && event.phase === item.about) findings = findingsAfter(findings, event).open;
    if (event.type === 'phase.approved' && event.phase === item.about) findings = [];
    if (event.type === 'run.reopened') findings = recounted(findings, 0);
  }
  const snapshot = view.snapshot();
  const { costUsd = 0, tokens = 0 } = snapshot.phases[item.about] ?? {};
  const latest = attempts.at(-1);
  if (latest && edited) edit(latest, edited);
  const [before, last] = attempts.slice(-2);
  return {
    item,
    inputs: reading.inputs(),
    attempts,
    corrections,
    findings,
    reach: plan ? phasesAbove(plan, item.about) : [],
    changes: before && last ? changesOf(before.outputs, last.outputs) : {},
    used: snapshot.metrics,
    phaseUsed: { costUsd, tokens },
    limits: plan?.limits ?? {},
    tasks: plan ? tasksOf(plan, item.about) : [],
    choices: plan ? choicesOf(plan, snapshot, item, findings.length > 0) : [],
  };
}

// --- internal ---

function tasksOf({ phases }: Plan, about: string): readonly string[] {
  return phases.find(({ name }) => name === about)?.tasks.map(({ name }) => name) ?? [];
}

function phasesAbove(plan: Plan, name: string): readonly string[] {
  const graph = planGraph(plan);
  const index = graph.indexOf.get(name);
  return index === undefined ? [] : namesAbove(graph, index);
}

type Tried = { -readonly [K in keyof TriedAttempt]: TriedAttempt[K] };

/** Returns the corrections for a phase. If its own gate sends back others, it returns those corrections as well. */
function demandsAbout(
  about: string,
  event: EventOf<'phase.retrying' | 'phase.rewinding'>,
): readonly Omit<AskedChange, 'number'>[] {
  if (event.type === 'phase.retrying') return event.phase === about ? [event.correction] : [];
  const { phase, target, correction, riders = [] } = event;
  return [{ phase: target, correction }, ...riders].flatMap((one) => {
    if (one.phase === about) return [one.correction];
    return phase === about ? [{ ...one.correction, to: one.phase }] : [];
  });
}

/** Starts the fold to the inputs of a phase. A retry keeps them; every other start reads the outputs that are approved then. */
function foldReading({ kind, about }: InboxItem) {
  const approved = new Map<string, Outputs>();
  let inputs: Inputs = {};
  let isKept = false;
  return {
    apply(event: RunEvent, plan: Plan | undefined): void {
      if (event.type === 'phase.approved') approved.set(event.phase, event.outputs);
      // A reopened run starts its phases afresh.
      if (event.type === 'run.reopened') isKept = false;
      if (kind === 'limit' || !('phase' in event) || event.phase !== about) return;
      if (event.type === 'phase.retrying') isKept = true;
      if (event.type === 'phase.invalidated') isKept = false;
      if (event.type !== 'phase.started') return;
      if (!isKept) {
        const names = plan?.phases.find(({ name }) => name === about)?.after ?? [];
        inputs = byName(
          names.flatMap((name) => (approved.has(name) ? [[name, approved.get(name) ?? {}] as const] : [])),
        );
      }
      isKept = false;
    },
    inputs: () => inputs,
  };
}

function noteAttempt(attempts: Tried[], { kind, about }: InboxItem, event: RunEvent): void {
  if (kind === 'limit' || !('phase' in event) || event.phase !== about) return;
  const last = attempts.at(-1);
  if (event.type === 'phase.started') {
    const { generation, attempt } = event;
    attempts.push({ number: attempts.length + 1, generation, attempt, outputs: {}, verdict: undefined, verdicts: {} });
  } else if (last && event.type === 'task.completed') {
    last.outputs = { ...last.outputs, [event.task]: event.output };
  } else if (last && event.type === 'attempt.unchanged') {
    last.unchanged = event.times;
  } else if (last && event.type === 'review.decided') {
    last.verdict = event.verdict;
    if (event.by === 'gate') last.verdicts = event.verdicts;
    if (event.edited) edit(last, event.edited);
  }
}

function edit(last: Tried, edited: Outputs): void {
  const { outputs } = last;
  last.replaced = Object.fromEntries(Object.keys(edited).map((task) => [task, outputs[task]]));
  last.outputs = { ...outputs, ...edited };
}

function changesOf(before: Outputs, after: Outputs): Readonly<Record<string, string>> {
  const changed = Object.keys(after).flatMap((task): [string, string][] => {
    const [one, other] = [textOf(before[task]), textOf(after[task])];
    return one === other ? [] : [[task, createPatch(task, one, other, 'before', 'after')]];
  });
  return Object.fromEntries(changed);
}

/** Returns text as it is, with a line end; other values as indented JSON. */
function textOf(output: unknown): string {
  const text = typeof output === 'string' ? output : (JSON.stringify(output, null, 2) ?? '');
  return text.endsWith('\n') || text === '' ? text : `${text}\n`;
}
