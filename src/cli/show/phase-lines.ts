/**
 * One phase of the live tree: its line, and the lines below it.
 *
 * @module
 */
import type { PhasePlan } from '../../model/plan.ts';
import type { PhaseResult } from '../../model/result.ts';
import type { PhaseDetails, TaskRow } from './board.ts';
import { span, type Line, type Span } from './line.ts';
import { glyph, markOf } from './marks.ts';
import { counted, cut, duration, oneLine, outOf, padEnd, problemLine, usage } from './text.ts';
import { errorText } from './error-text.ts';

/** All there is to know of a phase. */
export interface PhaseRow {
  readonly plan: PhasePlan;
  readonly result: PhaseResult;
  readonly details: PhaseDetails;
}

/** The line of a phase. @param nameWidth Columns for the name, so that what follows stands below each other. */
export function phaseLine(row: PhaseRow, nameWidth: number, now: number): Line {
  const { result, plan } = row;
  const { startedAt, endedAt } = result;
  const name = padEnd(cut(oneLine(plan.name), nameWidth), nameWidth);
  const parts = [
    ...workParts(row),
    ...noteParts(row),
    ...(result.tokens + result.costUsd > 0 ? [span(usage(result), 'dim')] : []),
  ];
  const elapsed = startedAt === null ? '' : duration((endedAt ?? now) - startedAt);
  return [
    glyph(markOf(result)),
    span(` ${name}`, result.status === 'pending' || result.status === 'skipped' ? 'dim' : 'plain'),
    ...parts.flatMap((part) => [span('  '), part]),
    ...(elapsed === '' ? [] : [span(`  ${elapsed}`, 'dim')]),
  ];
}

/** What it was asked to change. */
export function correctionLines({ plan, details: { correction }, result }: PhaseRow): readonly Line[] {
  if (!correction || correction.text === '' || isOver(result)) return [];
  const from = correction.from === plan.name ? '' : `${oneLine(correction.from)}: `;
  return [[span('  ↳ ', 'warn'), span(`${from}${correction.text}`, 'warn')]];
}

/** Tasks of the attempt, where they say more than the count. */
export function taskLines({ plan, details, result }: PhaseRow): readonly Line[] {
  if (result.status !== 'running') return [];
  const rows = plan.tasks.flatMap(({ name }) => {
    const row = details.tasks.get(name);
    return row ? [{ name, row }] : [];
  });
  if (plan.tasks.length < 2 && rows.every(({ row }) => row.progress === '')) return [];
  return rows.map(({ name, row }) => [
    span('  '),
    TASK_MARKS[row.state],
    span(` ${oneLine(name)}`, row.state === 'done' ? 'dim' : 'plain'),
    ...(row.progress === '' ? [] : [span(`  ${problemLine(row.progress)}`, 'dim')]),
  ]);
}

/** Whether nothing will happen to it any more, as far as one can tell. */
export function isOver({ status }: PhaseResult): boolean {
  return !(status === 'pending' || isLive(status));
}

/** Whether it is at work, waits for another phase that it sent back, or for a person. */
export function isLive(status: PhaseResult['status']): boolean {
  return (
    status === 'running' ||
    status === 'reviewing' ||
    status === 'retrying' ||
    status === 'rewinding' ||
    status === 'escalated'
  );
}

// --- internal ---

const TASK_MARKS: Readonly<Record<TaskRow['state'], Span>> = {
  working: span('●', 'busy'),
  done: span('✓', 'good'),
  failed: span('✗', 'bad'),
  again: span('↻', 'warn'),
};

/** How far its work is. */
function workParts({ plan, result }: PhaseRow): readonly Span[] {
  const all = plan.tasks.length;
  switch (result.status) {
    case 'running':
      return [span(`${result.done.length}/${counted(all, 'task')}`)];
    case 'reviewing':
      return [span('in review', 'busy')];
    case 'escalated':
      return [span('waits for a person', 'warn')];
    case 'approved':
      return [
        span(counted(all, 'task'), 'dim'),
        ...(result.attempts > 1 ? [span(`${result.attempts} attempts`, 'dim')] : []),
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

/** What its gate has spent, against what it may spend; and why it ended as it did. */
function noteParts({ plan, result, details }: PhaseRow): readonly Span[] {
  const live = isLive(result.status);
  const { gate } = plan;
  const retries = live && details.retries > 0 ? [`retry ${outOf(details.retries, gate?.maxRetries)}`] : [];
  const rewinds = live
    ? [...details.rewinds].map(
        ([target, spent]) => `rewind ${oneLine(target)} ${outOf(spent, gate?.maxPredecessorRetries)}`,
      )
    : [];
  return [...retries, ...rewinds].map((text) => span(text, 'warn')).concat(endParts(result));
}

function endParts({ status, stale, because, reason, error }: PhaseResult): Span[] {
  if (status === 'failed') return [span(error ? problemLine(errorText(error)) : 'failed', 'bad')];
  if (status === 'rejected') return [span(`rejected: ${oneLine(reason ?? '')}`, 'bad')];
  if (status === 'escalated') return [span(oneLine(reason ?? ''), 'warn')];
  if (status === 'skipped') return [span(`skipped: ${oneLine(reason ?? '')}`, 'dim')];
  if (status === 'cancelled') return [span('cancelled', 'dim')];
  if (status !== 'approved') return [];
  const doubts = because === null ? '' : DOUBTS[because];
  return [...(stale ? [span('stale', 'warn')] : []), ...(doubts === '' ? [] : [span(doubts, 'warn')])];
}

const DOUBTS = {
  approved: '',
  unreviewed: '',
  exhausted: 'accepted, as its retries are spent',
  unrecognised: 'accepted, as the answer had no verdict',
  invalidTarget: 'accepted, as no phase could be sent back',
} as const;
