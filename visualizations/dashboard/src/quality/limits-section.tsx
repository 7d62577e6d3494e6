/**
 * The section about usage and limits.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { startOf } from '../parts/untrusted-text.ts';
import type { LimitName } from '../../../../src/model/plan/policy-schema.ts';
import type { RunAtRecord } from '../data/run-history.ts';
import { Bar } from './bar.tsx';
import { DataTable } from './data-table.tsx';
import { type Allowance, allowancesOf } from './allowances.ts';
import { NONE } from '../../../../src/projections/wording/figures.ts';

interface LimitsSectionProps {
  readonly moment: RunAtRecord;
  readonly lifted: ReadonlySet<LimitName>;
}

/** The usage of all limited quantities, with the rest of each limit. */
export function LimitsSection({ moment, lifted }: LimitsSectionProps): ReactNode {
  const allowances = allowancesOf(moment, lifted);
  const isLimited = allowances.some(({ max }) => max !== null);
  return (
    <section>
      <h2>{isLimited ? 'Usage and limits' : 'Used'}</h2>
      <DataTable
        name="What the run has used"
        heads={isLimited ? ['Quantity', '#Used', '#Limit', '#Left', 'Share used'] : ['Quantity', '#Used']}
        rows={allowances.map((one) => ({ key: one.limit, cells: cellsOf(one) }))}
        none="Nothing is used."
      />
      {isLimited ? null : <p className="quiet">The run has no limits.</p>}
    </section>
  );
}

// --- internal ---

function cellsOf({ name, of, used, max, text, standing }: Allowance): readonly ReactNode[] {
  const what = of === null ? name : `${name}, most: ${startOf(of, 80)}`;
  if (max === null) return [what, text(used), 'no limit', NONE, ''];
  return [
    what,
    text(used),
    text(max),
    text(Math.max(0, max - used)),
    <AllowanceBar key="bar" used={used} max={max} standing={standing} />,
  ];
}

interface AllowanceBarProps {
  readonly used: number;
  readonly max: number;
  readonly standing: Allowance['standing'];
}

function AllowanceBar({ used, max, standing }: AllowanceBarProps): ReactNode {
  const look = standing === 'spent' ? 'bad' : standing === 'nearly spent' ? 'warn' : 'plain';
  return (
    <>
      <Bar parts={[{ look, value: used }]} of={max} />{' '}
      {max === 0 ? '' : `${Math.min(999, Math.round((100 * used) / max))} %`}
      {standing === null ? '' : <strong className={`tone ${look}`}> {standing}</strong>}
    </>
  );
}
