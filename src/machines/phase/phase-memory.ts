/**
 * Memory of a phase: facts about its attempts in all generations.
 *
 * The coordinator and the phase machine hold the same value, and both change it with {@link remember}: during replay there is no
 * machine. The coordinator's memory wins. The machine works on the copy that it was given with its last start.
 *
 * @module
 */
import type { Approval, EventOf } from '../../model/events/event.ts';
import { findingsAfter, type Judgement, type ReviewFinding } from '../../model/review/open-issues.ts';
import type { Correction, Revision } from '../../model/revision/revision.ts';
import { byName } from '../../model/values/by-name.ts';
import { demandAfter, type RepeatBounds, type RepeatedDemand } from './repetition.ts';

/** A phase that has sent back another. */
export type Rewind = EventOf<'loop.detected'>['rewinds'][number];

/** Facts about the attempts of a phase, in all generations. JSON. */
export interface PhaseMemory {
  /** Times this phase has sent back each predecessor. */
  readonly rewinds: Readonly<Record<string, number>>;
  /** Every correction of this phase, oldest first. */
  readonly history: readonly Correction[];
  /** Findings of its reviewers that are not known to be corrected. */
  readonly findings: readonly ReviewFinding[];
  /** The latest rewinds that it has made, or that have sent it back, oldest first: one fewer than make a loop. */
  readonly recentRewinds: readonly Rewind[];
  /** Checks that this phase has to leave passing: they passed before its tasks began, and it was not approved since. */
  readonly mustPassChecks: readonly string[];
  /** The latest demand of its gate, if that has no issues and nothing was decided since. */
  readonly lastDemand?: RepeatedDemand | undefined;
}

/** The memory of a phase that has not begun. */
export const NO_MEMORY: PhaseMemory = Object.freeze({
  rewinds: Object.freeze({}),
  history: Object.freeze([]),
  findings: Object.freeze([]),
  recentRewinds: Object.freeze([]),
  mustPassChecks: Object.freeze([]),
  lastDemand: undefined,
});

/** The parts of a report that change the memory. */
export type Remembered =
  | ({ readonly type: 'review.decided'; readonly repeats?: RepeatBounds | undefined } & Judgement)
  | Pick<EventOf<'phase.retrying'>, 'type' | 'correction'>
  | Pick<EventOf<'phase.rewinding'>, 'type' | 'target' | 'spent'>
  | Pick<EventOf<'check.baselined'>, 'type' | 'passed'>
  | Pick<Approval, 'type' | 'because'>;

/** Returns the memory after a report; the same object if nothing changes. */
export function remember(memory: PhaseMemory, report: Remembered): PhaseMemory {
  switch (report.type) {
    case 'review.decided': {
      const findings = findingsAfter(memory.findings, report).open;
      const lastDemand = demandAfter(memory.lastDemand, report);
      const isSame = findings === memory.findings && lastDemand === memory.lastDemand;
      return isSame ? memory : { ...memory, findings, lastDemand };
    }
    case 'phase.retrying':
      return { ...memory, history: [...memory.history, report.correction] };
    case 'phase.rewinding':
      return { ...memory, rewinds: byName([...Object.entries(memory.rewinds), [report.target, report.spent]]) };
    case 'check.baselined':
      return { ...memory, mustPassChecks: [...new Set([...memory.mustPassChecks, ...report.passed])] };
    case 'phase.approved': {
      const { findings, lastDemand, mustPassChecks } = memory;
      if (findings.length + mustPassChecks.length === 0 && !lastDemand) return memory;
      const isUnjudged = report.because === 'exhausted' || report.because === 'unreviewed';
      return {
        ...memory,
        findings: NO_MEMORY.findings,
        lastDemand: undefined,
        mustPassChecks: isUnjudged ? mustPassChecks : NO_MEMORY.mustPassChecks,
      };
    }
  }
}

/** Returns the memory of a start: its history is that of the revision. */
export function withHistory(memory: PhaseMemory, revision: Revision | undefined): PhaseMemory {
  return revision ? { ...memory, history: revision.history } : memory;
}
