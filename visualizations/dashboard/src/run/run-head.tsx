/**
 * The head of a run's page: its status, progress and usage.
 *
 * @module
 */
import { type ReactNode, useMemo } from 'react';
import { dollars } from '../../../../src/projections/wording/amount-words.ts';
import { starterOf } from '../../../../src/model/handlers/work-key.ts';
import type { Limits } from '../../../../src/model/plan/policy-schema.ts';
import type { AnyStanding } from '../../../../src/projections/wording/status-marks.ts';
import { problemText } from '../../../../src/projections/wording/error-words.ts';
import type { UiItem, UiRun } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { useNow } from '../data/now.ts';
import type { RunAtRecord } from '../data/run-history.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { StandingBadge } from '../parts/status.tsx';
import { amount, counted, exactDuration, isoTime, timeText } from '../parts/words.ts';
import { hashOf, hashOfRun } from '../route.ts';
import { HandOver } from './work/hand-over.tsx';
import { RunActions } from '../runs/run-actions.tsx';

interface RunHeadProps {
  readonly run: string;
  readonly moment: RunAtRecord;
  /** The run as the server knows it. */
  readonly info: UiRun | undefined;
  /** True if the page shows the latest state of the run. */
  readonly isLive: boolean;
}

/** The title, the facts, and the items that wait for a person. */
export function RunHead({ run, moment, info, isLive }: RunHeadProps): ReactNode {
  const { version } = useChanges();
  const { snapshot, plan } = moment;
  return (
    <header className="run-head">
      <h1>
        <span className="name">{startOf(snapshot.pipeline, 120) || 'Run'}</span>{' '}
        <StandingBadge of={standingOf(moment, isLive ? info : undefined)} />{' '}
        <code className="run-id quiet">{inOneLine(run)}</code>
      </h1>
      <dl className="facts">
        <Progress moment={moment} />
        <Fact name="Elapsed">
          <Elapsed moment={moment} max={plan?.limits.deadlineMs} goesOn={isLive && typeof info?.worker === 'string'} />
        </Fact>
        <TimeOfWork used={snapshot.metrics.durationMs} limits={plan?.limits} />
        <Fact name="Cost">{outOf(snapshot.metrics.costUsd, plan?.limits.costUsd, dollars)}</Fact>
        <Fact name="Corrections">{outOf(snapshot.metrics.corrections, plan?.limits.corrections, amount)}</Fact>
        <Tokens used={snapshot.metrics.tokens} limits={plan?.limits} />
        {isLive && info?.worker ? <Fact name="Works on it">{startOf(info.worker, 60)}</Fact> : null}
        {isLive && info?.hung ? (
          <Fact name="Does not respond">{startOf(info.hung, 60)}, which works on the run; end it, or wait</Fact>
        ) : null}
        {isLive && info?.gone ? (
          <Fact name="Gone">{startOf(info.gone, 60)}, which worked on the run; you can resume it</Fact>
        ) : null}
        {isLive && info?.start?.state === 'starting' ? <Fact name="Starting">its pipeline is being loaded</Fact> : null}
        {info?.parent === undefined ? null : (
          <Fact name="Part of">
            <a href={hashOfRun(info.parent, { phase: starterOf(info.parent, run)?.phase ?? null })}>
              {startOf(info.parent, 60)}
            </a>
          </Fact>
        )}
        {info?.forkOf === undefined ? null : (
          <Fact name="Fork of">
            <a href={hashOfRun(info.forkOf)}>{startOf(info.forkOf, 60)}</a>
          </Fact>
        )}
      </dl>
      {info?.damage === undefined ? null : (
        <p className="wrong">
          {startOf(info.damage, 300)}. Check it with <code>phasegate verify {inOneLine(run)}</code>, or fork it.
        </p>
      )}
      <Ended moment={moment} />
      {isLive && info?.start?.state === 'failed' ? (
        <p className="wrong">
          The run could not be resumed: {info.start.problem.message} {info.start.problem.hint}
        </p>
      ) : null}
      <HandOver run={info?.parent ?? run} snapshot={snapshot} plan={plan} />
      {isLive ? <OpenItems run={run} version={version} /> : null}
      {info && info.actions.length > 0 ? <RunActions run={info} at={isLive ? undefined : moment.seq} /> : null}
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

interface FactProps {
  readonly name: string;
  readonly children: ReactNode;
}

function Fact({ name, children }: FactProps): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Progress({ moment: { snapshot } }: { readonly moment: RunAtRecord }): ReactNode {
  const phases = useMemo(() => Object.values(snapshot.phases), [snapshot]);
  const approved = phases.filter(({ status }) => status === 'approved').length;
  return (
    <Fact name="Approved">
      {amount(approved)} of {counted(phases.length, 'phase')}{' '}
      <progress aria-hidden="true" value={approved} max={Math.max(1, phases.length)} />
    </Fact>
  );
}

interface ElapsedProps {
  readonly moment: RunAtRecord;
  /** Milliseconds that the run may take, with waiting times. */
  readonly max: number | undefined;
  readonly goesOn: boolean;
}

/** The elapsed time. While a process works on the run, it grows by the clock of the browser. */
function Elapsed({ moment, max, goesOn }: ElapsedProps): ReactNode {
  const now = useNow();
  const { snapshot, time } = moment;
  const { elapsedMs } = snapshot.metrics;
  const isOpen = goesOn && snapshot.status === 'running';
  const startedAt = time - elapsedMs;
  return (
    <>
      {outOf(isOpen ? Math.max(now - startedAt, elapsedMs) : elapsedMs, max, exactDuration)}
      {time > 0 ? (
        <>
          {', since '}
          <time dateTime={isoTime(startedAt)}>{timeText(startedAt)}</time>
        </>
      ) : null}
    </>
  );
}

/** The working time as of the latest record. Later time may be waiting, so it is not counted. */
function TimeOfWork({ used, limits }: { readonly used: number; readonly limits: Limits | undefined }): ReactNode {
  return <Fact name="Working time">{outOf(used, limits?.durationMs, exactDuration)}</Fact>;
}

function Tokens({ used, limits }: { readonly used: number; readonly limits: Limits | undefined }): ReactNode {
  if (used === 0 && limits?.tokens === undefined) return null;
  return <Fact name="Tokens">{outOf(used, limits?.tokens, amount)}</Fact>;
}

function outOf(used: number, max: number | undefined, text: (value: number) => string): string {
  return max === undefined ? text(used) : `${text(used)} of ${text(max)}`;
}

/** The reason of the end, if there is one. */
function Ended({ moment: { snapshot } }: { readonly moment: RunAtRecord }): ReactNode {
  const { status, reason, error, limit } = snapshot;
  const why = error?.message ?? reason ?? (limit === null ? null : `the limit ${limit} is spent`);
  if (status === 'running' || why === null || why === '') return null;
  return <p className="ended">{startOf(problemText(why), 400)}</p>;
}

/** Items that a person can answer now. */
function OpenItems({ run, version }: { readonly run: string; readonly version: number }): ReactNode {
  const asked = useAsked<{ readonly items: readonly UiItem[] }>(`/api/inbox?run=${encodeURIComponent(run)}`, version);
  const items = 'value' in asked ? (asked.value?.items ?? []) : [];
  if (items.length === 0) return null;
  return (
    <section className="open-items" aria-label="Waits for a person">
      <strong>{items.length === 1 ? 'This waits for a person:' : `These ${items.length} wait for a person:`}</strong>
      <ul>
        {items.slice(0, MOST_ITEMS).map((item) => (
          <li key={item.id}>
            <a href={hashOf({ page: 'item', item: item.id })}>{startOf(item.about, 80)}</a>{' '}
            <span className="quiet">
              {item.answer ? `answered by ${startOf(item.answer.by, 40)}, pending` : startOf(item.reason, 160)}
            </span>
          </li>
        ))}
      </ul>
      {items.length > MOST_ITEMS ? (
        <p className="quiet">and {items.length - MOST_ITEMS} more on the home page</p>
      ) : null}
    </section>
  );
}

const MOST_ITEMS = 5;
