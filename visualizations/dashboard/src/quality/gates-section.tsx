/**
 * The sections about gates and reviewers.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { ReviewerMeasures } from '../../../../src/projections/quality/calibration.ts';
import type { Measures } from '../../../../src/projections/quality/measures.ts';
import { startOf } from '../parts/untrusted-text.ts';
import { amount } from '../parts/words.ts';
import type { RunRoute } from '../route.ts';
import { Bar } from './bar.tsx';
import { DataTable } from './data-table.tsx';
import { NONE, share } from '../../../../src/projections/wording/figures.ts';
import { count } from './figures.ts';
import { PhaseLink } from './phase-link.tsx';

interface GatesSectionProps {
  readonly route: RunRoute;
  readonly measures: Measures;
}

/** The gates and their first-pass yields. */
export function GatesSection({ route, measures: { gates } }: GatesSectionProps): ReactNode {
  return (
    <section>
      <h2>Gates</h2>
      <DataTable
        name="Gates"
        heads={[
          'Gate',
          '#Judgements',
          '#Unavailable',
          '#Starts judged',
          '#Passed at first',
          '#First-pass yield',
          'Share',
        ]}
        rows={gates.map((one) => ({
          key: one.phase,
          matters: one.passed < one.starts,
          cells: [
            <PhaseLink key="phase" route={route} phase={one.phase} />,
            amount(one.reviews),
            count(one.unanswered),
            amount(one.starts),
            amount(one.passed),
            share(one.firstPassYield),
            <Bar key="bar" parts={[{ look: 'good', value: one.firstPassYield ?? 0 }]} of={100} />,
          ],
        }))}
        none="No gate has judged."
      />
    </section>
  );
}

/** The reviewers and their reliability. */
export function ReviewersSection({ route, measures: { reviewers } }: GatesSectionProps): ReactNode {
  return (
    <section>
      <h2>Reviewers</h2>
      <p className="quiet">
        Contradicted decisions are those that a person overruled, approvals of later defects, and requests that were
        withdrawn.
      </p>
      <DataTable
        name="Reviewers"
        heads={[
          'Reviewer',
          'Gate',
          '#Decisions',
          '#Approvals',
          '#Contradicted',
          '#Judged by people',
          '#Overruled',
          '#Overruled share',
          'Contradicted by confidence',
        ]}
        rows={reviewers.map((one) => ({
          key: JSON.stringify([one.phase, one.reviewer]),
          matters: one.contradicted > 0,
          cells: [
            startOf(one.reviewer, 80),
            <PhaseLink key="phase" route={route} phase={one.phase} />,
            amount(one.decisions),
            count(one.approvals),
            count(one.contradicted),
            count(one.judgedByPeople),
            count(one.overruled),
            share(one.overruledShare),
            <Bands key="bands" {...one} />,
          ],
        }))}
        none="No reviewer has decided."
      />
    </section>
  );
}

// --- internal ---

function Bands({ bands }: ReviewerMeasures): ReactNode {
  if (bands.length === 0) return NONE;
  return (
    <ul className="bands">
      {bands.map(({ most, decisions, contradicted }) => (
        <li key={String(most)}>
          <span>{most === null ? 'none given' : `up to ${most}`}:</span> {contradicted} of {decisions}{' '}
          <Bar parts={[{ look: 'bad', value: contradicted }]} of={decisions} />
        </li>
      ))}
    </ul>
  );
}
