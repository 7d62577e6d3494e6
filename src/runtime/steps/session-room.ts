/**
 * Room for the tries of one session of work: each asks the run, and begins once the run has granted it.
 *
 * @module
 */
import type { Quota, Reservation } from '../../machines/phase/quota-port.ts';
import type { RoomFact } from './held-tries.ts';

/** The room of a session. */
export interface SessionRoom {
  readonly quota: Quota;
  /** Notes that the run is told all requests so far. */
  noteTold(): void;
  /** Begins tries that the run has granted. Those that it was told of, and has not granted, wait. @param step Number of the answer; a repeated one changes nothing. */
  grant(step: number, tasks: readonly string[]): void;
  /** True if the run has not answered a request yet. */
  isAsking(): boolean;
  /** The tasks that wait for room. */
  waiting(): readonly string[];
}

/** Creates the room of a session. @param tell Tells the run. */
export function createSessionRoom(tell: (fact: RoomFact) => void): SessionRoom {
  const requests = new Map<string, { readonly reservation: Reservation; stage: 'made' | 'told' | 'waiting' }>();
  let answered = 0;
  return {
    quota: {
      waiting: [],
      request(reservation) {
        const { task, estimate } = reservation;
        requests.set(task, { reservation, stage: 'made' });
        tell({ type: 'reserve', task, estimate });
      },
      hold: () => undefined,
      use: ({ task }, { tokens, costUsd }) => tell({ type: 'use', task, tokens, costUsd }),
      release({ task }) {
        requests.delete(task);
        tell({ type: 'release', task });
      },
      recheck: () => undefined,
      recheckNow: () => undefined,
      expire: () => undefined,
    },
    noteTold() {
      for (const request of requests.values()) if (request.stage === 'made') request.stage = 'told';
    },
    grant(step, tasks) {
      if (step <= answered) return;
      answered = step;
      for (const [task, request] of requests) {
        if (request.stage === 'made') continue;
        request.stage = 'waiting';
        if (!tasks.includes(task)) continue;
        requests.delete(task);
        request.reservation.go();
      }
    },
    isAsking: () => [...requests.values()].some(({ stage }) => stage !== 'waiting'),
    waiting: () => [...requests].flatMap(([task, { stage }]) => (stage === 'waiting' ? task : [])),
  };
}
