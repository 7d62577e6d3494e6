/**
 * Links to the runs that a task has started.
 *
 * @module
 */
import { type ReactNode, use } from 'react';
import { StandingBadge } from '../../parts/status.tsx';
import { startOf } from '../../parts/untrusted-text.ts';
import { hashOfRun } from '../../route.ts';
import { type AttemptPlace, ChildRunsContext, isStartedBy } from './child-runs.ts';

interface ChildRunLinksProps {
  readonly place: AttemptPlace;
  /** The name of the task. */
  readonly task: string;
}

/** The links, each with the status of the run. */
export function ChildRunLinks({ place, task }: ChildRunLinksProps): ReactNode {
  const runs = use(ChildRunsContext).filter(({ runId }) => isStartedBy(runId, place, task));
  return runs.map(({ runId, pipeline, standing, approved, phases }) => (
    <p key={runId}>
      Its run: <a href={hashOfRun(runId)}>{startOf(pipeline, 60) || 'Run'}</a> <StandingBadge of={standing} />{' '}
      <span className="quiet">
        {approved} of {phases} approved
      </span>
    </p>
  ));
}
