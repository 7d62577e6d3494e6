/**
 * Findings about review loops, and functions to make them.
 *
 * @module
 */
import type { GateHistory } from './gate-history.ts';
import type { Evidence, Occurrences } from './occurrences.ts';

/** The kinds of findings. */
export type FindingCode =
  | 'NO_BOUND'
  | 'LOOPED'
  | 'REVISION_WITHHELD'
  | 'REVISION_UNREAD'
  | 'PROMPT_BYPASSED'
  | 'OUTPUT_UNCHANGED'
  | 'CRITIQUE_REPEATED'
  | 'CHANGE_NOT_NAMED'
  | 'REVIEW_ERRORS'
  | 'EXHAUSTION_ACCEPTED'
  | 'NEVER_APPROVES'
  | 'NEVER_SENDS_BACK'
  | 'ATTEMPTS_BIMODAL'
  | 'PROMPT_GREW'
  | 'OFTEN_SENT_BACK'
  | 'AGENT_COMMAND_REFUSED';

/** One finding about one phase. */
export interface Diagnosis {
  readonly code: FindingCode;
  /** `problem` if the loop does not work, `notice` if somebody should look. */
  readonly severity: 'problem' | 'notice';
  readonly pipeline: string;
  readonly phase: string;
  /** The finding, with its numbers. */
  readonly found: string;
  /** The advice. */
  readonly advice: string;
  /** Records that show it, at most {@link MOST_EVIDENCE}; empty if the definition itself shows it. */
  readonly evidence: readonly Evidence[];
}

/** Examines one aspect of one gate. */
export type Rule = (gate: GateHistory) => Diagnosis | undefined;

/** Most records that one finding names. */
export const MOST_EVIDENCE = 3;

/** Least number of reviews, or starts, that shows a habit. */
export const FEWEST = 10;

/** Makes a finding about a phase. */
export function finding(
  { pipeline, phase }: Pick<GateHistory, 'pipeline' | 'phase'>,
  code: FindingCode,
  severity: Diagnosis['severity'],
  found: string,
  advice: string,
  ...seen: readonly Occurrences[]
): Diagnosis {
  const evidence = seen.flatMap(({ first }) => first).slice(0, MOST_EVIDENCE);
  return { code, severity, pipeline, phase, found, advice, evidence };
}
