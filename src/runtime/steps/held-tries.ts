/**
 * Room in the limits of a run for tries that work elsewhere. A step has no room of its own: the host keeps it from step to step.
 *
 * @module
 */
import { Reservation, type Quota } from '../../machines/phase/quota-port.ts';
import type { Estimate } from '../../model/plan/options.ts';

/** A try that has room, or waits for it. JSON. */
export interface HeldTry {
  /** The token of its work. */
  readonly token: string;
  readonly task: string;
  readonly estimate: Estimate;
  /** Reserved tokens that are not used yet. */
  readonly tokens: number;
  /** Reserved US dollars that are not used yet. */
  readonly costUsd: number;
  /** True if it may begin. */
  readonly isGranted: boolean;
}

/** A fact about the room of a try. JSON. */
export type RoomFact =
  /** The try needs room before it begins. */
  | { readonly type: 'reserve'; readonly task: string; readonly estimate: Estimate }
  /** It is about to report usage. */
  | {
      readonly type: 'use';
      readonly task: string;
      readonly tokens?: number | undefined;
      readonly costUsd?: number | undefined;
    }
  | { readonly type: 'release'; readonly task: string };

/** The room of all tries of a run, during one step. */
export interface HeldTries {
  /** Takes the room of earlier steps. */
  restore(held: readonly HeldTry[]): void;
  take(token: string, phase: string, fact: RoomFact): void;
  /** Releases the room of work that nobody wants any more. @returns False if there was none. */
  releaseOthers(tokens: ReadonlySet<string>): boolean;
  /** The room now, in the order of the requests. */
  list(): readonly HeldTry[];
}

/** Creates the room of a step. @param phaseOf Returns the phase of a token. */
export function createHeldTries(quota: () => Quota | undefined, phaseOf: (token: string) => string): HeldTries {
  const tries = new Map<string, Held>();

  function open(token: string, phase: string, task: string, estimate: Estimate): Held {
    const held: Held = {
      token,
      isGranted: false,
      reservation: new Reservation(
        phase,
        task,
        estimate,
        () => (held.isGranted = true),
        () => false,
      ),
    };
    tries.set(keyOf(token, task), held);
    return held;
  }

  function release(token: string, task: string): void {
    const known = tries.get(keyOf(token, task));
    if (!known) return;
    tries.delete(keyOf(token, task));
    quota()?.release(known.reservation);
  }

  function hold(held: Held, tokens: number, costUsd: number): void {
    held.isGranted = true;
    quota()?.hold(held.reservation, { tokens, costUsd });
  }

  return {
    restore(all) {
      const opened = all.map((one) => ({ one, held: open(one.token, phaseOf(one.token), one.task, one.estimate) }));
      for (const { one, held } of opened) if (one.isGranted) hold(held, one.tokens, one.costUsd);
      for (const { one, held } of opened) if (!one.isGranted) quota()?.request(held.reservation);
    },
    take(token, phase, fact) {
      const known = tries.get(keyOf(token, fact.task));
      if (fact.type === 'release') release(token, fact.task);
      else if (fact.type === 'use') {
        if (known) quota()?.use(known.reservation, { tokens: fact.tokens, costUsd: fact.costUsd });
      } else if (known?.isGranted) {
        // The try begins again after its worker was lost, or it has parked. It may use all of its estimate.
        const { tokens = 0, costUsd = 0 } = fact.estimate;
        release(token, fact.task);
        hold(open(token, phase, fact.task, fact.estimate), tokens, costUsd);
      } else if (!known) quota()?.request(open(token, phase, fact.task, fact.estimate).reservation);
    },
    releaseOthers(tokens) {
      const others = [...tries.values()].filter(({ token }) => !tokens.has(token));
      for (const { token, reservation } of others) release(token, reservation.task);
      return others.length > 0;
    },
    list: () =>
      [...tries.values()].map(({ token, isGranted, reservation: { task, estimate, tokens, costUsd } }) => ({
        token,
        task,
        estimate,
        tokens,
        costUsd,
        isGranted,
      })),
  };
}

// --- internal ---

interface Held {
  readonly token: string;
  readonly reservation: Reservation;
  isGranted: boolean;
}

function keyOf(token: string, task: string): string {
  return JSON.stringify([token, task]);
}
