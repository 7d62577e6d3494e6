/**
 * The details of a run below its head: problems, the work that was handed over, and the actions.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { UiRun } from '../../../../src/server/api.ts';
import type { RunAtRecord } from '../data/run-history.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { RunActions } from '../runs/run-actions.tsx';
import { RunFacts } from './run-facts.tsx';
import { HandOver } from './work/hand-over.tsx';

interface RunDetailsProps {
  readonly run: string;
  readonly moment: RunAtRecord;
  /** The run as the server knows it. */
  readonly info: UiRun | undefined;
  /** True if the page shows the latest state of the run. */
  readonly isLive: boolean;
}

/** The details. */
export function RunDetails({ run, moment, info, isLive }: RunDetailsProps): ReactNode {
  return (
    <div className="run-details">
      {info?.damage === undefined ? null : (
        <p className="wrong">
          {startOf(info.damage, 300)}. Check it with <code>phasegate verify {inOneLine(run)}</code>, or fork it.
        </p>
      )}
      {isLive && info?.start?.state === 'failed' ? (
        <p className="wrong">
          The run could not be resumed: {info.start.problem.message} {info.start.problem.hint}
        </p>
      ) : null}
      <HandOver run={info?.parent ?? run} snapshot={moment.snapshot} plan={moment.plan} />
      <RunFacts run={run} moment={moment} info={info} isLive={isLive} />
      {info && info.actions.length > 0 ? <RunActions run={info} at={isLive ? undefined : moment.seq} /> : null}
    </div>
  );
}
