/**
 * What is asked of the reviews of a gate.
 *
 * @module
 */
import { count, FEWEST, finding, type Finding } from './finding.ts';
import type { GateHistory } from './gate-history.ts';

export function changeNotNamed(gate: GateHistory): Finding | undefined {
  const { vague, demands } = gate;
  if (vague.count === 0 || vague.count * 2 < demands) return undefined;
  const found = `${vague.count} of ${count(demands, 'demand')} named no required change on one line`;
  const advice =
    'Have the reviewer answer with one imperative sentence: `retry(feedback, { requiredChange })`; a check with `{ passed, requiredChange, details }`.';
  return finding(gate, 'CHANGE_NOT_NAMED', 'notice', found, advice, vague);
}

/** Counted as rejections, errors of reviewers would be this share of them. */
export function reviewErrors(gate: GateHistory): Finding | undefined {
  const { errors, demands } = gate;
  const all = errors.count + demands;
  if (errors.count === 0 || all < FEWEST || errors.count * 5 < all) return undefined;
  const share = Math.round((100 * errors.count) / all);
  const found = `${errors.count} of ${all} reviews without an approval (${share} %) were errors of the reviewer`;
  const advice =
    'They cost no attempt, but time: see their errors, and lower the load on the model or raise its limits.';
  return finding(gate, 'REVIEW_ERRORS', 'problem', found, advice, errors);
}

export function neverApproves(gate: GateHistory): Finding | undefined {
  if (gate.reviews < FEWEST || gate.approvals > 0) return undefined;
  const advice = 'See whether its criteria can be met, and whether the reviewer sees what it judges.';
  return finding(gate, 'NEVER_APPROVES', 'problem', `none of ${gate.reviews} reviews approved`, advice);
}

export function neverSendsBack(gate: GateHistory): Finding | undefined {
  if (gate.reviews < FEWEST || gate.approvals < gate.reviews) return undefined;
  const advice = 'See whether it finds a defect that is put in on purpose; a gate that always approves can go.';
  return finding(gate, 'NEVER_SENDS_BACK', 'notice', `all ${gate.reviews} reviews approved`, advice);
}
