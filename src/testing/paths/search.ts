/**
 * The search for paths that cover a goal: to the nearest target that is not reached yet, and so on to the end.
 *
 * @module
 */
import { isPlain, isSameAct, type Act } from '../decisions/decision.ts';
import type { Step } from '../decisions/draft.ts';
import { rowOf, type Goal } from './goal.ts';
import { pressedWays } from './press.ts';
import { seatNamed, type Setting } from '../decisions/setting.ts';
import { begin } from '../decisions/step.ts';
import { ExploredStates } from './explored.ts';
import type { Move } from './timeline.ts';

/** Moves of a path, with the targets that it is the first to reach. */
export interface FoundPath {
  readonly moves: readonly Move[];
  readonly targets: readonly string[];
}

/** A point of a path between two decisions. */
interface Point {
  readonly step: Step;
  /** The latest row. */
  readonly last: string | null;
}

/** A way from a point to a target. */
interface Way {
  readonly moves: readonly Move[];
  /** True if the run ends there without being completed. */
  readonly endsBadly: boolean;
}

/** Searches for paths. It counts the steps of the model that it takes. */
export class Search {
  readonly #setting: Setting;
  readonly #goal: Goal;
  readonly #maxSteps: number;
  readonly #start: Point;
  /** Points from which no way near leads to a target. That never changes, as targets only become fewer. */
  readonly #dead = new Set<string>();
  #pressed: readonly (readonly Move[])[] | undefined;
  readonly #states: ExploredStates;
  #hasBegun = false;

