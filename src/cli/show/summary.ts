/**
 * A short summary of a run.
 *
 * @module
 */
import type { Plan } from '../../model/plan/plan.ts';
import { counted } from '../../model/values/counts.ts';
import type { PhaseResult, RunResult } from '../../projections/run/run-result.ts';
import { usageText } from '../../projections/wording/amount-words.ts';
import { errorText, originOf, withAddress } from '../terminal/error-text.ts';
import { span, type Line } from '../terminal/line.ts';
import { glyph } from '../terminal/marks.ts';
import { duration, manyLines, oneLine, reasonText } from '../terminal/text.ts';
import { excerptOf, type CountedLine } from './excerpt.ts';

/** Creates the summary: status, problems, warnings, and the outputs of the last phases. */
export function summaryLines(result: RunResult<unknown>, plan: Plan | undefined): readonly Line[] {
  return [statusLine(result), ...troubleLines(result), ...warningLines(result), ...outputLines(result, plan)];
}

/** Returns the parts of the summary, for callers without room for all of it. It has the outputs of every last phase. */
export function summaryParts(result: RunResult<unknown>, plan: Plan | undefined) {
  return {
    status: statusLine(result),
    trouble: troubleLines(result),
    warnings: warningLines(result),
    outputs: lastPhases(result, plan)
      .map((phase) => outputsOf(phase))
      .filter((lines) => lines.length > 0),
  };
}

/** Creates the line that names a run. */
export function runLine(runId: string, plan: Plan | undefined): Line {
  return [span(`run ${oneLine(runId)} of "${oneLine(plan?.name ?? '')}"`)];
}

/** The first warnings of a run, and the number of the others. */
export function warningLines({ warnings }: Pick<RunResult<unknown>, 'warnings'>): readonly Line[] {
  const more = warnings.length - MOST_WARNINGS;
  return [
    ...warnings
      .slice(0, MOST_WARNINGS)
      .map(({ phase, message }) => [span('  warning ', 'warn'), span(`${oneLine(phase)}: ${oneLine(message)}`)]),
    ...(more > 0 ? [[span(`  … ${counted(more, 'more warning')}`, 'dim')]] : []),
  ];
}

// --- internal ---

const MOST_OUTPUTS = 10;
const LONGEST_TROUBLE = 4000;
const MOST_WARNINGS = 10;

function statusLine({ status, phases, metrics, limit, runId, error }: RunResult<unknown>): Line {
  const approved = Object.values(phases).filter((phase) => phase.status === 'approved').length;
  const [atWork, elapsed] = [duration(metrics.durationMs), duration(metrics.elapsedMs)];
  const facts = [
    `${approved} of ${counted(Object.keys(phases).length, 'phase')} approved`,
    counted(metrics.attempts, 'attempt'),
    ...(metrics.corrections > 0 ? [counted(metrics.corrections, 'correction')] : []),
    ...(usageText(metrics) === '' ? [] : [usageText(metrics)]),
    ...(atWork === elapsed ? [] : [`${atWork} at work`]),
  ];
  // The process that has the lease now reports the end of the run.
  const isLost = error?.code === 'LEASE_LOST';
  return [
    glyph(status, isLost ? 'lost to another process' : status),
    span(
      `${limit === null ? '' : ` by the limit ${limit}`} ${isLost ? 'after' : 'in'} ${elapsed}: ${facts.join(', ')}`,
    ),
    span(`  run ${oneLine(runId)}`, 'dim'),
  ];
}

function troubleLines({ phases, reason, error }: RunResult<unknown>): readonly Line[] {
  const bad = Object.entries(phases).filter(([, { status }]) => status === 'failed' || status === 'rejected');
  return [
    ...(error
      ? indented(withAddress(errorText(error)), 'bad')
      : reason === null
        ? []
        : indented(reasonText(reason), 'warn')),
    ...bad.flatMap(([name, phase]) => [
      [span(`  ${oneLine(name)} ${phase.status}`, 'bad')] as const,
      ...indented(causeOf(phase), 'plain', '    '),
    ]),
  ];
}

function causeOf({ error, reason }: PhaseResult): string {
  if (!error) return reason ?? '';
  const origin = error.code === 'TASK_FAILED' ? originOf(error) : undefined;
  const text = withAddress(errorText(error));
  return origin === undefined ? text : `${text}\n${origin}`;
}

function indented(text: string, tone: 'bad' | 'warn' | 'plain', indent = '  '): readonly Line[] {
  return text === ''
    ? []
    : manyLines(text.slice(0, LONGEST_TROUBLE))
        .split('\n')
        .slice(0, 30)
        .map((line) => [span(`${indent}${line}`, tone)]);
}

function outputLines(result: RunResult<unknown>, plan: Plan | undefined): readonly Line[] {
  const last = lastPhases(result, plan);
  const shown = last.slice(0, MOST_OUTPUTS).flatMap((phase) => outputsOf(phase).map(({ line }) => line));
  const more = last.length - MOST_OUTPUTS;
  return more > 0
    ? [...shown, [span(`  … outputs of ${counted(more, 'more phase')}: --json has all of them`, 'dim')]]
    : shown;
}

interface LastPhase {
  readonly name: string;
  readonly result: PhaseResult;
}

/** Returns the approved phases on which no other phase depends: their outputs are the result of the run. */
function lastPhases({ phases }: RunResult<unknown>, plan: Plan | undefined): readonly LastPhase[] {
  const needed = new Set(plan?.phases.flatMap((phase) => phase.after));
  return (plan?.phases ?? []).flatMap(({ name }) => {
    const result = phases[name];
    return result?.status === 'approved' && !needed.has(name) ? [{ name, result }] : [];
  });
}

function outputsOf({ name, result }: LastPhase): readonly CountedLine[] {
  return Object.entries(result.outputs ?? {}).flatMap(([task, output]): readonly CountedLine[] =>
    output === null || output === ''
      ? []
      : [{ line: [span(`  ${oneLine(name)} / ${oneLine(task)}`, 'dim')], lines: 1 }, ...excerptOf(output)],
  );
}
