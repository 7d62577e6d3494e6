/**
 * The layer above the rows of the timeline: rewinds, limits that held the run, cuts, and the present.
 *
 * @module
 */
import { type ReactNode, useMemo } from 'react';
import type { Stretch } from '../../../../../src/projections/timeline/time-axis.ts';
import type { Timeline } from '../../../../../src/projections/timeline/timeline.ts';
import { isSeen, type TimeScale, xOf } from './time-scale.ts';
import type { TimelineRow } from './timeline-rows.ts';

interface TimelineArrowsProps extends Pick<Timeline, 'arrows' | 'holds'> {
  readonly rows: readonly TimelineRow[];
  readonly scale: TimeScale;
  /** The rows that are rendered. */
  readonly first: number;
  readonly end: number;
  readonly rowHeight: number;
  readonly now: number;
  readonly goesOn: boolean;
}

/** A drawing above the bars, which ignores the pointer. */
export function TimelineArrows(props: TimelineArrowsProps): ReactNode {
  const { rows, arrows, holds, scale, first, end, rowHeight, now, goesOn } = props;
  const rowOf = useMemo(() => new Map(rows.map(({ phase }, row) => [phase, row])), [rows]);
  const height = (end - first) * rowHeight;
  const seen = arrows.flatMap(({ from, to, time, seq }) => {
    const [start, target] = [rowOf.get(from), rowOf.get(to)];
    if (start === undefined || target === undefined || !isSeen({ from: time, to: time }, scale)) return [];
    if (Math.max(start, target) < first || Math.min(start, target) >= end) return [];
    const middle = (row: number) => (row - first + 0.5) * rowHeight;
    return [{ seq, x: xOf(time, scale), from: middle(start), to: middle(target) }];
  });
  return (
    <svg
      className="timeline-over"
      style={{ top: first * rowHeight }}
      width={scale.width}
      height={height}
      aria-hidden="true"
    >
      <defs>
        <marker id="sent-back" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0,0 L8,4 L0,8 Z" />
        </marker>
        <pattern id="cut" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="6" />
        </pattern>
      </defs>
      {scale.axis.cuts.map((cut) =>
        isSeen(cut, scale) ? (
          <rect key={cut.from} className="cut" {...within(cut, scale)} y={0} height={height} />
        ) : null,
      )}
      {holds.map(({ from, to, seq }) =>
        isSeen({ from, to: to ?? now }, scale) ? (
          <rect key={seq} className="hold" {...within({ from, to: to ?? now }, scale)} y={0} height={height} />
        ) : null,
      )}
      {seen.map(({ seq, x, from, to }) => (
        <path key={seq} className="sent-back" d={`M${x},${from} V${to}`} markerEnd="url(#sent-back)" />
      ))}
      {goesOn ? <line className="now" x1={xOf(now, scale)} x2={xOf(now, scale)} y1={0} y2={height} /> : null}
    </svg>
  );
}

// --- internal ---

/** The visible part of a stretch of time. It must not cover the names. */
function within({ from, to }: Stretch, scale: TimeScale): { readonly x: number; readonly width: number } {
  const x = Math.max(0, xOf(from, scale));
  return { x, width: Math.max(2, Math.min(scale.width, xOf(to, scale)) - x) };
}
