/**
 * The findings of `phasegate doctor` as lines.
 *
 * @module
 */
import { counted } from '../../model/values/counts.ts';
import { isProblem } from '../../projections/doctor/diagnose.ts';
import { FEWEST, type Diagnosis } from '../../projections/doctor/diagnosis.ts';
import type { GateHistory } from '../../projections/doctor/gate-history.ts';
import type { SentBack } from '../../projections/doctor/send-back-counts.ts';
import type { UnclaimedRuns } from '../../projections/run/unclaimed-runs.ts';
import { span, type Line } from '../terminal/line.ts';
import { oneLine, padEnd, widthOf } from '../terminal/text.ts';
import { unclaimedLines, type Reader } from './unclaimed-lines.ts';

/** The findings in runs, and the data they are made from. */
export interface DoctorReport {
  readonly runs: number;
  readonly gates: readonly GateHistory[];
  readonly sentBack: readonly SentBack[];
  readonly findings: readonly Diagnosis[];
  readonly unclaimed: readonly UnclaimedRuns[];
  readonly reader: Reader;
}

/** Creates the lines: findings, a histogram of attempts by phase, and the phases that were sent back most often. */
export function doctorLines({ runs, gates, sentBack, findings, unclaimed, reader }: DoctorReport): readonly Line[] {
  if (runs === 0) return [[span('no runs', 'dim')]];
  const problems = findings.filter(isProblem).length;
  const judged = `${counted(runs, 'run')}, ${counted(gates.length, 'gate')}: `;
  const notices = findings.length - problems + unclaimed.length;
  const verdict = `${counted(problems, 'problem')}, ${counted(notices, 'notice')}`;
  return [
    [span(judged, 'strong'), span(verdict, problems > 0 ? 'bad' : notices > 0 ? 'warn' : 'good')],
    ...findings.flatMap(findingLines),
    ...unclaimed.flatMap((one) => unclaimedLines(one, reader)),
    ...histogramLines(gates, findings),
    ...sentBackLines(sentBack),
  ];
}

// --- internal ---

function findingLines(finding: Diagnosis): readonly Line[] {
  const { code, pipeline, phase, found, advice, evidence } = finding;
  const bad = isProblem(finding);
  const records = evidence.map(({ runId, seq }) => `${oneLine(runId)} #${seq}`).join(', ');
  return [
    [],
    [
      span(bad ? '✗ ' : '! ', bad ? 'bad' : 'warn'),
      span(`${oneLine(pipeline)} / ${oneLine(phase)}`, 'strong'),
      span(`  ${code}`, 'dim'),
    ],
    [span(`  ${found}.`)],
    ...(records === '' ? [] : [[span(`  See ${records}.`, 'dim')]]),
    [span(`  → ${advice}`)],
  ];
}

/** Creates a row for each gate that has decided: the number of starts that took 1, 2, 3, … attempts. */
function histogramLines(gates: readonly GateHistory[], findings: readonly Diagnosis[]): readonly Line[] {
  const judged = gates.filter(({ attempts }) => attempts.size > 0);
  if (judged.length === 0) return [];
  const most = Math.max(...judged.flatMap(({ attempts }) => [...attempts.keys()]));
  const columns = Math.min(most, FEWEST);
  const names = judged.map(({ pipeline, phase }) => `${oneLine(pipeline)} / ${oneLine(phase)}`);
  const width = Math.max(...names.map(widthOf), 'attempts'.length);
  const heads = Array.from(
    { length: columns },
    (_, at) => `${at + 1}${at + 1 === columns && most > columns ? '+' : ''}`,
  );
  return [
    [],
    [span(`${padEnd('attempts', width)}${heads.map((head) => head.padStart(6)).join('')}`, 'dim')],
    ...judged.map(({ pipeline, phase, attempts }, at): Line => {
      const cells = heads.map((_, column) => often(attempts, column + 1, column + 1 === columns));
      const isBimodal = findings.some(
        (one) => one.code === 'ATTEMPTS_BIMODAL' && one.pipeline === pipeline && one.phase === phase,
      );
      return [
        span(padEnd(names[at] ?? '', width)),
        span(cells.map((cell) => cell.padStart(6)).join('')),
        ...(isBimodal ? [span('  bimodal', 'bad')] : []),
      ];
    }),
  ];
}

/** The most phases that are listed as sent back. */
const MOST_LISTED = 5;

/** Lists the phases that later phases have sent back most often, and those later phases. */
function sentBackLines(sentBack: readonly SentBack[]): readonly Line[] {
  const listed = sentBack.slice(0, MOST_LISTED);
  if (listed.length === 0) return [];
  const names = listed.map(({ pipeline, phase }) => `${oneLine(pipeline)} / ${oneLine(phase)}`);
  const width = Math.max(...names.map(widthOf), 'sent back'.length);
  return [
    [],
    [span(`${padEnd('sent back', width)} times  runs  by`, 'dim')],
    ...listed.map(({ evidence, runs, by }, at): Line => {
      const most = [...by].toSorted(([, a], [, b]) => b - a);
      const from = most.map(([phase, number]) => `${oneLine(phase)} ${number}`).join(', ');
      const numbers = [evidence.count, runs].map((number) => String(number).padStart(6)).join('');
      return [span(padEnd(names[at] ?? '', width)), span(`${numbers}  ${from}`)];
    }),
  ];
}

function often(attempts: GateHistory['attempts'], taken: number, orMore: boolean): string {
  const number = [...attempts].reduce(
    (sum, [one, count]) => sum + (one === taken || (orMore && one > taken) ? count : 0),
    0,
  );
  return number === 0 ? '·' : String(number);
}
