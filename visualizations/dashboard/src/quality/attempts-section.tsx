/**
 * The section about numbers of attempts.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { RunSnapshot } from '../../../../src/projections/run/run-result.ts';
import { amount } from '../parts/words.ts';
import type { RunRoute } from '../route.ts';
import { attemptsOf } from './attempts.ts';
import { Bar } from './bar.tsx';
import { DataTable } from './data-table.tsx';
import { PhaseLink } from './phase-link.tsx';

interface AttemptsSectionProps {
  readonly route: RunRoute;
  readonly snapshot: RunSnapshot;
}

/** A histogram. */
export function AttemptsSection({ route, snapshot }: AttemptsSectionProps): ReactNode {
  const bins = attemptsOf(snapshot);
  const most = Math.max(0, ...bins.map(({ phases }) => phases.length));
  return (
    <section>
      <h2>Attempts</h2>
      <DataTable
        name="Phases by their attempts"
        heads={['Attempts', '#Phases', 'Share', 'Names']}
        rows={bins.map(({ attempts, phases }) => ({
          key: String(attempts),
          matters: attempts > 1,
          cells: [
            amount(attempts),
            amount(phases.length),
            <Bar key="bar" parts={[{ look: attempts > 1 ? 'rework' : 'work', value: phases.length }]} of={most} />,
            <Which key="which" route={route} phases={phases} />,
          ],
        }))}
        none="No phase has started."
      />
    </section>
  );
}

// --- internal ---

const MOST_NAMES = 4;

function Which({ route, phases }: { readonly route: RunRoute; readonly phases: readonly string[] }): ReactNode {
  return (
    <>
      {phases.slice(0, MOST_NAMES).map((phase, at) => (
        <span key={phase}>
          {at === 0 ? '' : ', '}
          <PhaseLink route={route} phase={phase} />
        </span>
      ))}
      {phases.length > MOST_NAMES ? ` and ${amount(phases.length - MOST_NAMES)} more` : ''}
    </>
  );
}
