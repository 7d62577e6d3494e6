/**
 * The sections about phase yields and phase containment.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { Measures } from '../../../../src/projections/quality/measures.ts';
import { startOf } from '../parts/untrusted-text.ts';
import type { RunRoute } from '../route.ts';
import { Bar } from './bar.tsx';
import { matrixOf } from './containment.ts';
import { DataTable } from './data-table.tsx';
import { NONE, share } from '../../../../src/projections/wording/figures.ts';
import { count } from './figures.ts';
import { PhaseLink } from './phase-link.tsx';

interface YieldsSectionProps {
  readonly route: RunRoute;
  readonly measures: Measures;
}

/** The yield of each phase, and of the process before it. */
export function YieldsSection({ route, measures }: YieldsSectionProps): ReactNode {
  const told = measures.phases.filter(({ entry, injected, removed }) => entry + injected + (removed ?? 0) > 0);
  return (
    <section>
      <h2>Phase yields</h2>
      {told.length === 0 ? null : (
        <p className="quiet">
          Yield is 100 · removed / (at entry + injected). Of all defects {share(measures.removalEfficiency)} were
          removed.
        </p>
      )}
      <DataTable
        name="Phase yields"
        heads={[
          'Phase',
          '#At entry',
          '#Injected',
          '#Removed',
          '#Yield',
          'Share',
          '#Process yield before',
          '#Containment',
        ]}
        rows={told.map((one) => ({
          key: one.phase,
          matters: one.injected + (one.removed ?? 0) > 0,
          cells: [
            <PhaseLink key="phase" route={route} phase={one.phase} />,
            count(one.entry),
            count(one.injected),
            one.removed === null ? NONE : String(one.removed),
            share(one.yield),
            one.yield === null ? null : <Bar key="bar" parts={[{ look: 'good', value: one.yield }]} of={100} />,
            share(one.processYield),
            share(one.containment),
          ],
        }))}
        none="No defect was found, so there are no yields."
      />
    </section>
  );
}

/** The phases that injected defects, by the phases that removed them. */
export function ContainmentSection({ route, measures }: YieldsSectionProps): ReactNode {
  const { removing, others, rows } = matrixOf(measures, MOST_COLUMNS);
  const most = Math.max(1, ...rows.flatMap(({ removed }) => removed));
  return (
    <section>
      <h2>Phase containment</h2>
      <DataTable
        name="Phase containment"
        heads={[
          'Injected in',
          ...removing.map((phase) => `#Removed in ${startOf(phase, 40)}`),
          ...(others > 0 ? [`#Removed in ${others} others`] : []),
          '#Accepted',
          '#Open',
          '#Total',
        ]}
        rows={rows.map((row) => ({
          key: row.injected,
          matters: row.open + row.accepted > 0,
          cells: [
            <PhaseLink key="phase" route={route} phase={row.injected} />,
            ...row.removed.map((removed, at) => {
              const phase = removing[at] ?? '';
              return <Heat key={phase} count={removed} most={most} isOwn={phase === row.injected} />;
            }),
            ...(others > 0 ? [count(row.elsewhere)] : []),
            count(row.accepted),
            count(row.open),
            count(row.total),
          ],
        }))}
        none="No defect was found."
      />
      {rows.length === 0 ? null : (
        <p className="quiet">A framed number counts defects that the gate of their own phase has removed.</p>
      )}
    </section>
  );
}

// --- internal ---

/** The most phases with a column of their own in the matrix. */
const MOST_COLUMNS = 12;
/** Steps of colour. */
const STEPS = 4;

interface HeatProps {
  readonly count: number;
  readonly most: number;
  readonly isOwn: boolean;
}

function Heat({ count: number, most, isOwn }: HeatProps): ReactNode {
  const step = Math.ceil((STEPS * number) / most);
  return <span className={`heat step-${step}${isOwn ? ' own' : ''}`}>{count(number)}</span>;
}