  constructor(setting: Setting, goal: Goal, maxSteps: number) {
    this.#setting = setting;
    this.#goal = goal;
    this.#maxSteps = maxSteps;
    this.#states = new ExploredStates(setting);
    this.#start = { step: begin(setting), last: null };
    goal.reach(this.#start.step.shown);
  }

  /** Steps of the model so far. */
  get steps(): number {
    return this.#states.steps;
  }

  /** Finds the next path; `undefined` if no other target is found. */
  next(): FoundPath | undefined {
    // The path on which all gates approve comes first.
    const plain = this.#hasBegun ? undefined : this.#goOn([], true);
    this.#hasBegun = true;
    if (plain) return plain;
    const near = this.#goOn([]);
    if (near || this.#goal.left.length === 0) return near;
    const far = this.#pressedWay() ?? this.#farWay();
    return far && this.#goOn(far);
  }

  /** Goes on to the end, from target to target. @param first Moves from the start. @param isPlainPath True if gates only approve. */
  #goOn(first: readonly Move[], isPlainPath = false): FoundPath | undefined {
    const path: Move[] = [];
    const targets: string[] = [];
    let point = this.#start;
    const take = (moves: readonly Move[]): void => {
      for (const move of moves) {
        const found = this.#goal.newIn(move.act, move.step, point.last);
        this.#goal.reach(found);
        targets.push(...found);
        path.push(move);
        point = pointAfter(point, move);
      }
    };
    take(first);
    for (;;) {
      const { about } = this.#states.at(point.step.state);
      if (about === undefined) break;
      // After a target, each phase may have to decide again before the end.
      const most = this.#maxSteps - path.length - this.#setting.seats.length;
      const near = isPlainPath ? undefined : this.#nearWay(point, most);
      const way = near ?? this.#plainWay(point);
      if (!way || path.length + way.length > this.#maxSteps) {
        this.#goal.forget(targets);
        this.#dead.clear();
        return undefined;
      }
      take(way);
    }
    return targets.length > 0 ? { moves: path, targets } : undefined;
  }

  #plainWay({ step: { state } }: Point): readonly Move[] | undefined {
    const [act] = this.#states.at(state).acts;
    return act && [this.#states.move(state, act)];
  }

  /** Finds the shortest way on which the phase that decides next decides in one manner until a target is reached. */
  #nearWay(point: Point, most: number): readonly Move[] | undefined {
    const acts = this.#tried(this.#states.at(point.step.state).acts);
    const key = this.#keyOf(point);
    if (this.#dead.has(key)) return undefined;
    let best: Way | undefined;
    // The plain decision is the last one, so that a path does more than approve.
    for (const act of [...acts.slice(1), ...acts.slice(0, 1)])
      for (const way of this.#waysOf(point, act, most)) if (!best || isBetter(way, best)) best = way;
    if (!best) this.#dead.add(key);
    return best?.moves;
  }

  /** Ways that begin with a decision: it is repeated as often as its budget may last, and a person decides in every manner. */
  #waysOf(point: Point, act: Act, most: number): readonly Way[] {
    const moves: Move[] = [];
    let at = point;
    for (let left = this.#patienceOf(act); left > 0 && moves.length < most;) {
      const { state } = at.step;
      const { about, acts } = this.#states.at(state);
      if (about === undefined) return [];
      const isOwn = about === act.about;
      if (isOwn && moves.length > 0 && acts[0]?.by !== act.by) return this.#answers(moves, at, acts);
      const next = (isOwn ? acts.find((one) => isSameAct(one, act)) : undefined) ?? acts[0];
      if (!next) return [];
      if (isOwn) left -= 1;
      const move = this.#states.move(state, next);
      const isFound = this.#goal.newIn(next, move.step, at.last).length > 0;
      moves.push(move);
      at = pointAfter(at, move);
      if (isFound) return [wayOf(moves)];
      if (isOwn && !isSameAct(next, act)) return [];
    }
    return [];
  }

  /** Ways on which a person answers the question that a decision has led to. */
  #answers(moves: readonly Move[], at: Point, acts: readonly Act[]): readonly Way[] {
    return this.#tried(acts).flatMap((act) => {
      const move = this.#states.move(at.step.state, act);
      return this.#goal.newIn(act, move.step, at.last).length > 0 ? [wayOf([...moves, move])] : [];
    });
  }

  /**
   * Leaves out decisions that reach the same targets as another one. A person may send back every ancestor, which would be quadratic in the
   * number of phases.
   */
  #tried(acts: readonly Act[]): readonly Act[] {
    if (this.#goal.namesDecisions) return acts;
    const nearest = acts.findLast(isPersonsRewind);
    return acts.filter((act) => act === nearest || !isPersonsRewind(act));
  }

  /** Times that a decision is repeated until its budget is certainly spent. */
  #patienceOf(act: Act): number {
    const gate = seatNamed(this.#setting, act.about)?.gate;
    if (!gate || act.by === 'person' || isPlain(act)) return 1;
    const budget =
      act.decision === 'retryPredecessor'
        ? gate.maxRewinds
        : act.decision === 'retry' || act.decision === 'failedCheck'
          ? gate.maxRetries
          : gate.maxErrors;
    return budget === Infinity ? 1 : budget + 2;
  }

  /** Finds the shortest way to a target on which gates press on. */
  #pressedWay(): readonly Move[] | undefined {
    this.#pressed ??= [...pressedWays(this.#setting, this.#maxSteps)];
    const ways = this.#pressed.flatMap((moves) => {
      const at = moves.findIndex(({ act, step: made }) => this.#goal.newIn(act, made, null).length > 0);
      return at === -1 ? [] : [moves.slice(0, at + 1)];
    });
    return ways.toSorted((a, b) => a.length - b.length)[0];
  }

  /** Finds the shortest way from the start to any target, in the states that are nearest. */
  #farWay(): readonly Move[] | undefined {
    const queue: { readonly point: Point; readonly way: WayBack | null; readonly length: number }[] = [
      { point: this.#start, way: null, length: 0 },
    ];
    const seen = new Set<string>();
    const until = this.steps + MOST_FAR_STEPS;
    for (let at = 0; at < queue.length && this.steps < until; at += 1) {
      const { point, way, length } = queue[at] ?? { point: this.#start, way: null, length: this.#maxSteps };
      if (length >= this.#maxSteps) continue;
      for (const act of this.#states.at(point.step.state).acts) {
        const move = this.#states.move(point.step.state, act);
        const back = { move, before: way };
        if (this.#goal.newIn(act, move.step, point.last).length > 0) return movesOf(back);
        const after = pointAfter(point, move);
        const key = this.#keyOf(after);
        if (seen.has(key)) continue;
        seen.add(key);
        queue.push({ point: after, way: back, length: length + 1 });
      }
    }
    return undefined;
  }

  #keyOf({ step: { state }, last }: Point): string {
    return `${this.#states.keyOf(state)};${last ?? ''}`;
  }
}

// --- internal ---

/** Most steps of the model in a search through all states. */
const MOST_FAR_STEPS = 5000;

function isPersonsRewind({ by, decision }: Act): boolean {
  return by === 'person' && decision === 'retryPredecessor';
}

function pointAfter({ last }: Point, { act, step: made }: Move): Point {
  return { step: made, last: rowOf(act, made) ?? last };
}

interface WayBack {
  readonly move: Move;
  readonly before: WayBack | null;
}

function movesOf(way: WayBack): readonly Move[] {
  const moves: Move[] = [];
  for (let at: WayBack | null = way; at; at = at.before) moves.push(at.move);
  return moves.toReversed();
}

function wayOf(moves: readonly Move[]): Way {
  const ended = moves.at(-1)?.step.state.ended ?? null;
  return { moves: [...moves], endsBadly: ended !== null && ended !== 'completed' };
}

function isBetter(one: Way, other: Way): boolean {
  if (one.endsBadly !== other.endsBadly) return other.endsBadly;
  return one.moves.length < other.moves.length;
}
