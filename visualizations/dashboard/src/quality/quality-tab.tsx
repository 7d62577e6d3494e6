/**
 * The cost of a run, and the quality of its gates.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { Defect, Disposition } from '../../../../src/projections/quality/defect.ts';
import { counted } from '../parts/words.ts';
import type { TabProps } from '../run/tab.ts';
import { AttemptsSection } from './attempts-section.tsx';
import { DefectsSection } from './defects-section.tsx';
import { EffortSection } from './effort-section.tsx';
import { share } from '../../../../src/projections/wording/figures.ts';
import { GatesSection, ReviewersSection } from './gates-section.tsx';
import { LimitsSection } from './limits-section.tsx';
import { useQuality } from './use-quality.ts';
import { ContainmentSection, YieldsSection } from './yields-section.tsx';
import './quality.css';

/** Cost and quality of a run as of the selected record. */
export function QualityTab({ log, moment, route }: TabProps): ReactNode {
  const { defects, measures, lifted } = useQuality({ log, moment });
  return (
    <div className="quality">
      <p className="summary">{summaryOf(defects, measures.removalEfficiency)}</p>
      <LimitsSection moment={moment} lifted={lifted} />
      <EffortSection route={route} measures={measures} />
      <AttemptsSection route={route} snapshot={moment.snapshot} />
      <GatesSection route={route} measures={measures} />
      <DefectsSection route={route} defects={defects} />
      <YieldsSection route={route} measures={measures} />
      <ContainmentSection route={route} measures={measures} />
      <ReviewersSection route={route} measures={measures} />
    </div>
  );
}

// --- internal ---

const DISPOSITIONS: readonly Disposition[] = ['open', 'accepted', 'fixed', 'withdrawn'];

function summaryOf(defects: readonly Defect[], removed: number | null): string {
  if (defects.length === 0) return 'No defect was found.';
  const parts = DISPOSITIONS.flatMap((one) => {
    const number = defects.filter(({ disposition }) => disposition === one).length;
    return number === 0 ? [] : [`${number} ${one}`];
  });
  const but = defects.some(({ disposition }) => disposition === 'withdrawn') ? ', without the withdrawn' : '';
  return `${counted(defects.length, 'defect')} found: ${parts.join(', ')}. Removed${but}: ${share(removed)}.`;
}
