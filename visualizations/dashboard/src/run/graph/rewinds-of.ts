/**
 * The rewinds that gates allow, and those of one phase in words.
 *
 * @module
 */
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import { atMost, mayRewind, type RewindPair } from '../../../../layout/ways-back.ts';
import type { SentBack } from '../../data/run-history.ts';
import { inOneLine, startOf } from '../../parts/untrusted-text.ts';
import { counted } from '../../parts/words.ts';

/** Lists all pairs of a phase and a phase that its gate may send back. */
export function allowedRewinds(plan: Plan): readonly RewindPair[] {
  return plan.phases.flatMap(({ name: from }) => targetsOf(plan, from).map((to) => ({ from, to })));
}

/** The rewinds of a phase that are allowed and have not happened. */
export function openRewinds(plan: Plan, from: string, sentBack: readonly SentBack[]): readonly RewindPair[] {
  const taken = new Set(sentBack.flatMap((one) => (one.from === from ? [one.to] : [])));
  return targetsOf(plan, from).flatMap((to) => (taken.has(to) ? [] : [{ from, to }]));
}

/** True if a gate of the plan may send back another phase. */
export function hasRewinds({ phases }: Plan): boolean {
  return phases.some(({ gate }) => gate !== null && mayRewind(gate) && gate.targets.length > 0);
}

/** The rewinds of a phase as a sentence or more: those that its gate allows, and those of the run. */
export function rewindWords(plan: Plan, phase: string, sentBack: readonly SentBack[]): string {
  const targets = targetsOf(plan, phase);
  const gate = plan.phases.find(({ name }) => name === phase)?.gate;
  const name = short(phase);
  const back = sentBack.filter(({ from }) => from === phase).map(({ to, times }) => `${short(to)} ${timesText(times)}`);
  const by = sentBack.filter(({ to }) => to === phase).map(({ from, times }) => `${short(from)} ${timesText(times)}`);
  return [
    gate && targets.length > 0
      ? `${name} may send back ${listed(targets.map(short))} (${atMost(gate.maxPredecessorRetries)} each).`
      : `${name} may send back no phase.`,
    ...(back.length === 0 ? [] : [`It has sent back ${listed(back)}.`]),
    ...(by.length === 0 ? [] : [`It was sent back by ${listed(by)}.`]),
  ].join(' ');
}

/** The senders of a phase with the number of times, for example `check once, print 2 times`. */
export function sendersText(to: string, sentBack: readonly SentBack[]): string {
  const senders = sentBack.filter((one) => one.to === to);
  return `${short(to)} was sent back by ${listed(senders.map(({ from, times }) => `${short(from)} ${timesText(times)}`))}`;
}

// --- internal ---

/** The most names in a sentence. */
const MOST_NAMES = 4;

function targetsOf({ phases }: Plan, phase: string): readonly string[] {
  const gate = phases.find(({ name }) => name === phase)?.gate;
  return gate && mayRewind(gate) ? gate.targets : [];
}

function short(name: string): string {
  return startOf(inOneLine(name), 60);
}

function timesText(times: number): string {
  return times === 1 ? 'once' : `${times} times`;
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  const shown = names.slice(0, more > 1 ? MOST_NAMES : MOST_NAMES + 1);
  const all = more > 1 ? [...shown, counted(more, 'other')] : shown;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}
