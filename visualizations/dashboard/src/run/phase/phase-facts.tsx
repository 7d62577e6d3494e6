/**
 * The definition of a phase: its dependencies, its dependants, and its gate.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { type PhasePlan, type Plan, planGraph } from '../../../../../src/model/plan/plan.ts';
import { inOneLine, startOf } from '../../parts/untrusted-text.ts';
import { hashOf, type RunRoute } from '../../route.ts';
import { gateText } from './gate-words.ts';

interface PhaseFactsProps {
  readonly plan: Plan;
  readonly phase: PhasePlan;
  readonly route: RunRoute;
}

/** Facts from the plan. */
export function PhaseFacts({ plan, phase, route }: PhaseFactsProps): ReactNode {
  const { names, next, indexOf } = planGraph(plan);
  const feeds = (next[indexOf.get(phase.name) ?? -1] ?? []).flatMap((at) => names[at] ?? []);
  const { gate } = phase;
  return (
    <dl className="phase-facts">
      <Fact name="Needs">
        <PhaseLinks names={phase.after} route={route} none="none: it starts with the run" />
      </Fact>
      <Fact name="Feeds">
        <PhaseLinks names={feeds} route={route} none="no other phase" />
      </Fact>
      <Fact name="Tasks">
        {phase.tasks.map(({ name }) => startOf(name, 60)).join(', ')}
        {phase.tasks.length > 1 ? `, ${MODES[phase.mode]}` : ''}
      </Fact>
      {gate ? (
        <>
          {gate.checks.length > 0 ? (
            <Fact name="Checks">{gate.checks.map((one) => startOf(one, 80)).join(', ')}</Fact>
          ) : null}
          <Fact name="Reviewers">
            {gate.reviewers.map(({ name }) => startOf(name, 60)).join(', ') || 'none'}
            {gate.quorum < gate.reviewers.length ? `; ${gate.quorum} of them must approve` : ''}
          </Fact>
          <Fact name="Gate">{gateText(gate)}</Fact>
        </>
      ) : (
        <Fact name="Gate">none: outputs are approved without review</Fact>
      )}
    </dl>
  );
}

// --- internal ---

const MODES = {
  parallel: 'all at once',
  sequential: 'one by one',
  dependencies: 'each after its dependencies',
} as const;

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Names of phases, each with a link to its panel. */
function PhaseLinks({
  names,
  route,
  none,
}: {
  readonly names: readonly string[];
  readonly route: RunRoute;
  readonly none: string;
}): ReactNode {
  if (names.length === 0) return <span className="quiet">{none}</span>;
  return (
    <ul className="phase-links">
      {names.map((name) => (
        <li key={name}>
          <a href={hashOf({ ...route, phase: name, attempt: null })}>{inOneLine(name).slice(0, 120)}</a>
        </li>
      ))}
    </ul>
  );
}
