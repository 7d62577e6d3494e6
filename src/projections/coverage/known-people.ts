/**
 * Reviewers that are known to be people: by the functions of a pipeline, or by records.
 *
 * @module
 */
import type { Work } from '../../model/definition/compile.ts';
import { peopleIn, type PersonOf } from '../../model/definition/people.ts';
import type { RunEvent } from '../../model/events/event.ts';

/** People among reviewers, during counting. */
export interface KnownPeople {
  /** Notes a reviewer that a record has asked as a person. */
  note(event: RunEvent): void;
  readonly personOf: PersonOf;
}

/**
 * Starts with the people of a pipeline. Without its functions, only records tell of people. What they tell never asks for more entries, so
 * that another record leaves no more of them missing: expiries are left out.
 */
export function knownPeople(work: Work | undefined): KnownPeople {
  if (work) return { note: () => undefined, personOf: peopleIn(work) };
  const asked = new Set<string>();
  return {
    note(event) {
      if (event.type === 'task.asked' && event.reviewer) asked.add(nameOf(event.phase, event.task));
    },
    personOf: (phase, reviewer) => (asked.has(nameOf(phase, reviewer)) ? {} : undefined),
  };
}

// --- internal ---

function nameOf(phase: string, reviewer: string): string {
  return JSON.stringify([phase, reviewer]);
}
