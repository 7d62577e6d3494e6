/**
 * Rules about a review loop as a whole: its bounds and its progress.
 *
 * @module
 */
import { counted, times } from '../../model/values/counts.ts';
import { FEWEST, finding, type Diagnosis } from './diagnosis.ts';
import type { GateHistory } from './gate-history.ts';
import type { SentBack } from './send-back-counts.ts';

export function noBound(gate: GateHistory): Diagnosis | undefined {
  const { maxRetries, maxPredecessorRetries, targets } = gate.gate;
  const { corrections, attemptsPerPhase, perPair } = gate.limits;
  if (corrections !== undefined || attemptsPerPhase !== undefined) return undefined;
  const isPairFree = maxPredecessorRetries === 'unlimited' && targets.length > 0 && perPair === undefined;
  const unbounded = [
    ...(maxRetries === 'unlimited' ? ['maxRetries'] : []),
    ...(isPairFree ? ['maxPredecessorRetries'] : []),
  ];
  if (unbounded.length === 0) return undefined;
  const found = `${unbounded.join(' and ')} ${unbounded.length === 1 ? 'is' : 'are'} unlimited, and no limit of the run bounds the loop, so \`onExhausted\` never applies`;
  const advice =
    "Set a number, and onExhausted: 'escalate'; or `limits.corrections` for the run, and onLimit: 'escalate'.";
  return finding(gate, 'NO_BOUND', 'problem', found, advice);
}

/** Reports loops that the run itself has detected. */
export function looped(gate: GateHistory): Diagnosis | undefined {
  const { issueLoops, feedbackLoops, unchangedLoops, rewindLoops } = gate;
  const found = [
    { seen: issueLoops, by: 'by an issue that stayed open' },
    { seen: feedbackLoops, by: 'by a demand in the same words' },
    { seen: unchangedLoops, by: 'by attempts with the outputs that were sent back' },
    { seen: rewindLoops, by: 'by rewinds that take turns' },
  ].filter(({ seen }) => seen.count > 0);
  if (found.length === 0) return undefined;
  const all = found.reduce((sum, { seen }) => sum + seen.count, 0);
  const kinds = found.map(({ seen, by }) => `${times(seen.count)} ${by}`);
  const text = `${times(all)} it went round in a loop: ${kinds.join(', ')}`;
  const advice =
    "See if the issue is assigned to the phase that can correct it (`inbox answer --reclassify`); use onExhausted: 'escalate' to have a person look.";
  return finding(gate, 'LOOPED', 'problem', text, advice, ...found.map(({ seen }) => seen));
}

export function critiqueRepeated(gate: GateHistory): Diagnosis | undefined {
  const { repeated, rephrased, reopened, demands } = gate;
  const all = repeated.count + rephrased.count + reopened.count;
  if (all === 0) return undefined;
  const kinds = [
    ...(repeated.count > 0 ? [`${repeated.count} in the same words`] : []),
    ...(rephrased.count > 0 ? [`${rephrased.count} in other words, with the same required change`] : []),
    ...(reopened.count > 0 ? [`${reopened.count} in other words, with an issue that was open before`] : []),
  ];
  const advice =
    'See if the worker reads the revision; strategy "feedbackHistory" shows it earlier demands for the same change, "fresh" starts over.';
  const found = `${all} of ${counted(demands, 'demand')} repeated the one before: ${kinds.join(', ')}`;
  return finding(gate, 'CRITIQUE_REPEATED', 'problem', found, advice, repeated, rephrased, reopened);
}

export function exhaustionAccepted(gate: GateHistory): Diagnosis | undefined {
  const { exhausted } = gate;
  if (exhausted.count === 0) return undefined;
  const found = `${times(exhausted.count)} an attempt was accepted because the budget was spent, although the gate had not approved it and nobody was asked`;
  const advice = "Use onExhausted: 'escalate' to have a person look, or 'reject'.";
  return finding(gate, 'EXHAUSTION_ACCEPTED', 'notice', found, advice, exhausted);
}

/** Reports starts that mostly take either one attempt or three and more, but rarely two: then a retry does not help. */
export function attemptsBimodal(gate: GateHistory): Diagnosis | undefined {
  const starts = [...gate.attempts];
  const taking = (is: (attempts: number) => boolean) =>
    starts.reduce((sum, [attempts, often]) => sum + (is(attempts) ? often : 0), 0);
  const [once, twice, more] = [taking((n) => n === 1), taking((n) => n === 2), taking((n) => n >= 3)];
  const all = once + twice + more;
  if (all < FEWEST || more * 5 < all || once * 5 < all || twice * 2 > Math.min(once, more)) return undefined;
  const found = `${once} of ${all} starts took 1 attempt, ${twice} took 2, ${more} took 3 or more`;
  const advice =
    'A second attempt hardly ever helps: read the first demand of the long ones, and see if it reached the worker.';
  return finding(gate, 'ATTEMPTS_BIMODAL', 'problem', found, advice);
}

export function oftenSentBack(phase: SentBack): Diagnosis | undefined {
  const { evidence, runs, isGated } = phase;
  if (evidence.count < 3 || evidence.count * 4 < runs) return undefined;
  const found = `${times(evidence.count)} a later phase sent it back, in ${counted(runs, 'run')}`;
  const advice = isGated
    ? 'Its own gate misses defects that later phases find: add their demands to its criteria or checks.'
    : 'It has no gate: give it one that finds the defects that later phases find.';
  return finding(phase, 'OFTEN_SENT_BACK', 'notice', found, advice, evidence);
}
