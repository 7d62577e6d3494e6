/**
 * The reason of the end of a run: its own, and those of the phases that failed or were rejected.
 *
 * @module
 */
import { type ReactNode, useMemo } from 'react';
import type { RunSnapshot } from '../../../../src/projections/run/run-result.ts';
import { problemText } from '../../../../src/projections/wording/error-words.ts';
import type { RunAtRecord } from '../data/run-history.ts';
import { StandingBadge } from '../parts/status.tsx';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { hashOf, type RunRoute } from '../route.ts';

interface EndCausesProps {
  readonly moment: RunAtRecord;
  readonly route: RunRoute;
}

/** The reasons, each with a link to the attempt that ended so; nothing for a run that goes on, or has succeeded. */
export function EndCauses({ moment: { plan, snapshot }, route }: EndCausesProps): ReactNode {
  const causes = useMemo(() => causesIn(snapshot, plan?.phases.map(({ name }) => name) ?? []), [plan, snapshot]);
  const own = ownReason(snapshot);
  if (snapshot.status === 'running' || (own === '' && causes.length === 0)) return null;
  return (
    <div className="end-causes">
      {own === '' ? null : <p className="ended">{startOf(problemText(own), MOST_CHARACTERS)}</p>}
      {causes.length === 0 ? null : (
        <ul className="causes" aria-label={`Why the run is ${snapshot.status}`}>
          {causes.slice(0, MOST_CAUSES).map(({ phase, status, why }) => (
            <li key={phase}>
              <a href={hashOf({ ...route, phase, attempt: null })}>
                <bdi>{startOf(phase, 80)}</bdi>
              </a>{' '}
              <StandingBadge of={status} /> <span>{startOf(inOneLine(why), MOST_CHARACTERS)}</span>
            </li>
          ))}
          {causes.length > MOST_CAUSES ? (
            <li className="quiet">and {causes.length - MOST_CAUSES} more phases, which are red in the graph</li>
          ) : null}
        </ul>
      )}
    </div>
  );
}

// --- internal ---

/** Most phases that are named, and most characters of each reason. */
const MOST_CAUSES = 5;
const MOST_CHARACTERS = 400;

interface Cause {
  readonly phase: string;
  readonly status: 'failed' | 'rejected';
  readonly why: string;
}

/** The phases that ended badly, in the order of the plan. Skipped and cancelled ones are consequences. */
function causesIn(snapshot: RunSnapshot, names: readonly string[]): readonly Cause[] {
  if (snapshot.status === 'running') return [];
  return names.flatMap((phase) => {
    const result = snapshot.phases[phase];
    if (result?.status !== 'failed' && result?.status !== 'rejected') return [];
    return [{ phase, status: result.status, why: problemText(result.error?.message ?? result.reason ?? '') }];
  });
}

function ownReason({ error, reason, limit }: RunSnapshot): string {
  return error?.message ?? reason ?? (limit === null ? '' : `the limit ${limit} is spent`);
}
