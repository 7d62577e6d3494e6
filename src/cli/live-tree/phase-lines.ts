/**
 * One phase of the live tree: its line, and the lines below it.
 *
 * @module
 */
import type { PhasePlan } from '../../model/plan/plan.ts';
import { counted } from '../../model/values/counts.ts';
import type { LevelView } from '../../projections/run/fleet-view.ts';
import type { PhaseResult } from '../../projections/run/run-result.ts';
import { outOf, usageText } from '../../projections/wording/amount-words.ts';
import type { WorkTimes } from '../../projections/timeline/work-times.ts';
import { standingWords, workTimesText } from '../../projections/wording/standing-words.ts';
import { errorText } from '../terminal/error-text.ts';
import { span, type Line, type Span } from '../terminal/line.ts';
import { glyph, markOf } from '../terminal/marks.ts';
import { fitting, part, type Part } from '../terminal/parts.ts';
import { cut, duration, oneLine, padEnd, problemLine, reasonText } from '../terminal/text.ts';
import type { PhaseDetails, TaskRow } from './phase-details.ts';
import type { RunFold } from './run-fold.ts';

/** The data of one phase in the tree. */
export interface PhaseRow {
  readonly plan: PhasePlan;
  readonly result: PhaseResult;
  readonly details: PhaseDetails;
  /** True if the phase waits for a person. */
  readonly waits: boolean;
  /** Returns the times in which the phase worked and waited, up to now. @param now Milliseconds since 1970. */
  readonly timesAt: (now: number) => WorkTimes;
  /** The phase as a level of a fleet; `undefined` if it is none. */
  readonly level: LevelView | undefined;
  /** The latest run that each of its tasks has started. */
  readonly children: readonly RunFold[];
}

/**
 * Draws the line of a phase. If not everything fits, the least important parts are left out.
 *
 * @param space Columns for the whole line, and columns for the name, so that the parts of all phases are aligned.
 */
export function phaseLine(
  row: PhaseRow,
  { columns, nameWidth }: { readonly columns: number; readonly nameWidth: number },
  now: number,
): Line {
  const { result, plan, waits } = row;
  const name = padEnd(cut(oneLine(plan.name), nameWidth), nameWidth);
  const parts = [...workParts(row), ...noteParts(row), ...usageParts(result), ...timeParts(row, now)];
  const tone = result.status === 'pending' || result.status === 'skipped' ? 'dim' : 'plain';
  const spans = fitting(parts, columns - nameWidth - 2, GAP.length).flatMap((one) => [span(GAP), one]);
  return [glyph(markOf(result, waits)), span(` ${name}`, tone), ...spans];
}

/** Draws the latest demand on a phase that is not over. */
export function correctionLines({ plan, details: { correction }, result }: PhaseRow): readonly Line[] {
  if (!correction || correction.text === '' || isOver(result)) return [];
  const from = correction.from === plan.name ? '' : `${oneLine(correction.from)}: `;
  return [[span('  ↳ ', 'warn'), span(`${from}${correction.text}`, 'warn')]];
}

/** Draws what people should know of the repository or the plan while the phase is at work. @param most The most lines. */
export function factLines({ details: { notes }, result }: PhaseRow, most: number): readonly Line[] {
  if (!isLive(result.status)) return [];
  return notes.slice(0, most).map((note) => [span('  ! ', 'warn'), span(oneLine(note), 'dim')]);
}

/** Draws the tasks of the attempt, if they show more than their count. @param most The most lines; completed tasks are left out first. */
export function taskLines({ plan, details, result }: PhaseRow, most: number): readonly Line[] {
  if (result.status !== 'running') return [];
  const rows = plan.tasks.flatMap(({ name }) => {
    const row = details.tasks.get(name);
    return row ? [{ name, row }] : [];
  });
  if (plan.tasks.length < 2 && rows.every(({ row }) => row.progress === '')) return [];
  const open = rows.filter(({ row }) => row.state !== 'done');
  const done = rows.filter(({ row }) => row.state === 'done');
  const shown = new Set([...open, ...done].slice(0, most));
  return rows
    .filter((row) => shown.has(row))
    .map(({ name, row }) => [
      span('  '),
      TASK_MARKS[row.state],
      span(` ${oneLine(name)}`, row.state === 'done' ? 'dim' : 'plain'),
      ...(row.progress === '' ? [] : [span(`  ${problemLine(row.progress)}`, 'dim')]),
    ]);
}

