/**
 * Runs as a table.
 *
 * @module
 */
import { memo, type ReactNode, useState } from 'react';
import { elapsedMsOf, workedMsOf } from '../../../../src/projections/run/run-order.ts';
import { dollars, thousands } from '../../../../src/projections/wording/amount-words.ts';
import type { UiRun } from '../../../../src/server/api.ts';
import { useNow } from '../data/now.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { StandingBadge } from '../parts/status.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { exactDuration } from '../parts/words.ts';
import { ALL_RUNS, hashOf, hashOfRun } from '../route.ts';
import { RunActions } from './run-actions.tsx';
import './runs.css';

/** A table with a row for each run. */
export function RunTable({ runs }: { readonly runs: readonly UiRun[] }): ReactNode {
  const now = useNow(10_000);
  const [open, setOpen] = useState<string | null>(null);
  return (
    <table className="runs">
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Status</th>
          <th scope="col">Approved</th>
          {['Work', 'Tokens', 'Cost'].map((title) => (
            <th key={title} scope="col" className="amount">
              {title}
            </th>
          ))}
          <th scope="col">Tags</th>
          <th scope="col">Started</th>
          <th scope="col">Last record</th>
          <th scope="col">
            <span className="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={run.runId} run={run} now={now} isOpen={open === run.runId} onOpen={setOpen} />
        ))}
      </tbody>
    </table>
  );
}

// --- internal ---

interface RowProps {
  readonly run: UiRun;
  readonly now: number;
  readonly isOpen: boolean;
  readonly onOpen: (run: string | null) => void;
}

const Row = memo(RunRow, isSameRow);

function isSameRow(one: RowProps, other: RowProps): boolean {
  const isSame = one.now === other.now && one.isOpen === other.isOpen && one.onOpen === other.onOpen;
  // Each response has new objects, most of which have the same content as before.
  return isSame && JSON.stringify(one.run) === JSON.stringify(other.run);
}

function RunRow({ run, now, isOpen, onOpen }: RowProps): ReactNode {
  const {
    runId,
    parent,
    pipeline,
    standing,
    approved,
    phases,
    costUsd,
    tokens,
    tags = [],
    startedAt,
    updatedAt,
    waiting,
    hung,
    gone,
    damage,
    actions,
  } = run;
  const worked = workedMsOf(run, now);
  return (
    <>
      <tr className={isOpen ? 'open' : ''}>
        <th scope="row">
          <a href={hashOfRun(runId)}>
            <bdi>{startOf(pipeline, 60) || 'Run'}</bdi>
          </a>
          <code className="quiet">{inOneLine(runId)}</code>
          {parent === undefined ? null : (
            <span className="why quiet">
              part of <a href={hashOfRun(parent)}>{startOf(parent, 60)}</a>
            </span>
          )}
        </th>
        <td>
          <StandingBadge of={standing} />
          {waiting.length > 0 ? <span className="why quiet">{startOf(waiting.join(', '), 60)}</span> : null}
          {hung === null ? null : <span className="why wrong">{startOf(hung, 40)} does not respond</span>}
          {gone === null ? null : <span className="why wrong">{startOf(gone, 40)} is gone</span>}
          {damage === undefined ? null : <span className="why wrong">{startOf(damage, 120)}</span>}
        </td>
        <td className="progress">
          <progress aria-hidden="true" value={approved} max={Math.max(1, phases)} /> {approved} of {phases}
        </td>
        <td className="amount" title={`${exactDuration(elapsedMsOf(run, now))} in all`}>
          {worked === undefined ? '–' : exactDuration(worked)}
        </td>
        <td className="amount">{tokens > 0 ? thousands(tokens) : '–'}</td>
        <td className="amount">{costUsd > 0 ? dollars(costUsd) : '–'}</td>
        <td className="tags">
          {tags.map((tag, at) => (
            <a key={at} href={hashOf({ ...ALL_RUNS, tag })}>
              {inOneLine(tag)}
            </a>
          ))}
        </td>
        <td>
          <TimeAgo time={startedAt} now={now} />
        </td>
        <td>
          <TimeAgo time={updatedAt} now={now} />
        </td>
        <td className="amount">
          {actions.length === 0 ? null : (
            <button type="button" aria-expanded={isOpen} onClick={() => onOpen(isOpen ? null : runId)}>
              Actions
              <span className="unseen">
                {' '}
                for {inOneLine(pipeline)} {inOneLine(runId)}
              </span>
            </button>
          )}
        </td>
      </tr>
      {isOpen ? (
        <tr className="opened">
          <td colSpan={10}>
            <RunActions run={run} />
          </td>
        </tr>
      ) : null}
    </>
  );
}
