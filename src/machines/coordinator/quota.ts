/**
 * What is left of the limits of a run for tries that say what they use at most.
 *
 * A try begins when what it may use fits into what is left beside all that is promised to tries at work. Where just the promises
 * are in its way, it waits for its turn; where it would not fit without them either, the limit is spent. So what is in the
 * records follows from what was used, and promises need be in none: a run that is resumed makes them anew.
 *
 * @module
 */
import type { Estimate } from '../../model/plan/options.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { isOver, isUsedUp, type LimitName, type TimeLimit } from '../../model/plan/policy.ts';
import type { Report } from '../../model/handlers/task.ts';
import type { Board } from './run-state.ts';
import { reachLimit } from './limits.ts';
import type { Stake, Till } from '../phase/quota-port.ts';

/** Limits that tries may say something about. */
const NAMES = ['costUsd', 'tokens', 'durationMs', 'deadlineMs'] as const satisfies readonly LimitName[];
type Name = (typeof NAMES)[number];

/** What a try says of each limit. */
const ESTIMATED = {
  costUsd: 'costUsd',
  tokens: 'tokens',
  durationMs: 'durationMs',
  deadlineMs: 'durationMs',
} as const satisfies Readonly<Record<Name, keyof Estimate>>;

/** The till of a run; `undefined` where none of its limits is about what tries use. */
export function createTill(board: Board): Till | undefined {
  const names = NAMES.filter((name) => board.plan.limits[name] !== undefined);
  return names.length === 0 ? undefined : new BudgetTill(board, names);
}

/** Milliseconds that tries of a plan need, each once, where they say so. */
export function timesOf({ phases }: Plan): readonly number[] {
  const all = phases.flatMap(({ tasks, gate }) => [
    ...tasks,
    ...(gate?.reviewers ?? []),
    ...(gate?.reflect ? [gate.reflect] : []),
  ]);
  return [...new Set(all.flatMap((one) => one.estimate.durationMs ?? []))];
}

// --- internal ---

class BudgetTill implements Till {
  readonly waiting: Stake[] = [];
  readonly #board: Board;
  readonly #names: readonly Name[];
  /** Tries that have begun. */
  readonly #begun = new Set<Stake>();
  /** How many of those that wait say something about each limit. */
  readonly #wanting = { costUsd: 0, tokens: 0, durationMs: 0, deadlineMs: 0 };
  readonly #promised = { tokens: 0, costUsd: 0 };
  /** How many of those that wait say nothing about any limit. */
  #plain = 0;
  /** Milliseconds that are too many for each limit of time. */
  readonly #late = { durationMs: Infinity, deadlineMs: Infinity };
  #isServing = false;
  #isDue = false;

  constructor(board: Board, names: readonly Name[]) {
    this.#board = board;
    this.#names = names;
  }

