/**
 * The choice of the run to compare with.
 *
 * @module
 */
import { type ReactNode, useId, useMemo, useState } from 'react';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { StandingBadge } from '../parts/status.tsx';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { amount, isoTime, timeText } from '../parts/words.ts';
import { hashOf, hashOfRun } from '../route.ts';
import { useRunList } from '../runs/use-run-list.ts';

/** Runs to compare a run with: those of its pipeline first. */
export function RunChoice({ run }: { readonly run: string }): ReactNode {
  const asked = useRunList();
  const id = useId();
  const [text, setText] = useState('');
  const runs = 'value' in asked ? asked.value : undefined;
  const found = useMemo(() => {
    const pipeline = runs?.find(({ runId }) => runId === run)?.pipeline;
    const others = (runs ?? []).filter(({ runId, parent }) => runId !== run && parent === undefined);
    const wanted = text.trim().toLowerCase();
    const named = others.filter((one) => `${one.runId} ${one.pipeline}`.toLowerCase().includes(wanted));
    return named.toSorted((one, other) => Number(other.pipeline === pipeline) - Number(one.pipeline === pipeline));
  }, [runs, run, text]);
  return (
    <>
      <h1>Compare with another run</h1>
      <p>
        A is <a href={hashOfRun(run)}>{inOneLine(run)}</a>. Choose B:
      </p>
      {asked.state === 'refused' ? <RefusalNote error={asked.error} /> : null}
      {asked.state === 'loading' ? <p className="quiet">Loading…</p> : null}
      <p>
        <label htmlFor={id}>Contains</label>{' '}
        <input id={id} type="search" value={text} onChange={({ target }) => setText(target.value)} />
      </p>
      {runs && found.length === 0 ? <p>There is no other run with that text.</p> : null}
      <ul className="run-choice" aria-label="Runs">
        {found.slice(0, MOST).map(({ runId, pipeline, standing, startedAt }) => (
          <li key={runId}>
            <a href={hashOf({ page: 'compare', run, other: runId })}>{startOf(runId, 60)}</a>{' '}
            <StandingBadge of={standing} /> {startOf(pipeline, 60)}{' '}
            <time className="quiet" dateTime={isoTime(startedAt)}>
              {timeText(startedAt)}
            </time>
          </li>
        ))}
      </ul>
      {found.length > MOST ? <p className="quiet">and {amount(found.length - MOST)} more</p> : null}
    </>
  );
}

// --- internal ---

/** Runs that are listed. */
const MOST = 50;
