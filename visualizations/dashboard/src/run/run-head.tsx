/**
 * The head of a run's page, in one line that stays visible: its status, its progress, its cost, and the way to an answer.
 *
 * @module
 */
import { type ReactNode, useMemo } from 'react';
import { dollars } from '../../../../src/projections/wording/amount-words.ts';
import { type AnyStanding, statusMarks } from '../../../../src/projections/wording/status-marks.ts';
import type { UiItem, UiRun } from '../../../../src/server/api.ts';
import type { RunAtRecord } from '../data/run-history.ts';
import { usePageMark } from '../parts/page-mark.ts';
import { StandingBadge, standingWords } from '../parts/status.tsx';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { amount } from '../parts/words.ts';
import { hashOf } from '../route.ts';

interface RunHeadProps {
  readonly run: string;
  readonly moment: RunAtRecord;
  /** The run as the server knows it; `undefined` if the page shows an earlier state. */
  readonly info: UiRun | undefined;
  /** Items of the run that a person can answer. */
  readonly items: readonly UiItem[];
}

/** The line. Its last entry leads to the first item that nobody has answered. */
export function RunHead({ run, moment, info, items }: RunHeadProps): ReactNode {
  const { snapshot } = moment;
  const open = items.filter((item) => !item.answer);
  const standing = standingOf(moment, info);
  const title = `${startOf(snapshot.pipeline, 60) || 'Run'} ${standingWords[standing]}, ${startOf(run, 60)}`;
  usePageMark(title, statusMarks[standing].tone);
  return (
    <header className="run-head">
      <h1>
        <span className="name" title={inOneLine(snapshot.pipeline).slice(0, 300)}>
          {startOf(snapshot.pipeline, 120) || 'Run'}
        </span>{' '}
        <StandingBadge of={standing} /> <code className="run-id quiet">{inOneLine(run)}</code>
      </h1>
      <Progress moment={moment} />
      {snapshot.metrics.costUsd > 0 ? (
        <span className="cost" title="Cost so far">
          {dollars(snapshot.metrics.costUsd)}
        </span>
      ) : null}
      {open[0] ? (
        <a className="answer-link" href={hashOf({ page: 'item', item: open[0].id })}>
          Answer{open.length > 1 ? ` (1 of ${open.length})` : ''}
        </a>
      ) : null}
    </header>
  );
}

// --- internal ---

/** For the latest state, the server knows who waits and who is gone. For an earlier one, the records do. */
function standingOf({ snapshot, asking }: RunAtRecord, info: UiRun | undefined): AnyStanding {
  if (info && (info.damage !== undefined || info.status === snapshot.status)) return info.standing;
  const waits = snapshot.waiting.length > 0 || asking.size > 0;
  return snapshot.status === 'running' && waits && !isAtWork(snapshot) ? 'waiting' : snapshot.status;
}

function isAtWork({ phases }: RunAtRecord['snapshot']): boolean {
  return Object.values(phases).some(({ status }) => status === 'running' || status === 'reviewing');
}

function Progress({ moment: { snapshot } }: { readonly moment: RunAtRecord }): ReactNode {
  const phases = useMemo(() => Object.values(snapshot.phases), [snapshot]);
  const approved = phases.filter(({ status }) => status === 'approved').length;
  return (
    <span className="progress">
      <progress aria-hidden="true" value={approved} max={Math.max(1, phases.length)} />{' '}
      <span>
        {amount(approved)} of {amount(phases.length)}{' '}
        <span className="more">{phases.length === 1 ? 'phase' : 'phases'} approved</span>
      </span>
    </span>
  );
}
