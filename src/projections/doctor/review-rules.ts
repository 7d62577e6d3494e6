/**
 * Rules about the reviews of a gate.
 *
 * @module
 */
import { counted } from '../../model/values/counts.ts';
import { FEWEST, finding, type Diagnosis } from './diagnosis.ts';
import type { GateHistory } from './gate-history.ts';

export function changeNotNamed(gate: GateHistory): Diagnosis | undefined {
  const { vague, demands } = gate;
  if (vague.count === 0 || vague.count * 2 < demands) return undefined;
  const found = `${vague.count} of ${counted(demands, 'demand')} named no required change on one line`;
  const advice =
    'Have the reviewer answer with one imperative sentence: `retry(feedback, { requiredChange })`; a check with `{ passed, requiredChange, details }`.';
  return finding(gate, 'CHANGE_NOT_NAMED', 'notice', found, advice, vague);
}

/** Finds a reviewer that fails more often than a healthy one. The confidence bound keeps a few rate limits from counting. */
export function reviewErrors(gate: GateHistory): Diagnosis | undefined {
  const { errors, reviews } = gate;
  const all = errors.count + reviews;
  if (all < FEWEST || leastShare(errors.count, all) < TOLERATED_ERRORS) return undefined;
  const share = Math.round((100 * errors.count) / all);
  const found = `${errors.count} of ${all} reviews (${share} %) were errors of the reviewer: more than 1 in 10, with 95 % confidence`;
  const advice =
    'They cost no attempt, but time: see their errors, and lower the load on the model or raise its limits.';
  return finding(gate, 'REVIEW_ERRORS', 'problem', found, advice, errors);
}

export function neverApproves(gate: GateHistory): Diagnosis | undefined {
  if (gate.reviews < FEWEST || gate.approvals > 0) return undefined;
  const advice = 'See if its criteria can be met, and if the reviewer sees the outputs that it judges.';
  return finding(gate, 'NEVER_APPROVES', 'problem', `none of ${gate.reviews} reviews approved`, advice);
}

export function neverSendsBack(gate: GateHistory): Diagnosis | undefined {
  if (gate.reviews < FEWEST || gate.approvals < gate.reviews) return undefined;
  const advice = 'See if it finds a defect that you inject on purpose; a gate that always approves can be removed.';
  return finding(gate, 'NEVER_SENDS_BACK', 'notice', `all ${gate.reviews} reviews approved`, advice);
}

// --- internal ---

/** Tolerated share of failed reviews, such as by an occasional rate limit. */
const TOLERATED_ERRORS = 0.1;

/** The quantile of the normal distribution for a one-sided bound of 95 %. */
const Z = 1.645;

/**
 * Returns the lower bound of a share, with 95 % confidence, by Wilson's score interval.
 *
 * Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927.
 */
function leastShare(part: number, all: number): number {
  const share = part / all;
  const spread = Z * Math.sqrt((share * (1 - share)) / all + (Z * Z) / (4 * all * all));
  return (share + (Z * Z) / (2 * all) - spread) / (1 + (Z * Z) / all);
}
