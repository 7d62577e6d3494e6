/**
 * The facts about a run: its times, its usage, and its relatives.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { starterOf } from '../../../../src/model/handlers/work-key.ts';
import type { Limits } from '../../../../src/model/plan/policy-schema.ts';
import { dollars } from '../../../../src/projections/wording/amount-words.ts';
import type { UiRun } from '../../../../src/server/api.ts';
import { useNow } from '../data/now.ts';
import type { RunAtRecord } from '../data/run-history.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { amount, exactDuration, isoTime, timeText } from '../parts/words.ts';
import { hashOf, hashOfRun } from '../route.ts';

interface RunFactsProps {
  readonly run: string;
  readonly moment: RunAtRecord;
  /** The run as the server knows it. */
  readonly info: UiRun | undefined;
  /** True if the page shows the latest state of the run. */
  readonly isLive: boolean;
}

/** The facts, each with its limit. */
export function RunFacts({ run, moment, info, isLive }: RunFactsProps): ReactNode {
  const { snapshot, plan } = moment;
  return (
    <dl className="facts">
      <Fact name="Elapsed">
        <Elapsed moment={moment} max={plan?.limits.deadlineMs} goesOn={isLive && typeof info?.worker === 'string'} />
      </Fact>
      <Fact name="Working time">
        <WorkingTime moment={moment} max={plan?.limits.durationMs} info={isLive ? info : undefined} />
      </Fact>
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
      {info?.tags === undefined ? null : <Fact name="Tags">{inOneLine(info.tags.join(' '))}</Fact>}
      {isLive ? (
        <Fact name="Search">
          <a href={hashOf({ page: 'search', text: '', run })}>this run</a>
        </Fact>
      ) : null}
      {isLive ? (
        <Fact name="Compare">
          <a href={hashOf({ page: 'compare', run, other: '' })}>with another run</a>
        </Fact>
      ) : null}
      {info?.forkOf === undefined ? null : (
        <Fact name="Fork of">
          <a href={hashOfRun(info.forkOf)}>{startOf(info.forkOf, 60)}</a>{' '}
          <a href={hashOf({ page: 'compare', run: info.forkOf, other: run })}>compare with it</a>
        </Fact>
      )}
    </dl>
  );
}

// --- internal ---

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

interface ElapsedProps {
  readonly moment: RunAtRecord;
  /** Milliseconds that the run may take, with waiting times. */
  readonly max: number | undefined;
  readonly goesOn: boolean;
}

/** The elapsed time. While a process works on the run, it grows by the clock of the server. */
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

interface WorkingTimeProps {
  readonly moment: RunAtRecord;
  /** Milliseconds that the run may work. */
  readonly max: number | undefined;
  /** The run as the server knows it; `undefined` if the page shows an earlier state. */
  readonly info: UiRun | undefined;
}

/** The time of work. While a process works on the run, and does not only wait for people, it grows as in the list of runs. */
function WorkingTime({ moment: { snapshot }, max, info }: WorkingTimeProps): ReactNode {
  const now = useNow();
  const isAtWork = snapshot.status === 'running' && info?.standing === 'running' && info.worker !== null;
  const since = isAtWork ? Math.max(0, now - info.updatedAt) : 0;
  return outOf(snapshot.metrics.durationMs + since, max, exactDuration);
}

function Tokens({ used, limits }: { readonly used: number; readonly limits: Limits | undefined }): ReactNode {
  if (used === 0 && limits?.tokens === undefined) return null;
  return <Fact name="Tokens">{outOf(used, limits?.tokens, amount)}</Fact>;
}

function outOf(used: number, max: number | undefined, text: (value: number) => string): string {
  return max === undefined ? text(used) : `${text(used)} of ${text(max)}`;
}
