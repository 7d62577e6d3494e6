/**
 * The timeline of a run on a terminal: a scale, a row for each phase, and a legend.
 *
 * @module
 */
import type { Plan } from '../../model/plan/plan.ts';
import { counted } from '../../model/values/counts.ts';
import type { RunSnapshot } from '../../projections/run/run-result.ts';
import { createTimeAxis, type TimeAxis } from '../../projections/timeline/time-axis.ts';
import type { Timeline, TimelineBar } from '../../projections/timeline/timeline.ts';
import { busyStretches } from '../../projections/timeline/work-times.ts';
import { timelineKinds, timelineWords } from '../../projections/wording/timeline-words.ts';
import { fit, lineWidth, span, type Line } from '../terminal/line.ts';
import { glyph, markOf } from '../terminal/marks.ts';
import { cut, duration, oneLine, padEnd, widthOf } from '../terminal/text.ts';
import { SENT_BACK, timelineGlyphs, timelineRow, type DrawnBar } from './timeline-row.ts';

/** Options for drawing a timeline. */
export interface TimelineOptions {
  readonly plan: Plan;
  readonly snapshot: RunSnapshot;
  /** The most columns of a line. */
  readonly columns: number;
  /** The current time in milliseconds since 1970, at which open waits for people end. */
  readonly now: number;
  /** The time in milliseconds since 1970 at which all other open bars end. */
  readonly workedUntil: number;
}

/** Draws a timeline: the phases that have started, in the order of the plan, and a count of the others. */
export function timelineLines(timeline: Timeline, options: TimelineOptions): readonly Line[] {
  const { plan, columns } = options;
  const rows = rowsOf(timeline, options);
  const ends = rows.flatMap(({ bars }) => bars.map(({ to }) => to));
  const held = timeline.holds.map(({ to, from }) => to ?? Math.max(from, options.now));
  const end = [...ends, ...held].reduce((most, one) => Math.max(most, one), Math.max(timeline.to, options.workedUntil));
  const others = plan.phases.length - rows.length;
  const longest = rows.reduce((most, { name }) => Math.max(most, widthOf(name)), 0);
  const names = Math.max(1, Math.min(longest, Math.floor(columns * NAMES)));
  const width = Math.max(1, columns - names - BEFORE_NAME - BEHIND_NAME);
  const busy = busyStretches(rows.flatMap(({ bars }) => bars));
  const axis = createTimeAxis({ from: timeline.from, to: end }, busy);
  const lines: readonly Line[] = [
    ...(rows.length === 0
      ? []
      : [[span(' '.repeat(BEFORE_NAME + names + BEHIND_NAME)), span(scaleText(axis, width, timeline.from), 'dim')]]),
    ...rows.map(({ name, mark, bars, sentBack }) => [
      mark,
      span(` ${padEnd(cut(name, names), names)}${' '.repeat(BEHIND_NAME)}`),
      ...timelineRow(bars, sentBack, { axis, columns: width }),
    ]),
    ...(others === 0 ? [] : [[span(`… ${counted(others, 'phase')} without any work`, 'dim')]]),
    ...legendLines(timeline, columns),
    ...noteLines(timeline, axis, options.now),
  ];
  return lines.map((line) => fit(line, columns));
}

// --- internal ---

const BEFORE_NAME = 2;
const BEHIND_NAME = 2;
/** The largest share of a line for names. */
const NAMES = 0.35;
/** Columns from one time on the scale to the next. */
const TICKS = 16;

interface Row {
  readonly name: string;
  readonly mark: Line[number];
  readonly bars: readonly DrawnBar[];
  readonly sentBack: readonly number[];
}

function rowsOf({ bars, arrows }: Timeline, options: TimelineOptions): readonly Row[] {
  const { plan, snapshot, now, workedUntil } = options;
  const own = grouped(bars, ({ phase }) => phase);
  const sent = grouped(arrows, ({ to }) => to);
  return plan.phases.flatMap(({ name }): readonly Row[] => {
    const [all, result] = [own.get(name), snapshot.phases[name]];
    if (!all || !result) return [];
    const waits = all.some(({ kind, to }) => kind === 'person' && to === null);
    const sentBack = (sent.get(name) ?? []).map(({ time }) => time);
    const drawn = (bar: TimelineBar): DrawnBar => ({
      ...bar,
      to: bar.to ?? Math.max(bar.from, bar.kind === 'person' ? now : workedUntil),
    });
    return [{ name: oneLine(name), mark: glyph(markOf(result, waits)), bars: all.map(drawn), sentBack }];
  });
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

/** Draws times since the start of the run, each above its column. */
function scaleText(axis: TimeAxis, width: number, from: number): string {
  const textAt = (column: number) => duration(axis.timeAt((column * axis.length) / width) - from);
  const last = textAt(width);
  let text = '';
  for (let at = 0; at < width; at += TICKS) {
    const tick = `│${textAt(at)}`;
    if (at + tick.length + last.length + 2 <= width) text = padEnd(text, at) + tick;
  }
  return text.length + last.length + 1 < width ? `${padEnd(text, width - last.length - 1)}${last}│` : text;
}

/** Explains the characters that occur. */
function legendLines({ bars, arrows }: Timeline, columns: number): readonly Line[] {
  const used = new Set(bars.map(({ kind }) => kind));
  const entries: readonly Line[] = [
    ...timelineKinds
      .filter((kind) => used.has(kind))
      .map((kind) => [timelineGlyphs[kind], span(` ${timelineWords[kind]}`, 'dim')]),
    ...(arrows.length > 0 ? [[SENT_BACK, span(' is sent back', 'dim')]] : []),
  ];
  const lines: Line[] = [];
  for (const entry of entries) {
    const joined = [...(lines.at(-1) ?? []), span(lines.length === 0 ? '' : '   '), ...entry];
    if (lines.length > 0 && lineWidth(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(entry);
  }
  return lines.length === 0 ? [] : [[], ...lines];
}

/** Lists rewinds, limits that held the run, and idle times that are drawn short. */
function noteLines({ from, arrows, holds }: Timeline, axis: TimeAxis, now: number): readonly Line[] {
  const sent = grouped(arrows, ({ from: by, to }) => JSON.stringify([by, to]));
  const notes = [
    ...[...sent.values()].flatMap(([first, ...more]) =>
      first
        ? [
            `${oneLine(first.from)} sent back ${oneLine(first.to)}${more.length === 0 ? '' : ` ${more.length + 1} times`}`,
          ]
        : [],
    ),
    ...holds.map(
      ({ limit, from: since, to }) =>
        `the limit ${limit} held the run from ${duration(since - from)} on, for ${duration((to ?? now) - since)}${to === null ? ' so far' : ''}`,
    ),
    ...axis.cuts.map(
      ({ from: since, to }) =>
        `${duration(to - since)} without work are drawn short, from ${duration(since - from)} on`,
    ),
  ];
  return notes.map((note) => [span(note, 'dim')]);
}
