/**
 * The work in all phases of a run, with the number of phases that work, and of those that wait for people.
 *
 * @module
 */
import {
  applyToWork,
  beginWork,
  isSettled,
  waitsForPerson,
  works,
  type PhaseEvent,
  type PhaseWork,
} from './phase-work.ts';

/** A fold over the events of phases. A class, as functions of its own would take a kilobyte of each run. */
export class WorkCounts {
  #phases = new Map<string, PhaseWork>();
  #working = 0;
  #waiting = 0;

  /** Number of phases at work. */
  get working(): number {
    return this.#working;
  }

  /** Number of phases that wait for a person. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The phases that have begun and not ended, by name. */
  get phases(): ReadonlyMap<string, PhaseWork> {
    return this.#phases;
  }

  /**
   * Applies an event.
   *
   * @param isHeld True if a limit lets no try begin.
   * @param reviewers The number of reviewers of each phase. @default none
   */
  apply(event: PhaseEvent, isHeld: boolean, reviewers: ReadonlyMap<string, number> | undefined): void {
    const known = this.#phases.get(event.phase);
    if (known) this.#add(known, -1, isHeld);
    const phase = event.type === 'phase.started' ? beginWork(known, reviewers?.get(event.phase) ?? 0) : known;
    if (!phase) return;
    if (isSettled(event)) {
      this.#phases.delete(event.phase);
      return;
    }
    if (phase !== known) this.#phases.set(event.phase, phase);
    applyToWork(phase, event, isHeld);
    this.#add(phase, 1, isHeld);
  }

  /** Counts all phases again, as they have changed, or as a limit has begun or ceased to hold the run. */
  recount(isHeld: boolean): void {
    this.#working = 0;
    this.#waiting = 0;
    for (const phase of this.#phases.values()) {
      if (!isHeld) phase.isHeldBack = false;
      this.#add(phase, 1, isHeld);
    }
  }

  /** Forgets all phases. */
  clear(): void {
    this.#phases.clear();
    this.#working = 0;
    this.#waiting = 0;
  }

  /** Returns a fold that goes on from here by itself. */
  copy(): WorkCounts {
    const made = new WorkCounts();
    made.#phases = structuredClone(this.#phases);
    made.#working = this.#working;
    made.#waiting = this.#waiting;
    return made;
  }

  /** Adds a phase to the counts, or removes it. */
  #add(phase: PhaseWork, by: 1 | -1, isHeld: boolean): void {
    if (works(phase, isHeld)) this.#working += by;
    if (waitsForPerson(phase)) this.#waiting += by;
  }
}
