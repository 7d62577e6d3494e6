/**
 * The section about effort, by phase and purpose.
 *
 * @module
 */
import { type ReactNode, useId, useState } from 'react';
import type { Effort } from '../../../../src/projections/quality/effort.ts';
import type { EffortSplit, Measures } from '../../../../src/projections/quality/measures.ts';
import type { RunRoute } from '../route.ts';
import { Bar } from './bar.tsx';
import { DataTable } from './data-table.tsx';
import { ratioText, share } from '../../../../src/projections/wording/figures.ts';
import { effortText, type Measure, measures as kinds, measureThatSays, nameOf } from './figures.ts';
import { PhaseLink } from './phase-link.tsx';

interface EffortSectionProps {
  readonly route: RunRoute;
  readonly measures: Measures;
}

/** First work, reviews and checks, and rework of every phase. */
export function EffortSection({ route, measures }: EffortSectionProps): ReactNode {
  const [chosen, choose] = useState<Measure | null>(null);
  const by = chosen ?? measureThatSays(totalOf(measures.effort));
  const most = Math.max(0, ...measures.phases.map((one) => totalOf(one)[by]));
  const rows = measures.phases.flatMap((one) => {
    const total = totalOf(one)[by];
    if (total === 0) return [];
    return [
      {
        key: one.phase,
        matters: one.rework[by] > 0,
        cells: [
          <PhaseLink key="phase" route={route} phase={one.phase} />,
          <SplitBar key="bar" split={one} by={by} of={most} />,
          ...cellsOf(one, by),
        ],
      },
    ];
  });
  return (
    <section>
      <h2>Effort</h2>
      <p className="quiet">
        Rework is the effort of tasks in attempts after corrections. The appraisal to failure ratio, reviews and checks
        divided by rework: {ratioText(measures.appraisalToFailure[by])}.
      </p>
      <Choice by={by} choose={choose} />
      <ul className="legend" aria-label="Looks of the bars">
        <li className="work">First work</li>
        <li className="appraisal">Reviews and checks</li>
        <li className="rework">Rework</li>
      </ul>
      <DataTable
        name={`${nameOf[by]} by phase`}
        heads={['Phase', 'Share', '#First work', '#Reviews and checks', '#Rework', '#All', '#Rework share']}
        rows={rows}
        none={`No phase has reported any ${nameOf[by].toLowerCase()}.`}
        foot={[
          'All phases',
          <SplitBar key="bar" split={measures.effort} by={by} of={totalOf(measures.effort)[by]} />,
          ...cellsOf(measures.effort, by),
        ]}
      />
    </section>
  );
}

// --- internal ---

interface ChoiceProps {
  readonly by: Measure;
  readonly choose: (by: Measure) => void;
}

function Choice({ by, choose }: ChoiceProps): ReactNode {
  const group = useId();
  return (
    <fieldset className="choice">
      <legend>Counted in</legend>
      {kinds.map((one) => (
        <label key={one}>
          <input type="radio" name={group} checked={one === by} onChange={() => choose(one)} /> {nameOf[one]}
        </label>
      ))}
    </fieldset>
  );
}

interface SplitBarProps {
  readonly split: EffortSplit;
  readonly by: Measure;
  readonly of: number;
}

function SplitBar({ split, by, of }: SplitBarProps): ReactNode {
  const { work, appraisal, rework } = split;
  return (
    <Bar
      parts={[
        { look: 'work', value: work[by] },
        { look: 'appraisal', value: appraisal[by] },
        { look: 'rework', value: rework[by] },
      ]}
      of={of}
    />
  );
}

function cellsOf(split: EffortSplit, by: Measure): readonly string[] {
  const all = totalOf(split)[by];
  return [
    ...[split.work[by], split.appraisal[by], split.rework[by], all].map((value) => effortText(value, by)),
    share(all === 0 ? null : (100 * split.rework[by]) / all),
  ];
}

function totalOf({ work, appraisal, rework }: EffortSplit): Effort {
  const sum = (key: keyof Effort) => work[key] + appraisal[key] + rework[key];
  return { costUsd: sum('costUsd'), tokens: sum('tokens'), ms: sum('ms') };
}
