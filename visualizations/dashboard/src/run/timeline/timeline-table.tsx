/**
 * The timeline as a table.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { timelineWords } from '../../../../../src/projections/wording/timeline-words.ts';
import { startOf } from '../../parts/untrusted-text.ts';
import { useVirtualRows } from '../../parts/virtual-rows.ts';
import { exactDuration, isoTime, timeText } from '../../parts/words.ts';
import { hashOf, type RunRoute } from '../../route.ts';
import { GapRow } from '../gap-row.tsx';
import { keyOf, OUTCOMES, type TimelineRow } from './timeline-rows.ts';
import '../list.css';

interface TimelineTableProps {
  readonly rows: readonly TimelineRow[];
  readonly route: RunRoute;
  readonly now: number;
}

/** A table with a row for each bar, phase by phase. */
export function TimelineTable({ rows, route, now }: TimelineTableProps): ReactNode {
  const bars = rows.flatMap((row) => row.bars);
  const { scroller, first, end, before, after } = useVirtualRows<HTMLElement>(bars.length, ROW);
  return (
    <section className="phase-list" ref={scroller} aria-label="Table of the timeline">
      <table aria-rowcount={bars.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Phase</th>
            <th scope="col">Activity</th>
            <th scope="col">Attempt</th>
            <th scope="col">From</th>
            <th scope="col" className="amount">
              Took
            </th>
            <th scope="col">Ended</th>
          </tr>
        </thead>
        <tbody>
          <GapRow height={before} columns={6} />
          {bars.slice(first, end).map((bar, at) => (
            <tr key={keyOf(bar)} aria-rowindex={first + at + 2}>
              <th scope="row">
                <a href={hashOf({ ...route, phase: bar.phase, attempt: bar.seq })}>{startOf(bar.phase, 80)}</a>
              </th>
              <td>
                {bar.task === undefined ? '' : `${startOf(bar.task, 60)} `}
                {timelineWords[bar.kind]}
              </td>
              <td>
                attempt {bar.number}
                {bar.generation > 0 ? `, generation ${bar.generation + 1}` : ''}
              </td>
              <td>
                <time dateTime={isoTime(bar.from)}>{timeText(bar.from)}</time>
              </td>
              <td className="amount">{exactDuration((bar.to ?? now) - bar.from)}</td>
              <td>{bar.outcome === undefined ? 'ongoing' : OUTCOMES[bar.outcome]}</td>
            </tr>
          ))}
          <GapRow height={after} columns={6} />
        </tbody>
      </table>
    </section>
  );
}

// --- internal ---

const ROW = 34;
