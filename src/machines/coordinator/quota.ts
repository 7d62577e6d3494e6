/**
 * Quota: room in the limits of a run for tries that estimate their usage.
 *
 * A try begins if its estimate fits into the limit next to all reservations of tries that run. If only reservations are in its way,
 * it waits for its turn. If it would not fit without them either, the limit is reached. So records follow from usage alone, and have
 * no reservations: a resumed run reserves again.
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

/** Limits that an estimate can be about. */
const NAMES = ['costUsd', 'tokens', 'durationMs', 'deadlineMs'] as const satisfies readonly LimitName[];
type Name = (typeof NAMES)[number];

/** The part of an estimate that is about each limit. */
const ESTIMATED = {
  costUsd: 'costUsd',
  tokens: 'tokens',
  durationMs: 'durationMs',
  deadlineMs: 'durationMs',
} as const satisfies Readonly<Record<Name, keyof Estimate>>;

/** Creates the quota of a run; `undefined` if none of its limits is about usage or time. */
export function createQuota(state: RunState): Quota | undefined {
  const names = NAMES.filter((name) => state.plan.limits[name] !== undefined);
  return names.length === 0 ? undefined : new RunQuota(state, names);
}

/** Returns the estimated milliseconds of all tries of a plan, without duplicates. */
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
  /** Number of waiting tries with an estimate for each limit. */
  readonly #wanting = { costUsd: 0, tokens: 0, durationMs: 0, deadlineMs: 0 };
  readonly #promised = { tokens: 0, costUsd: 0 };
  /** Number of waiting tries without any estimate. */
  #plain = 0;
  /** Estimates of so many milliseconds, or more, no longer fit into each limit of time. */
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

  hold(reservation: Reservation, { tokens, costUsd }: { readonly tokens: number; readonly costUsd: number }): void {
    this.#begun.add(reservation);
    this.#promise(reservation, tokens, costUsd);
  }

  use(reservation: Reservation, { tokens = 0, costUsd = 0 }: Report): void {
    this.#promise(reservation, -Math.min(reservation.tokens, tokens), -Math.min(reservation.costUsd, costUsd));
  }

  release(reservation: Reservation): void {
    if (this.#begun.delete(reservation)) {
      this.#promise(reservation, -reservation.tokens, -reservation.costUsd);
      // Sums of fractions may not return to 0.
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
    // Not at once: the coordinator stops phases in the middle of its work.
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
   * Starts waiting tries in the order of their requests. Of two that need the same limit, the later one does not overtake. Stops
   * when no waiting try can get anything.
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

  /** True for a try without any estimate: it needs only that something is left. */
  #isPlain({ estimate }: Reservation): boolean {
    return this.#names.every((name) => estimate[ESTIMATED[name]] === undefined);
  }

  /** True if a try without estimate may begin. Reports a limit that is reached. */
  #mayBegin(reservation: Reservation): boolean {
    if (this.#isHeld()) return false;
    const spent = this.#names.find((name) => this.#isSpent(name, reservation));
    if (spent === undefined) return true;
    this.#refuse(spent, reservation);
    this.#state.ports.publish();
    return false;
  }

  /** True if no try may begin: a person has to decide first, or the run has ended. */
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

  /** True if a limit is used up, or a try does not fit into it even without the reservations. */
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