  ask(stake: Stake): void {
    if (this.#isPlain(stake)) {
      if (this.#mayBegin(stake)) this.#begin(stake);
      else {
        this.waiting.push(stake);
        this.#plain += 1;
      }
      return;
    }
    this.waiting.push(stake);
    this.#want(stake, 1);
    this.#serve();
  }

  spend(stake: Stake, { tokens = 0, costUsd = 0 }: Report): void {
    this.#promise(stake, -Math.min(stake.tokens, tokens), -Math.min(stake.costUsd, costUsd));
  }

  giveBack(stake: Stake): void {
    if (this.#begun.delete(stake)) {
      this.#promise(stake, -stake.tokens, -stake.costUsd);
      // Sums of fractions do not come back to nothing by themselves.
      if (this.#begun.size === 0) this.#promised.costUsd = 0;
    } else {
      const at = this.waiting.indexOf(stake);
      if (at === -1) return;
      this.#leave(at, stake);
    }
    this.look();
  }

  look(): void {
    if (this.#isDue || this.waiting.length === 0) return;
    this.#isDue = true;
    // Not at once: phases are stopped in the middle of what the board does.
    this.#board.ports.later(() => this.lookNow());
  }

  lookNow(): void {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#serve();
  }

  tooLate(limit: TimeLimit, ms: number): void {
    this.#late[limit] = Math.min(this.#late[limit], ms);
    this.look();
  }

  /**
   * Has tries begin in the order in which they asked; of two that want the same, the later one does not overtake. Ends where
   * nothing is left that one of those that wait could have.
   */
  #serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    const blocked = new Set<Name>();
    for (let at = 0; !this.#isHeld() && (this.#plain > 0 || this.#isAnyWanted(blocked));) {
      const stake = this.waiting[at];
      if (!stake) break;
      const wanted = this.#names.filter(
        (name) => stake.estimate[ESTIMATED[name]] !== undefined && !this.#isLifted(name),
      );
      const spent = this.#names.find((name) => this.#isSpent(name, stake));
      if (spent !== undefined) this.#refuse(spent, stake);
      if (spent === undefined && wanted.every((name) => !blocked.has(name) && this.#fits(name, stake))) {
        this.#leave(at, stake);
        this.#begin(stake);
      } else {
        for (const name of wanted) blocked.add(name);
        at += 1;
      }
    }
    this.#isServing = false;
    this.#board.ports.publish();
  }

  #leave(at: number, stake: Stake): void {
    this.waiting.splice(at, 1);
    if (this.#isPlain(stake)) this.#plain -= 1;
    else this.#want(stake, -1);
  }

  /** Whether a try says nothing about any of the limits: all that it asks is whether something is left. */
  #isPlain({ estimate }: Stake): boolean {
    return this.#names.every((name) => estimate[ESTIMATED[name]] === undefined);
  }

  /** Whether a try that says nothing may begin. Where a limit is spent, that is said. */
  #mayBegin(stake: Stake): boolean {
    if (this.#isHeld()) return false;
    const spent = this.#names.find((name) => this.#isSpent(name, stake));
    if (spent === undefined) return true;
    this.#refuse(spent, stake);
    this.#board.ports.publish();
    return false;
  }

  /** Whether nothing begins, until a person has decided or for ever. */
  #isHeld(): boolean {
    const { ended, held } = this.#board;
    return ended !== undefined || this.#names.some((name) => held.includes(name));
  }

  #isAnyWanted(blocked: ReadonlySet<Name>): boolean {
    return this.#names.some((name) => this.#wanting[name] > 0 && !blocked.has(name));
  }

  #want({ estimate }: Stake, by: 1 | -1): void {
    for (const name of this.#names) if (estimate[ESTIMATED[name]] !== undefined) this.#wanting[name] += by;
  }

  #begin(stake: Stake): void {
    const { tokens = 0, costUsd = 0 } = stake.estimate;
    this.#begun.add(stake);
    this.#promise(stake, tokens, costUsd);
    stake.go();
  }

  #promise(stake: Stake, tokens: number, costUsd: number): void {
    stake.tokens += tokens;
    stake.costUsd += costUsd;
    this.#promised.tokens += tokens;
    this.#promised.costUsd += costUsd;
  }

  #isLifted(name: Name): boolean {
    return this.#board.lifted.includes(name);
  }

  /** Whether a limit is used up, or a try does not fit into what is left of it, whatever becomes of those at work. */
  #isSpent(name: Name, { estimate }: Stake): boolean {
    const { used, plan } = this.#board;
    const wants = estimate[ESTIMATED[name]] ?? 0;
    if (this.#isLifted(name)) return false;
    if (isOfTime(name)) return wants >= this.#late[name];
    return isUsedUp(used[name], plan.limits[name]) || isOver(used[name] + wants, plan.limits[name]);
  }

  #fits(name: Name, { estimate }: Stake): boolean {
    const { used, plan } = this.#board;
    if (isOfTime(name)) return true;
    return !isOver(used[name] + this.#promised[name] + (estimate[ESTIMATED[name]] ?? 0), plan.limits[name]);
  }

  #refuse(limit: Name, { phase, task, estimate }: Stake): void {
    const max = this.#board.plan.limits[limit] ?? 0;
    const wants = estimate[ESTIMATED[limit]] ?? 0;
    const used = isOfTime(limit) ? Math.max(0, max - wants) : this.#board.used[limit];
    reachLimit(this.#board, limit, used, max, { refused: { phase, task, ...(wants > 0 && { estimate: wants }) } });
  }
}

function isOfTime(name: Name): name is TimeLimit {
  return name === 'durationMs' || name === 'deadlineMs';
}
