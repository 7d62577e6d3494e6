/**
 * One level of a fleet in the live tree: its line, and one line for each of its subtasks.
 *
 * @module
 */
import { counted } from '../../model/values/counts.ts';
import type { LevelView, SubtaskView, WorkStatus } from '../../projections/run/fleet-view.ts';
import { errorText } from '../terminal/error-text.ts';
import { span, type Line, type Tone } from '../terminal/line.ts';
import { glyph, markOf } from '../terminal/marks.ts';
import { fitting, part, type Part } from '../terminal/parts.ts';
import { cut, oneLine, problemLine, widthOf } from '../terminal/text.ts';
import { isLive, noteParts, timeParts, usageParts, type PhaseRow } from './phase-lines.ts';

/** A row of a level. */
export type LevelRow = PhaseRow & { readonly level: LevelView };

/** Draws the line of a level, such as `Phase 2: ● Running (2/3 subtasks complete)`. */
export function levelLine(row: LevelRow, columns: number, now: number): Line {
  const { level, result, waits } = row;
  const head = `Phase ${level.phaseIndex + 1}: `;
  const { text, tone } = wordsOf(row);
  const mark = glyph(markOf(result, waits));
  const used = widthOf(`${head}${mark.text} `);
  const tail: readonly Part[] = [
    ...(result.status === 'approved' && level.attempt > 1 ? [part(2, `${level.attempt} attempts`, 'dim')] : []),
    ...(result.status === 'approved' ? noteParts(row) : []),
    ...usageParts(result),
    ...timeParts(row, now),
  ];
  const room = Math.max(0, columns - used);
  const said = cut(text, room);
  const parts = fitting(tail, Math.max(0, room - widthOf(said)), GAP.length).flatMap((one) => [span(GAP), one]);
  return [span(head, result.status === 'pending' ? 'dim' : 'plain'), mark, span(` ${said}`, tone), ...parts];
}

/** Draws the subtasks of a level that is at work, or has ended badly. @param most The most lines; completed ones are left out first. */
export function subtaskLines(row: LevelRow, most: number): readonly Line[] {
  const { level, result, details } = row;
  if (!isLive(result.status) && result.status !== 'failed' && result.status !== 'rejected') return [];
  const open = level.subtasks.filter(({ status }) => status !== 'completed');
  const done = level.subtasks.filter(({ status }) => status === 'completed');
  const chosen = new Set([...open, ...done].slice(0, most));
  const shown = level.subtasks.filter((one) => chosen.has(one));
  return shown.map((one, index) =>
    subtaskLine(one, index === shown.length - 1, details.tasks.get(one.subtaskId)?.progress ?? ''),
  );
}

// --- internal ---

/** The space before each part. */
const GAP = '  ';

/** The words of a level about its status. A completed one has the titles of its subtasks. */
function wordsOf({ level, result, waits }: LevelRow): { readonly text: string; readonly tone: Tone } {
  const complete = level.subtasks.filter(({ status }) => status === 'completed').length;
  const count = ` (${complete}/${counted(level.subtasks.length, 'subtask')} complete)`;
  if (waits || result.status === 'escalated')
    return { text: `Waits for you${count}${colon(result.reason)}`, tone: 'warn' };
  switch (result.status) {
    case 'pending':
      return { text: 'Pending', tone: 'dim' };
    case 'approved':
      return { text: level.subtasks.map(({ title }) => oneLine(title)).join(', '), tone: 'plain' };
    case 'reviewing':
      return { text: `In review${count}${level.attempt > 1 ? `, attempt ${level.attempt}` : ''}`, tone: 'busy' };
    case 'running':
    case 'retrying':
    case 'rewinding':
      return level.status === 'retrying'
        ? {
            text: `Retrying${count}, attempt ${nextAttempt(level, result)}${colon(level.requiredChange)}`,
            tone: 'warn',
          }
        : { text: `Running${count}`, tone: 'plain' };
    case 'failed':
      return { text: `Failed${colon(result.error ? problemLine(errorText(result.error)) : null)}`, tone: 'bad' };
    case 'rejected':
      return { text: `Rejected${colon(result.reason)}`, tone: 'bad' };
    case 'skipped':
      return { text: `Skipped${colon(result.reason)}`, tone: 'dim' };
    case 'cancelled':
      return { text: 'Cancelled', tone: 'dim' };
  }
}

/** The attempt that a level makes, or is about to make. */
function nextAttempt({ attempt }: LevelView, { status }: PhaseRow['result']): number {
  return status === 'running' ? attempt : attempt + 1;
}

function colon(text: string | null): string {
  return text === null || text.trim() === '' ? '' : `: ${oneLine(text)}`;
}

function subtaskLine(subtask: SubtaskView, isLast: boolean, progress: string): Line {
  const { title, status, subtaskId } = subtask;
  const about = noteOf(subtask);
  return [
    span(`  ${isLast ? '└──' : '├──'} `, 'dim'),
    glyph(MARKS[status]),
    span(` ${oneLine(title)}`, status === 'pending' ? 'dim' : 'plain'),
    ...(about === '' ? [] : [span(` (${about})`, status === 'failed' ? 'bad' : 'dim')]),
    span(`  ${oneLine(subtaskId)}`, 'dim'),
    ...(progress === '' || status === 'failed' ? [] : [span(`  ${problemLine(progress)}`, 'dim')]),
  ];
}

const MARKS = {
  pending: 'pending',
  running: 'running',
  completed: 'approved',
  failed: 'failed',
  retrying: 'retrying',
} as const satisfies Readonly<Record<WorkStatus, string>>;

function noteOf({ status, attempt, error }: SubtaskView): string {
  switch (status) {
    case 'pending':
      return 'pending';
    case 'running':
      return 'running';
    case 'retrying':
      return attempt > 1 ? `retrying, attempt ${attempt}` : 'retrying';
    case 'failed':
      return `failed${colon(error === null ? null : problemLine(error))}`;
    case 'completed':
      return '';
  }
}
