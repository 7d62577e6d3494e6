/**
 * What is left of the limits of a run for tries that say what they use at most.
 *
 * A try begins when what it may use fits into what is left beside all that is promised to tries at work. Where just the promises
 * are in its way, it waits for its turn; where it would not fit without them either, the limit is spent. So what is in the
 * records follows from what was used, and promises need be in none: a run that is resumed makes them anew.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { LimitName, TimeLimit } from '../../model/plan/policy-schema.ts';
import { isOver, isUsedUp } from '../../model/plan/policy.ts';
import type { Quota, Reservation } from '../phase/quota-port.ts';
import { reachLimit } from './limits.ts';
import type { RunState } from './run-state.ts';

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
export function createQuota(state: RunState): Quota | undefined {
  const names = NAMES.filter((name) => state.plan.limits[name] !== undefined);
  return names.length === 0 ? undefined : new RunQuota(state, names);
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

class RunQuota implements Quota {
  readonly waiting: Reservation[] = [];
  readonly #state: RunState;
  readonly #names: readonly Name[];
  /** Tries that have begun. */
  readonly #begun = new Set<Reservation>();
  /** How many of those that wait say something about each limit. */
  readonly #wanting = { costUsd: 0, tokens: 0, durationMs: 0, deadlineMs: 0 };
  readonly #promised = { tokens: 0, costUsd: 0 };
  /** How many of those that wait say nothing about any limit. */
  #plain = 0;
  /** Milliseconds that are too many for each limit of time. */
  readonly #late = { durationMs: Infinity, deadlineMs: Infinity };
  #isServing = false;
  #isDue = false;

  constructor(state: RunState, names: readonly Name[]) {
    this.#state = state;
    this.#names = names;
  }

  request(reservation: Reservation): void {
    if (this.#isPlain(reservation)) {
      if (this.#mayBegin(reservation)) this.#begin(reservation);
      else {
        this.waiting.push(reservation);
        this.#plain += 1;
      }
      return;
    }
    this.waiting.push(reservation);
    this.#want(reservation, 1);
    this.#serve();
  }

  use(reservation: Reservation, { tokens = 0, costUsd = 0 }: Report): void {
    this.#promise(reservation, -Math.min(reservation.tokens, tokens), -Math.min(reservation.costUsd, costUsd));
  }

  release(reservation: Reservation): void {
    if (this.#begun.delete(reservation)) {
      this.#promise(reservation, -reservation.tokens, -reservation.costUsd);
      // Sums of fractions do not come back to nothing by themselves.
      if (this.#begun.size === 0) this.#promised.costUsd = 0;
    } else {
      const at = this.waiting.indexOf(reservation);
      if (at === -1) return;
      this.#leave(at, reservation);
    }
    this.recheck();
  }

  recheck(): void {
    if (this.#isDue || this.waiting.length === 0) return;
    this.#isDue = true;
    // Not at once: phases are stopped in the middle of what the board does.
    this.#state.ports.later(() => this.recheckNow());
  }

  recheckNow(): void {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#serve();
  }

  expire(limit: TimeLimit, ms: number): void {
    this.#late[limit] = Math.min(this.#late[limit], ms);
    this.recheck();
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
      const reservation = this.waiting[at];
      if (!reservation) break;
      const wanted = this.#names.filter(
        (name) => reservation.estimate[ESTIMATED[name]] !== undefined && !this.#isLifted(name),
      );
      const spent = this.#names.find((name) => this.#isSpent(name, reservation));
      if (spent !== undefined) this.#refuse(spent, reservation);
      if (spent === undefined && wanted.every((name) => !blocked.has(name) && this.#fits(name, reservation))) {
        this.#leave(at, reservation);
        this.#begin(reservation);
      } else {
        for (const name of wanted) blocked.add(name);
        at += 1;
      }
    }
    this.#isServing = false;
    this.#state.ports.publish();
  }

  #leave(at: number, reservation: Reservation): void {
    this.waiting.splice(at, 1);
    if (this.#isPlain(reservation)) this.#plain -= 1;
    else this.#want(reservation, -1);
  }

  /** Whether a try says nothing about any of the limits: all that it asks is whether something is left. */
  #isPlain({ estimate }: Reservation): boolean {
    return this.#names.every((name) => estimate[ESTIMATED[name]] === undefined);
  }

  /** Whether a try that says nothing may begin. Where a limit is spent, that is said. */
  #mayBegin(reservation: Reservation): boolean {
    if (this.#isHeld()) return false;
    const spent = this.#names.find((name) => this.#isSpent(name, reservation));
    if (spent === undefined) return true;
    this.#refuse(spent, reservation);
    this.#state.ports.publish();
    return false;
  }

  /** Whether nothing begins, until a person has decided or for ever. */
  #isHeld(): boolean {
    const { ended, blockingLimits } = this.#state;
    return ended !== undefined || this.#names.some((name) => blockingLimits.includes(name));
  }

  #isAnyWanted(blocked: ReadonlySet<Name>): boolean {
    return this.#names.some((name) => this.#wanting[name] > 0 && !blocked.has(name));
  }

  #want({ estimate }: Reservation, by: 1 | -1): void {
    for (const name of this.#names) if (estimate[ESTIMATED[name]] !== undefined) this.#wanting[name] += by;
  }

  #begin(reservation: Reservation): void {
    const { tokens = 0, costUsd = 0 } = reservation.estimate;
    this.#begun.add(reservation);
    this.#promise(reservation, tokens, costUsd);
    reservation.go();
  }

  #promise(reservation: Reservation, tokens: number, costUsd: number): void {
    reservation.tokens += tokens;
    reservation.costUsd += costUsd;
    this.#promised.tokens += tokens;
    this.#promised.costUsd += costUsd;
  }

  #isLifted(name: Name): boolean {
    return this.#state.liftedLimits.includes(name);
  }

  /** Whether a limit is used up, or a try does not fit into what is left of it, whatever becomes of those at work. */
  #isSpent(name: Name, { estimate }: Reservation): boolean {
    const { usage, plan } = this.#state;
    const wants = estimate[ESTIMATED[name]] ?? 0;
    if (this.#isLifted(name)) return false;
    if (isOfTime(name)) return wants >= this.#late[name];
    return isUsedUp(usage[name], plan.limits[name]) || isOver(usage[name] + wants, plan.limits[name]);
  }

  #fits(name: Name, { estimate }: Reservation): boolean {
    const { usage, plan } = this.#state;
    if (isOfTime(name)) return true;
    return !isOver(usage[name] + this.#promised[name] + (estimate[ESTIMATED[name]] ?? 0), plan.limits[name]);
  }

  #refuse(limit: Name, { phase, task, estimate }: Reservation): void {
    const max = this.#state.plan.limits[limit] ?? 0;
    const wants = estimate[ESTIMATED[limit]] ?? 0;
    const used = isOfTime(limit) ? Math.max(0, max - wants) : this.#state.usage[limit];
    reachLimit(this.#state, limit, used, max, { refused: { phase, task, ...(wants > 0 && { estimate: wants }) } });
  }
}

function isOfTime(name: Name): name is TimeLimit {
  return name === 'durationMs' || name === 'deadlineMs';
}
