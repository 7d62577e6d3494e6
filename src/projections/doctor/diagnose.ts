/**
 * Diagnosis of review loops from their records: each finding has its evidence and advice.
 *
 * The questions follow a checklist for fleets of reviewers and workers. The thresholds are phasegate's own; each finding names its own.
 *
 * @module
 */
import type { Diagnosis, Rule } from './diagnosis.ts';
import type { GateHistory } from './gate-history.ts';
import { attemptsBimodal, critiqueRepeated, exhaustionAccepted, looped, noBound, oftenSentBack } from './loop-rules.ts';
import { changeNotNamed, neverApproves, neverSendsBack, reviewErrors } from './review-rules.ts';
import type { SentBack } from './send-back-counts.ts';
import {
  agentRefused,
  outputUnchanged,
  promptBypassed,
  promptGrew,
  revisionUnread,
  revisionWithheld,
} from './work-rules.ts';

/** Returns findings about gates, then about phases that are sent back; problems first. */
export function diagnose(gates: readonly GateHistory[], sentBack: readonly SentBack[]): readonly Diagnosis[] {
  const found = [
    ...gates.flatMap((gate) => QUESTIONS.flatMap((ask) => ask(gate) ?? [])),
    ...sentBack.flatMap((phase) => oftenSentBack(phase) ?? []),
  ];
  return [...found.filter(isProblem), ...found.filter((one) => !isProblem(one))];
}

/** True if the loop does not work; a notice only asks for a look. */
export function isProblem({ severity }: Diagnosis): boolean {
  return severity === 'problem';
}

// --- internal ---

const QUESTIONS: readonly Rule[] = [
  noBound,
  looped,
  revisionWithheld,
  revisionUnread,
  promptBypassed,
  outputUnchanged,
  critiqueRepeated,
  changeNotNamed,
  reviewErrors,
  exhaustionAccepted,
  neverApproves,
  neverSendsBack,
  attemptsBimodal,
  promptGrew,
  agentRefused,
];
