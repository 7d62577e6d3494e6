/**
 * What the run has used, against its limits.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { startOf } from '../parts/foreign-text.ts';
import type { Story } from '../data/story.ts';
import { Bar } from './bar.tsx';
import { DataTable } from './data-table.tsx';
import { type Allowance, allowancesOf } from './allowances.ts';
import { NONE } from './figures.ts';

/** Everything that can be limited, with what is left of it where it is. */
export function LimitsSection({ story }: { readonly story: Story }): ReactNode {
  const rows = allowancesOf(story).map((one) => ({
    key: one.limit,
    cells: [
      one.of === null ? one.name : `${one.name}, most by ${startOf(one.of, 80)}`,
      one.text(one.used),
      one.max === null ? 'no limit' : one.text(one.max),
      one.max === null ? NONE : one.text(Math.max(0, one.max - one.used)),
      one.max === null ? null : <AllowanceBar key="bar" {...one} max={one.max} />,
    ],
  }));
  return (
    <section>
      <h2>Used and limits</h2>
      <DataTable
        name="Used and limits"
        heads={['What', '#Used', '#Limit', '#Left', 'How far']}
        rows={rows}
        none="Nothing is used."
      />
    </section>
  );
}

// --- internal ---

function AllowanceBar({ used, max, standing }: Allowance & { readonly max: number }): ReactNode {
  const look = standing === 'spent' ? 'bad' : standing === 'nearly spent' ? 'warn' : 'plain';
  return (
    <>
      <Bar parts={[{ look, value: used }]} of={max} />{' '}
      {max === 0 ? '' : `${Math.min(999, Math.round((100 * used) / max))} %`}
      {standing === null ? '' : <strong className={`tone ${look}`}> {standing}</strong>}
    </>
  );
}
