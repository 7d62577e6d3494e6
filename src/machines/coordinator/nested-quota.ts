/**
 * Quota of a run that a task of another run has started: its tries need room in the limits of both.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import type { TimeLimit } from '../../model/plan/policy-schema.ts';
import { NestedReservation, Reservation, type OuterQuota, type Quota } from '../phase/quota-port.ts';

/** Returns the quota of a run within that of its parent; its own if it has no parent with limits. */
export function withinOuter(own: Quota | undefined, outer: OuterQuota | undefined): Quota | undefined {
  return outer ? new NestedQuota(own, outer) : own;
}

// --- internal ---

/** The reservations of one try. */
interface Pair {
  /** That in the limits of its own run; absent if it has none. */
  readonly inner: Reservation | undefined;
  readonly outer: Reservation;
  /** True while the parent lets the try wait. */
  isWaiting: boolean;
}

class NestedQuota implements Quota {
  readonly #own: Quota | undefined;
  readonly #outer: OuterQuota;
  readonly #pairs = new Map<Reservation, Pair>();

  constructor(own: Quota | undefined, outer: OuterQuota) {
    this.#own = own;
    this.#outer = outer;
  }

  get waiting(): readonly Reservation[] {
    const held = [...this.#pairs].flatMap(([reservation, { isWaiting }]) => (isWaiting ? reservation : []));
    return [...(this.#own?.waiting ?? []), ...held];
  }

  request(reservation: Reservation): void {
    const { phase, task, estimate, isAlone } = reservation;
    const begin = () => {
      pair.isWaiting = false;
      reservation.go();
    };
    const outer = new NestedReservation(
      this.#outer.phase,
      this.#outer.task,
      uncovered(estimate, this.#outer.covered),
      begin,
      isAlone,
    );
    const request = () => {
      if (!this.#pairs.has(reservation)) return;
      pair.isWaiting = true;
      this.#outer.request(outer);
    };
    // The parent counts usage once it is stored, so a try that follows it waits for that.
    const ask = () => this.#outer.whenStored(request);
    const Kind = reservation instanceof NestedReservation ? NestedReservation : Reservation;
    const inner = this.#own && new Kind(phase, task, estimate, ask, isAlone);
    const pair: Pair = { inner, outer, isWaiting: false };
    this.#pairs.set(reservation, pair);
    if (inner) this.#own?.request(inner);
    else ask();
  }

  hold(reservation: Reservation, left: { readonly tokens: number; readonly costUsd: number }): void {
    const { phase, task, estimate, isAlone } = reservation;
    const inner = this.#own && new Reservation(phase, task, estimate, () => undefined, isAlone);
    const outer = new NestedReservation(
      this.#outer.phase,
      this.#outer.task,
      uncovered(left, this.#outer.covered),
      () => undefined,
      isAlone,
    );
    this.#pairs.set(reservation, { inner, outer, isWaiting: false });
    if (inner) this.#own?.hold(inner, left);
    this.#outer.request(outer);
  }

  use(reservation: Reservation, used: Report): void {
    const inner = this.#pairs.get(reservation)?.inner;
    if (inner) this.#own?.use(inner, used);
  }

  release(reservation: Reservation): void {
    const pair = this.#pairs.get(reservation);
    if (!pair) return;
    this.#pairs.delete(reservation);
    if (pair.inner) this.#own?.release(pair.inner);
    const free = () => this.#outer.release(pair.outer);
    // Room stays reserved until the usage is counted.
    if (pair.isWaiting) free();
    else this.#outer.whenStored(free);
  }

  recheck(): void {
    this.#own?.recheck();
  }

  recheckNow(): void {
    this.#own?.recheckNow();
  }

  expire(limit: TimeLimit, ms: number): void {
    this.#own?.expire(limit, ms);
  }
}

/** The amounts of an estimate for which the task of the parent has reserved nothing. */
function uncovered({ tokens, costUsd, durationMs }: Estimate, covered: Estimate): Estimate {
  return {
    ...(covered.tokens === undefined && tokens !== undefined && { tokens }),
    ...(covered.costUsd === undefined && costUsd !== undefined && { costUsd }),
    ...(durationMs !== undefined && { durationMs }),
  };
}
