/**
 * Paths that press on: gates spend all their retries and rewinds before they approve.
 *
 * @module
 */
import { analyze } from '../../model/analysis/analyze.ts';
import { actsOf, nextToDecide } from '../decisions/acts.ts';
import type { Act, DecisionKind } from '../decisions/decision.ts';
import type { Setting } from '../decisions/setting.ts';
import type { PathState } from '../decisions/state.ts';
import { begin, step } from '../decisions/step.ts';
import type { Move } from './timeline.ts';

/** A way to press on: the kinds of demands in their order, and which phase is sent back first. */
interface Manner {
  readonly kinds: readonly DecisionKind[];
  readonly isNearest: boolean;
  /** The only phase that presses on, so that limits of the run are spent on it. @default all */
  readonly only?: string | undefined;
}

const DEMANDS: readonly (readonly DecisionKind[])[] = [
  ['retry', 'failedCheck', 'retryPredecessor'],
  ['retryPredecessor', 'retry', 'failedCheck'],
];

/** Makes the ways on which gates press on to the end: all gates, then each alone. @param maxSteps Longer ones are left out. */
export function* pressedWays(setting: Setting, maxSteps: number): Generator<readonly Move[]> {
  for (const manner of mannersOf(setting)) {
    const way = pressed(setting, manner, maxSteps);
    if (way) yield way;
  }
}

/** Returns the names of the bounds of the plan, such as `bound code: 9 attempts`. */
export function boundNames(setting: Setting): readonly string[] {
  return analyze(setting).bounds.flatMap(({ phase, attempts, reviews }) => {
    const asked = Object.values(reviews);
    return [attemptsName(phase, attempts), ...(asked.length > 0 ? [reviewsName(phase, Math.max(...asked))] : [])];
  });
}

/** Returns the bounds that a path would reach if they are its numbers of attempts and of reviews. */
export function reachedBounds({ seats }: Setting, moves: readonly Move[]): readonly string[] {
  return seats.flatMap(({ name }) => {
    const own = moves.filter(({ act }) => act.about === name);
    const attempts = own.filter(({ act, step: made }) => act.by === 'task' || isLastReview(made.begun, name));
    const reviews = own.filter(({ act }) => act.by === 'gate');
    return [attemptsName(name, attempts.length), reviewsName(name, reviews.length)];
  });
}

// --- internal ---

const FAILURES: readonly DecisionKind[] = ['reviewError', 'unreadable', 'unsure'];

function mannersOf({ seats }: Setting): readonly Manner[] {
  const together = [true, false].flatMap((fails) =>
    DEMANDS.flatMap((demands) =>
      [true, false].map((isNearest): Manner => ({ kinds: [...(fails ? FAILURES : []), ...demands], isNearest })),
    ),
  );
  const alone = seats.flatMap(({ name, gate }) =>
    gate ? together.filter(({ isNearest }) => isNearest).map((manner) => ({ ...manner, only: name })) : [],
  );
  return [...together, ...alone];
}

function attemptsName(phase: string, attempts: number): string {
  return `bound ${phase}: ${attempts} attempts`;
}

function reviewsName(phase: string, reviews: number): string {
  return `bound ${phase}: ${reviews} reviews`;
}

/** True if a decision ends an attempt. */
function isLastReview(begun: Move['step']['begun'], name: string): boolean {
  return !begun.some(({ about, type }) => about === name && type !== 'attempt');
}

function pressed(setting: Setting, manner: Manner, maxSteps: number): readonly Move[] | undefined {
  const moves: Move[] = [];
  let { state } = begin(setting);
  for (let about = nextToDecide(setting, state); about !== undefined; about = nextToDecide(setting, state)) {
    if (moves.length >= maxSteps) return undefined;
    const move = demand(setting, state, actsOf(setting, state, about), manner);
    if (!move) return undefined;
    moves.push(move);
    state = move.step.state;
  }
  return moves;
}

/** Makes the first demand that has an effect: its budget is left, or a limit refuses it. */
function demand(
  setting: Setting,
  state: PathState,
  acts: readonly Act[],
  { kinds, isNearest, only }: Manner,
): Move | undefined {
  const ordered = isNearest ? acts.toReversed() : acts;
  // Demands of people have no bound.
  const wanted = kinds.flatMap((kind) => ordered.filter(({ by, decision }) => by === 'gate' && decision === kind));
  const presses = only === undefined || acts[0]?.about === only;
  for (const act of presses ? wanted : []) {
    const made = step(setting, state, act);
    const isGranted = made.shown.some((name) => name.includes(' granted') || name.startsWith('limit '));
    if (isGranted && !isEndless(setting, act)) return { act, step: made };
  }
  const [plain] = acts;
  return plain && { act: plain, step: step(setting, state, plain) };
}

/** True for a demand without a budget and without a limit, which would be made without end. */
function isEndless({ seats, plan: { limits } }: Setting, { about, decision }: Act): boolean {
  const gate = seats.find(({ name }) => name === about)?.gate;
  if (FAILURES.some((one) => one === decision)) return gate?.maxErrors === Infinity;
  if (limits.corrections !== undefined) return false;
  if (decision === 'retryPredecessor') return gate?.maxRewinds === Infinity && limits.perPair === undefined;
  return gate?.maxRetries === Infinity && limits.attemptsPerPhase === undefined;
}
