/**
 * Runs as a table.
 *
 * @module
 */
import { lazy, memo, type ReactNode, Suspense, useState } from 'react';
import { elapsedMsOf, workedMsOf } from '../../../../src/projections/run/run-order.ts';
import { dollars, thousands } from '../../../../src/projections/wording/amount-words.ts';
import type { UiRun } from '../../../../src/server/api.ts';
import { useNow } from '../data/now.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { StandingBadge } from '../parts/status.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { exactDuration } from '../parts/words.ts';
import { ALL_RUNS, hashOf, hashOfRun } from '../route.ts';
import { COLUMN_COUNT, RunHeads, type Sorting } from './run-heads.tsx';
import './runs.css';

interface RunTableProps {
  readonly runs: readonly UiRun[];
  /** The order, if people can change it. */
  readonly sorting?: Sorting;
}

/** A table with a row for each run. On a narrow screen each row is a card, whose figures have their names. */
export function RunTable({ runs, sorting }: RunTableProps): ReactNode {
  const now = useNow(10_000);
  const [open, setOpen] = useState<string | null>(null);
  return (
    <table className="runs">
      <RunHeads sorting={sorting} />
      <tbody>
        {runs.map((run) => (
          <Row key={run.runId} run={run} now={now} isOpen={open === run.runId} onOpen={setOpen} />
        ))}
      </tbody>
    </table>
  );
}

// --- internal ---

/** Loaded when somebody wants to act: most people only look. */
const RunActions = lazy(() => import('./run-actions.tsx').then(({ RunActions: view }) => ({ default: view })));

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
    waitsIn: [waitsIn] = [],
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
          {waitsIn === undefined ? null : (
            <span className="why quiet">
              in <a href={hashOfRun(waitsIn)}>{startOf(waitsIn, 60)}</a>
            </span>
          )}
          {hung === null ? null : <span className="why wrong">{startOf(hung, 40)} does not respond</span>}
          {gone === null ? null : <span className="why wrong">{startOf(gone, 40)} is gone</span>}
          {damage === undefined ? null : <span className="why wrong">{startOf(damage, 120)}</span>}
        </td>
        <td className="progress">
          <progress aria-hidden="true" value={approved} max={Math.max(1, phases)} /> {approved} of {phases}
        </td>
        <Amount name="Work" text={worked === undefined ? undefined : exactDuration(worked)} />
        <Amount name="In all" kind="in-all" text={exactDuration(elapsedMsOf(run, now))} />
        <Amount name="Tokens" text={tokens > 0 ? thousands(tokens) : undefined} />
        <Amount name="Cost" text={costUsd > 0 ? dollars(costUsd) : undefined} />
        <td className={tags.length === 0 ? 'tags empty' : 'tags'}>
          {tags.map((tag, at) => (
            <a key={at} href={hashOf({ ...ALL_RUNS, tag })}>
              {inOneLine(tag)}
            </a>
          ))}
        </td>
        <td className="time">
          <CellName name="Started" />
          <TimeAgo time={startedAt} now={now} />
        </td>
        <td className="time">
          <CellName name="Last record" />
          <TimeAgo time={updatedAt} now={now} />
        </td>
        <td className={actions.length === 0 ? 'actions empty' : 'actions'}>
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
          <td colSpan={COLUMN_COUNT}>
            <Suspense fallback={<p className="quiet">Loading…</p>}>
              <RunActions run={run} />
            </Suspense>
          </td>
        </tr>
      ) : null}
    </>
  );
}

interface AmountProps {
  readonly name: string;
  /** `undefined` for an unknown amount, and for none. */
  readonly text: string | undefined;
  readonly kind?: string;
}

function Amount({ name, text, kind = '' }: AmountProps): ReactNode {
  return (
    <td className={`amount ${kind} ${text === undefined ? 'empty' : ''}`}>
      <CellName name={name} />
      {text ?? '–'}
    </td>
  );
}

/** The name of a figure, shown only if the heads of the columns are not. */
function CellName({ name }: { readonly name: string }): ReactNode {
  return <span className="cell-name quiet">{name} </span>;
}
