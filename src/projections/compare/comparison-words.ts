/**
 * A comparison of two runs in words. The first run is called A, the second B.
 *
 * Names of phases and tasks are quoted as they are. Each user interface has to escape them for its output.
 *
 * @module
 */
import { counted } from '../../model/values/counts.ts';
import type {
  AttemptComparison,
  Difference,
  OutputComparison,
  Pair,
  PhaseComparison,
  RunComparison,
} from './compare-runs.ts';
import type { Attempt } from '../run/attempts.ts';
import { dollars, thousands } from '../wording/amount-words.ts';
import { NONE } from '../wording/figures.ts';
import { phraseText } from '../wording/phrase.ts';
import { decidedBy, decisionWords } from '../wording/record-words.ts';

/** The names of the two runs. */
export const RUN_NAMES: Pair<string> = ['A', 'B'];

/** A row of a table: a title, and the value of each run. */
export interface ComparisonRow {
  readonly title: string;
  readonly values: Pair<string>;
}

/** Writes the figures of both runs. @param duration Writes milliseconds. */
export function figureRows({ runs }: RunComparison, duration: (ms: number) => string): readonly ComparisonRow[] {
  const row = (title: string, of: (run: RunComparison['runs'][number]) => string): ComparisonRow => ({
    title,
    values: [of(runs[0]), of(runs[1])],
  });
  return [
    row('status', ({ status }) => status),
    row('attempts', ({ metrics }) => String(metrics.attempts)),
    row('sent back', ({ metrics }) => String(metrics.corrections)),
    row('reviews', ({ metrics }) => String(metrics.reviews)),
    row('cost', ({ metrics }) => (metrics.costUsd > 0 ? dollars(metrics.costUsd) : NONE)),
    row('tokens', ({ metrics }) => (metrics.tokens > 0 ? thousands(metrics.tokens) : NONE)),
    row('work', ({ metrics }) => duration(metrics.durationMs)),
    row('from start to end', ({ metrics }) => duration(metrics.elapsedMs)),
  ];
}

/** Writes what both runs have in common and in what they differ, one sentence each. */
export function comparisonSentences({
  runs,
  sharedRecords,
  sameDefinition,
  sameInput,
  phases,
}: RunComparison): readonly string[] {
  const [a, b] = runs;
  const different = phases.filter(({ differences }) => differences.length > 0).length;
  return [
    ...(sharedRecords === 0 ? [] : [`${kinship(a, b)} The first ${counted(sharedRecords, 'record')} are the same.`]),
    ...(a.pipeline === b.pipeline ? [] : ['They are runs of different pipelines.']),
    sameDefinition ? 'The definition is the same.' : 'The definition differs.',
    inputSentence(sameInput),
    different === 0
      ? 'No phase differs.'
      : `${different} of ${counted(phases.length, 'phase')} ${different === 1 ? 'differs' : 'differ'}.`,
  ];
}

/** Writes in what a phase differs, or `same`. */
export function phaseWords({ phases, differences }: PhaseComparison): string {
  return differenceWords(phases, differences);
}

/** Writes in what an attempt differs, or `same`. */
export function attemptWords({ attempts, shared, differences }: AttemptComparison): string {
  return shared ? 'same records' : differenceWords(attempts, differences);
}

/** Writes in what an output differs, or `same`. */
export function outputWords({ values, same }: OutputComparison): string {
  if (same) return 'same';
  return values[0] === undefined || values[1] === undefined ? onlyIn(values[0] !== undefined) : 'differs';
}

/** Writes the decisions on an attempt, oldest first; its end if there is none. */
export function attemptDecisions(attempt: Attempt | null): readonly string[] {
  if (attempt === null) return [];
  const { decisions, end } = attempt;
  if (decisions.length === 0) return [end === null ? 'not decided' : end.replace('phase.', '')];
  return decisions.map((judged) => `${decidedBy(judged)}: ${phraseText(decisionWords(judged))}`);
}

// --- internal ---

type Runs = RunComparison['runs'];

function inputSentence(isSame: boolean | null): string {
  if (isSame === null) return 'The input is the same, but for secrets in it, which are masked.';
  return isSame ? 'The input is the same.' : 'The input differs.';
}

function kinship(a: Runs[0], b: Runs[1]): string {
  if (b.fork?.of === a.runId) return 'B is a fork of A.';
  return a.fork?.of === b.runId ? 'A is a fork of B.' : 'Both are forks of the same run.';
}

function differenceWords(sides: Pair<unknown>, differences: readonly Difference[]): string {
  if (differences.length === 0) return 'same';
  if (differences.includes('presence')) return onlyIn(sides[0] !== null);
  return `differs: ${differences.map((one) => DIFFERENCES[one]).join(', ')}`;
}

const DIFFERENCES: Readonly<Record<Difference, string>> = {
  presence: 'presence',
  status: 'status',
  attempts: 'number of attempts',
  feedback: 'feedback',
  decisions: 'decisions',
  outputs: 'outputs',
};

function onlyIn(isFirst: boolean): string {
  return `only in ${RUN_NAMES[isFirst ? 0 : 1]}`;
}
