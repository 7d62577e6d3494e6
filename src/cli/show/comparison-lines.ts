/**
 * A comparison of two runs as lines.
 *
 * @module
 */
import { isSameJson } from '../../model/values/json.ts';
import type {
  AttemptComparison,
  OutputComparison,
  PhaseComparison,
  RunComparison,
} from '../../projections/compare/compare-runs.ts';
import {
  attemptDecisions,
  attemptWords,
  comparisonSentences,
  figureRows,
  outputWords,
  phaseWords,
  RUN_NAMES,
} from '../../projections/compare/comparison-words.ts';
import { statusMarks } from '../../projections/wording/status-marks.ts';
import { span, type Line } from '../terminal/line.ts';
import { duration, oneLine, padEnd } from '../terminal/text.ts';
import { changedLines } from './changed-lines.ts';

/** Creates the lines: both runs, what they have in common, their figures, and each phase that differs. */
export function comparisonLines(comparison: RunComparison): readonly Line[] {
  const { runs, phases } = comparison;
  return [
    ...runs.map(({ runId, pipeline, status }, index) => [
      span(`${RUN_NAMES[index === 0 ? 0 : 1]}  run ${oneLine(runId)} of "${oneLine(pipeline)}"  `),
      span(status, statusMarks[status].tone),
    ]),
    ...comparisonSentences(comparison).map((text): Line => [span(`  ${text}`, 'dim')]),
    [],
    ...tableLines(comparison),
    ...phases.flatMap(phaseLines),
  ];
}

// --- internal ---

function tableLines(comparison: RunComparison): readonly Line[] {
  const rows = figureRows(comparison, duration);
  const all = [{ title: '', values: RUN_NAMES }, ...rows];
  const widths = [
    Math.max(...all.map(({ title }) => title.length)),
    Math.max(...all.map(({ values }) => values[0].length)),
  ] as const;
  return all.map(({ title, values }, index): Line => [
    span(`  ${padEnd(title, widths[0] + 2)}`, 'dim'),
    span(`${padEnd(values[0], widths[1] + 2)}${values[1]}`, index > 0 && values[0] !== values[1] ? 'strong' : 'plain'),
  ]);
}

function phaseLines(compared: PhaseComparison): readonly Line[] {
  const { phase, phases, differences, attempts, outputs } = compared;
  // The sentences above have told how many are the same.
  if (differences.length === 0) return [];
  const head: Line = [span(oneLine(phase), 'strong'), span(`  ${phaseWords(compared)}`, 'warn')];
  const statuses = phases.map((one) => one?.status ?? 'not there');
  return [
    [],
    head,
    ...(statuses[0] === statuses[1] ? [] : [[span(`  status: ${statuses.join(' → ')}`)]]),
    ...attempts
      .filter((one) => one.differences.length > 0)
      .flatMap((one): readonly Line[] => [
        [span(`  attempt ${one.number}  ${attemptWords(one)}`)],
        ...decisionLines(one),
      ]),
    ...outputs.flatMap(outputLines),
  ];
}

function decisionLines({ attempts }: AttemptComparison): readonly Line[] {
  const [a, b] = attempts.map(attemptDecisions);
  const isSame = isSameJson(a, b);
  const line =
    (name: string) =>
    (text: string): Line => [span(`    ${name}  ${oneLine(text)}`, 'dim')];
  if (isSame) return (a ?? []).map(line('both'));
  return [...(a ?? []).map(line(RUN_NAMES[0])), ...(b ?? []).map(line(RUN_NAMES[1]))];
}

function outputLines(compared: OutputComparison): readonly Line[] {
  const { task, values, same } = compared;
  const head: Line = [span(`  output of ${oneLine(task)}: ${outputWords(compared)}`)];
  if (same || values[0] === undefined || values[1] === undefined) return [head];
  const changed = changedLines(...values);
  return [head, ...(changed ?? [[span('      too long to compare here', 'dim')]])];
}
