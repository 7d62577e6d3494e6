/**
 * What is wrong with review loops, as far as their records tell: each finding with its evidence and what to change.
 *
 * The questions are those of a checklist for fleets of reviewers and workers; the thresholds are ours, and are named in each
 * finding.
 *
 * @module
 */
import type { Evidence, GateHistory } from './gate-history.ts';

/** What can be found. */
export type FindingCode =
  | 'CRITIQUE_REPEATED'
  | 'REVIEW_ERRORS'
  | 'CHANGE_NOT_NAMED'
  | 'REVISION_WITHHELD'
  | 'NO_BOUND'
  | 'EXHAUSTION_ACCEPTED'
  | 'ATTEMPTS_BIMODAL'
  | 'PROMPT_GREW'
  | 'NEVER_SENDS_BACK'
  | 'NEVER_APPROVES'
  | 'OFTEN_SENT_BACK';

/** One finding about one gate. */
export interface Finding {
  readonly code: FindingCode;
  /** `problem` where the loop does not work, `notice` where somebody should look. */
  readonly severity: 'problem' | 'notice';
  readonly pipeline: string;
  readonly phase: string;
  /** What was found, with its numbers. */
  readonly found: string;
  /** What to change. */
  readonly advice: string;
  /** Records that show it, at most {@link MOST_EVIDENCE}; empty where the definition itself does. */
  readonly evidence: readonly Evidence[];
}

/** Records that are named with one finding. */
export const MOST_EVIDENCE = 3;

/** Fewer reviews, or starts, than this say nothing about a habit. */
export const FEWEST = 10;

/** Findings about gates, problems first, then in the order of the gates. */
export function diagnose(gates: readonly GateHistory[]): readonly Finding[] {
  const found = gates.flatMap((gate) => QUESTIONS.flatMap((ask) => ask(gate) ?? []));
  return [...found.filter(isProblem), ...found.filter((one) => !isProblem(one))];
}

/** Whether the loop does not work, as opposed to: somebody should look. */
export function isProblem({ severity }: Finding): boolean {
  return severity === 'problem';
}

// --- internal ---

type Question = (gate: GateHistory) => Finding | undefined;

const QUESTIONS: readonly Question[] = [
  noBound,
  revisionWithheld,
  critiqueRepeated,
  changeNotNamed,
  reviewErrors,
  exhaustionAccepted,
  neverApproves,
  neverSendsBack,
  attemptsBimodal,
  promptGrew,
  oftenSentBack,
];

function finding(
  { pipeline, phase }: GateHistory,
  code: FindingCode,
  severity: Finding['severity'],
  found: string,
  advice: string,
  evidence: readonly Evidence[] = [],
): Finding {
  return { code, severity, pipeline, phase, found, advice, evidence: evidence.slice(0, MOST_EVIDENCE) };
}

function noBound(gate: GateHistory): Finding | undefined {
  const { maxRetries, maxPredecessorRetries } = gate.gate;
  const unbounded = [
    ...(maxRetries === 'unlimited' ? ['maxRetries'] : []),
    ...(maxPredecessorRetries === 'unlimited' && gate.gate.targets.length > 0 ? ['maxPredecessorRetries'] : []),
  ];
  if (unbounded.length === 0 || gate.isLimited) return undefined;
  const found = `${unbounded.join(' and ')} ${unbounded.length === 1 ? 'is' : 'are'} unlimited, and no limit of the run bounds the loop`;
  return finding(gate, 'NO_BOUND', 'problem', found, 'Set a number, or `limits.corrections` for the run.');
}

function revisionWithheld(gate: GateHistory): Finding | undefined {
  if (gate.gate.strategy !== 'none' || gate.demands === 0) return undefined;
  const found = `${times(gate.demands)} a change was asked for, and strategy "none" keeps that out of the prompt`;
  const advice = "Use strategy 'feedback', or have the handler read `revision`.";
  return finding(gate, 'REVISION_WITHHELD', 'problem', found, advice);
}

function critiqueRepeated(gate: GateHistory): Finding | undefined {
  const { repeated, demands } = gate;
  if (repeated.length === 0) return undefined;
  const found = `${repeated.length} of ${count(demands, 'demand')} had the words of the one before`;
  const advice =
    'See whether the worker reads the revision; strategy "feedbackHistory" tells it that a change was asked for before, "fresh" starts over.';
  return finding(gate, 'CRITIQUE_REPEATED', 'problem', found, advice, repeated);
}

