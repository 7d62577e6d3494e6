/**
 * The section about defects.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { Defect, Disposition } from '../../../../src/projections/quality/defect.ts';
import type { StatusMark } from '../../../../src/projections/wording/status-marks.ts';
import { startOf } from '../parts/untrusted-text.ts';
import { LookBadge } from '../parts/status.tsx';
import { amount } from '../parts/words.ts';
import type { RunRoute } from '../route.ts';
import { DataTable } from './data-table.tsx';
import { NONE } from '../../../../src/projections/wording/figures.ts';
import { effortText } from './figures.ts';
import { PhaseLink } from './phase-link.tsx';

interface DefectsSectionProps {
  readonly route: RunRoute;
  readonly defects: readonly Defect[];
}

/** All defects, with links to the phases that injected, detected and removed them. */
export function DefectsSection({ route, defects }: DefectsSectionProps): ReactNode {
  return (
    <section>
      <h2>Defects</h2>
      <p className="quiet">
        Attempts are those that its corrections caused. Cost, tokens and time are its share of the tasks in them.
      </p>
      <DataTable
        name="Defects"
        heads={[
          'No.',
          'Defect',
          'Type',
          'Severity',
          'Now',
          'Injected',
          'Detected',
          'Removed',
          'Fix',
          'Attempts',
          '#Cost',
          '#Tokens',
          '#Time',
        ]}
        rows={defects.map((one) => ({
          key: String(one.number),
          matters: one.disposition === 'open' || one.disposition === 'accepted',
          cells: cellsOf(one, route),
        }))}
        none="No defect was found."
      />
    </section>
  );
}

// --- internal ---

const LOOKS: Readonly<Record<Disposition, StatusMark>> = {
  open: { mark: '○', tone: 'warn' },
  accepted: { mark: '⚠', tone: 'bad' },
  fixed: { mark: '✓', tone: 'good' },
  withdrawn: { mark: '⊘', tone: 'dim' },
};

function cellsOf(defect: Defect, route: RunRoute): readonly ReactNode[] {
  const { costUsd, tokens, ms } = defect.rework;
  return [
    amount(defect.number),
    <span key="what" className="said" title={startOf(defect.id, 120)}>
      {startOf(defect.description, 240) || NONE}
    </span>,
    startOf(defect.type, 40),
    defect.severity ?? NONE,
    <LookBadge key="now" look={LOOKS[defect.disposition]}>
      {defect.disposition}
    </LookBadge>,
    <Injected key="injected" defect={defect} route={route} />,
    <Detected key="detected" defect={defect} route={route} />,
    defect.removed ? <PhaseLink key="removed" route={route} phase={defect.removed.phase} /> : NONE,
    defect.fix ? (
      <span key="fix">
        <PhaseLink route={route} phase={defect.fix.phase} /> v{defect.fix.version}
      </span>
    ) : (
      NONE
    ),
    Object.entries(defect.attempts)
      .map(([phase, attempts]) => `${startOf(phase, 40)} ${attempts}`)
      .join(', ') || NONE,
    effortText(costUsd, 'costUsd'),
    effortText(tokens, 'tokens'),
    effortText(ms, 'ms'),
  ];
}

interface PlaceProps {
  readonly defect: Defect;
  readonly route: RunRoute;
}

/** The phase that injected the defect. Phases that were named before are crossed out. */
function Injected({ defect: { attribution, injected }, route }: PlaceProps): ReactNode {
  const last = attribution.at(-1);
  const before = attribution.slice(0, -1);
  return (
    <>
      {before.map(({ phase, seq }) => (
        <s key={seq}>{startOf(phase, 40)} </s>
      ))}
      <PhaseLink route={route} phase={injected} />
      {before.length > 0 && last ? (
        <span className="quiet"> said by {last.name === null ? last.by : `${last.by} ${startOf(last.name, 40)}`}</span>
      ) : null}
    </>
  );
}

function Detected({ defect: { found }, route }: PlaceProps): ReactNode {
  return found.map(({ phase, by, name, seq }, at) => (
    <span key={seq}>
      {at === 0 ? '' : ', '}
      <PhaseLink route={route} phase={phase} /> <span className="quiet">({startOf(name ?? by, 40)})</span>
    </span>
  ));
}