/** True if the phase is expected to do no more work. */
export function isOver({ status }: PhaseResult): boolean {
  return !(status === 'pending' || isLive(status));
}

/** True if the phase is at work, waits for a phase that it sent back, or waits for a person. */
export function isLive(status: PhaseResult['status']): boolean {
  return (
    status === 'running' ||
    status === 'reviewing' ||
    status === 'retrying' ||
    status === 'rewinding' ||
    status === 'escalated'
  );
}

/** Describes the usage of a phase. */
export function usageParts(result: PhaseResult): readonly Part[] {
  return result.tokens + result.costUsd > 0 ? [part(4, usageText(result), 'dim')] : [];
}

/** Formats the times in which a phase worked and waited. Shows nothing while the phase is pending. */
export function timeParts({ result: { status, startedAt }, timesAt }: PhaseRow, now: number): readonly Part[] {
  if (startedAt === null || status === 'pending' || status === 'skipped') return [];
  return [part(3, workTimesText(timesAt(now), duration), 'dim')];
}

/** Describes the spent and allowed retries and rewinds of the gate, and the reason of the end. */
export function noteParts({ plan, result, details }: PhaseRow): readonly Part[] {
  const live = isLive(result.status);
  const { gate } = plan;
  const retries = live && details.retries > 0 ? [`retry ${outOf(details.retries, gate?.maxRetries)}`] : [];
  const rewinds = live
    ? [...details.rewinds].map(
        ([target, spent]) => `rewind ${oneLine(target)} ${outOf(spent, gate?.maxPredecessorRetries)}`,
      )
    : [];
  const same = result.status === 'approved' ? [...details.same] : [];
  return [
    ...[...retries, ...rewinds].map((text) => part(2, text, 'warn')),
    ...same.map(([name, version]) => part(2, `${oneLine(name)} v${version} changes nothing here`, 'dim')),
    ...endParts(result),
  ];
}

// --- internal ---

/** The space before each part. */
const GAP = '  ';

const TASK_MARKS: Readonly<Record<TaskRow['state'], Span>> = {
  working: glyph('running'),
  done: glyph('approved'),
  failed: glyph('failed'),
  again: glyph('retrying'),
};

/** Describes the progress of a phase. */
function workParts({ plan, result, waits }: PhaseRow): readonly Part[] {
  const all = plan.tasks.length;
  const person = waits ? [part(0, standingWords.waiting, 'warn')] : [];
  switch (result.status) {
    case 'running':
      return [part(1, `${result.done.length}/${counted(all, 'task')}`), ...person];
    case 'reviewing':
      return waits ? person : [part(1, 'in review', 'busy')];
    case 'escalated':
      return [part(0, standingWords.waiting, 'warn')];
    case 'approved':
      return [
        part(3, counted(all, 'task'), 'dim'),
        ...(result.attempts > 1 ? [part(2, `${result.attempts} attempts`, 'dim')] : []),
      ];
    case 'pending':
    case 'retrying':
    case 'rewinding':
    case 'rejected':
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return [];
  }
}

function endParts({ status, stale, because, reason, error }: PhaseResult): readonly Part[] {
  if (status === 'failed') return [part(0, error ? problemLine(errorText(error)) : 'failed', 'bad')];
  if (status === 'rejected') return [part(0, `rejected: ${oneLine(reason ?? '')}`, 'bad')];
  if (status === 'escalated') return [part(0, oneLine(reasonText(reason ?? '')), 'warn')];
  if (status === 'skipped') return [part(0, `skipped: ${oneLine(reasonText(reason ?? ''))}`, 'dim')];
  if (status === 'cancelled') return [part(1, 'cancelled', 'dim')];
  if (status !== 'approved') return [];
  const doubts = because === null ? '' : DOUBTS[because];
  return [...(stale ? [part(1, 'stale', 'warn')] : []), ...(doubts === '' ? [] : [part(0, doubts, 'warn')])];
}

const DOUBTS = {
  approved: '',
  unreviewed: '',
  exhausted: 'accepted, as its retries are spent',
  unrecognised: 'accepted, as the answer had no verdict',
  invalidTarget: 'accepted, as no phase could be sent back',
} as const;
