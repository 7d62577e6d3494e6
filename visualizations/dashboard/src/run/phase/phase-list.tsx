/**
 * The phases of a run as a table.
 *
 * @module
 */
import { type ReactNode, useMemo, useState } from 'react';
import type { WorkTimes } from '../../../../../src/projections/timeline/work-times.ts';
import { dollars } from '../../../../../src/projections/wording/amount-words.ts';
import { timeNames } from '../../../../../src/projections/wording/standing-words.ts';
import { useNow } from '../../data/now.ts';
import { inOneLine, startOf } from '../../parts/untrusted-text.ts';
import { StandingBadge } from '../../parts/status.tsx';
import { useVirtualRows } from '../../parts/virtual-rows.ts';
import { exactDuration } from '../../parts/words.ts';
import { hashOf } from '../../route.ts';
import { GapRow } from '../gap-row.tsx';
import type { PhaseFace } from '../graph/phase-face.ts';
import { type Order, orders, type PhaseRow, sorted } from './phase-filter.ts';
import type { TabProps } from '../tab.ts';
import { rowsOf } from '../timeline/timeline-rows.ts';
import { timesOf, useTimeline } from '../timeline/use-timeline.ts';
import '../list.css';

interface PhaseListProps extends TabProps {
  /** The phases that match the filters. */
  readonly faces: readonly PhaseFace[];
}

/** A table of phases, each with a link to its panel. */
export function PhaseList({ faces, log, moment, route, goesOn }: PhaseListProps): ReactNode {
  const [order, setOrder] = useState<Order>('what matters');
  const { snapshot } = moment;
  const timeline = useTimeline({ log, moment });
  const bars = useMemo(() => new Map(rowsOf(timeline).map((row) => [row.phase, row.bars])), [timeline]);
  const clock = useNow(goesOn ? 1000 : NEVER);
  const now = goesOn ? Math.max(clock, moment.time) : moment.time;
  const rows = useMemo(() => {
    const all = faces.flatMap((face): PhaseRow[] => {
      const result = snapshot.phases[face.name];
      return result ? [{ face, result }] : [];
    });
    return sorted(all, order);
  }, [faces, snapshot, order]);
  const { scroller, first, end, before, after } = useVirtualRows<HTMLDivElement>(rows.length, ROW);
  return (
    <>
      <p className="view-bar">
        <label>
          First{' '}
          <select
            value={order}
            onChange={({ target }) => setOrder(orders.find((one) => one === target.value) ?? order)}
          >
            {orders.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </p>
      <section className="phase-list" ref={scroller} aria-label="Table of phases">
        <table aria-rowcount={rows.length + 1}>
          <colgroup>
            <col className="wide" />
            <col span={7} />
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">Phase</th>
              <th scope="col">Status</th>
              <th scope="col">Attempt</th>
              <th scope="col">Notes</th>
              <th scope="col" className="amount">
                Sent back
              </th>
              <th scope="col" className="amount">
                Cost
              </th>
              <th scope="col" className="amount">
                {timeNames.work}
              </th>
              <th scope="col" className="amount">
                {timeNames.wait}
              </th>
            </tr>
          </thead>
          <tbody>
            <GapRow height={before} columns={8} />
            {rows.slice(first, end).map(({ face, result }, at) => (
              <tr
                key={face.index}
                aria-rowindex={first + at + 2}
                aria-current={face.name === route.phase ? 'true' : undefined}
              >
                <th scope="row" title={inOneLine(face.name).slice(0, 300)}>
                  <a href={hashOf({ ...route, phase: face.name, attempt: null })} data-phase={face.index}>
                    {startOf(face.name, 80)}
                  </a>
                </th>
                <td>
                  <StandingBadge of={face.status} />
                </td>
                <td>
                  {face.attempt}
                  {face.generation > 0 ? `, gen. ${face.generation + 1}` : ''}
                </td>
                <td title={noteOf(face, result)}>{noteOf(face, result)}</td>
                <td className="amount">{result.corrections || ''}</td>
                <td className="amount">{result.costUsd > 0 ? dollars(result.costUsd) : ''}</td>
                <Times times={timesOf(bars.get(face.name) ?? [], now)} />
              </tr>
            ))}
            <GapRow height={after} columns={8} />
          </tbody>
        </table>
      </section>
    </>
  );
}

// --- internal ---

const ROW = 34;
/** Milliseconds. */
const NEVER = 1e9;

function noteOf({ notes, progress }: PhaseFace, { error, reason }: PhaseRow['result']): string {
  const why = error?.message ?? reason;
  return startOf([...notes, ...(progress === '' ? [] : [progress]), ...(why === null ? [] : [why])].join(', '), 200);
}

/** Times of work, and of waiting for people, tries and other phases; none if they are shorter than shown. */
function Times({ times: { workMs, waitMs } }: { readonly times: WorkTimes }): ReactNode {
  return (
    <>
      <td className="amount">{workMs + waitMs === 0 ? '' : exactDuration(workMs)}</td>
      <td className="amount">{waitMs < 50 ? '' : exactDuration(waitMs)}</td>
    </>
  );
}