function changeNotNamed(gate: GateHistory): Finding | undefined {
  const { vague, demands } = gate;
  if (vague.length === 0 || vague.length * 2 < demands) return undefined;
  const found = `${vague.length} of ${count(demands, 'demand')} named no required change`;
  const advice = 'Have the reviewer answer with one imperative sentence: `retry(feedback, { requiredChange })`.';
  return finding(gate, 'CHANGE_NOT_NAMED', 'notice', found, advice, vague);
}

/** Counted as rejections, errors of reviewers would be this share of them. */
function reviewErrors(gate: GateHistory): Finding | undefined {
  const { errors, demands } = gate;
  const all = errors.length + demands;
  if (errors.length === 0 || all < FEWEST || errors.length * 5 < all) return undefined;
  const share = Math.round((100 * errors.length) / all);
  const found = `${errors.length} of ${all} reviews without an approval (${share} %) were errors of the reviewer`;
  const advice =
    'They cost no attempt, but time: see their errors, and lower the load on the model or raise its limits.';
  return finding(gate, 'REVIEW_ERRORS', 'problem', found, advice, errors);
}

function exhaustionAccepted(gate: GateHistory): Finding | undefined {
  const { exhausted } = gate;
  if (exhausted.length === 0) return undefined;
  const found = `${times(exhausted.length)} an attempt stood because the budget was spent, though the gate had not approved it`;
  const advice = "Use onExhausted: 'escalate' to have a person look, or 'reject'.";
  return finding(gate, 'EXHAUSTION_ACCEPTED', 'notice', found, advice, exhausted);
}

function neverApproves(gate: GateHistory): Finding | undefined {
  if (gate.reviews < FEWEST || gate.approvals > 0) return undefined;
  const advice = 'See whether its criteria can be met, and whether the reviewer sees what it judges.';
  return finding(gate, 'NEVER_APPROVES', 'problem', `none of ${gate.reviews} reviews approved`, advice);
}

function neverSendsBack(gate: GateHistory): Finding | undefined {
  if (gate.reviews < FEWEST || gate.approvals < gate.reviews) return undefined;
  const advice = 'See whether it finds a defect that is put in on purpose; a gate that always approves can go.';
  return finding(gate, 'NEVER_SENDS_BACK', 'notice', `all ${gate.reviews} reviews approved`, advice);
}

/** Mostly the first attempt or mostly the third and later, and little between: a retry does not help where it is needed. */
function attemptsBimodal(gate: GateHistory): Finding | undefined {
  const starts = [...gate.attempts];
  const taking = (is: (attempts: number) => boolean) =>
    starts.reduce((sum, [attempts, often]) => sum + (is(attempts) ? often : 0), 0);
  const [once, twice, more] = [taking((n) => n === 1), taking((n) => n === 2), taking((n) => n >= 3)];
  const all = once + twice + more;
  if (all < FEWEST || more * 5 < all || once * 5 < all || twice * 2 > Math.min(once, more)) return undefined;
  const found = `${once} of ${all} starts took 1 attempt, ${twice} took 2, ${more} took 3 or more`;
  const advice =
    'A second attempt hardly ever helps: see what the first demand of the long ones says, and whether it reached the worker.';
  return finding(gate, 'ATTEMPTS_BIMODAL', 'problem', found, advice);
}

function promptGrew(gate: GateHistory): Finding | undefined {
  const { grown, longestPrompt } = gate;
  if (grown.length === 0) return undefined;
  const size = longestPrompt > 0 ? `; the longest had ${longestPrompt} characters` : '';
  const found = `${times(grown.length)} a prompt had grown past ${gate.gate.maxPromptGrowth} times the first${size}`;
  const advice = 'Lower `maxRevisionChars`, or use a strategy that carries less, such as "fresh".';
  return finding(gate, 'PROMPT_GREW', 'notice', found, advice, grown);
}

function oftenSentBack(gate: GateHistory): Finding | undefined {
  const { sentBack, runs } = gate;
  if (sentBack.length < 3 || sentBack.length * 4 < runs) return undefined;
  const found = `${times(sentBack.length)} a later phase sent it back, in ${count(runs, 'run')}`;
  const advice = 'Its own gate lets through what later phases find: add to its criteria or checks what they ask for.';
  return finding(gate, 'OFTEN_SENT_BACK', 'notice', found, advice, sentBack);
}

function times(often: number): string {
  return often === 1 ? 'once' : `${often} times`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
