/**
 * Runs that loop, hang or approach a limit.
 *
 * @module
 */
import { type ReactNode, useMemo } from 'react';
import type { UiAlert } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { useNow } from '../data/now.ts';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { hashOfRun } from '../route.ts';
import { byRun, hashOfAlert, labelOfAlert } from './alert-words.ts';

/** The alerts of running runs, run by run. */
export function Alerts(): ReactNode {
  const { version } = useChanges();
  // Silence of a run causes no change event, so the clock triggers a request too.
  const now = useNow(15_000);
  const asked = useAsked<{ readonly troubles: readonly UiAlert[] }>('/api/troubles', `${version} ${now}`);
  const troubles = 'value' in asked ? asked.value?.troubles : undefined;
  const runs = useMemo(() => byRun(troubles ?? []), [troubles]);
  return (
    <section aria-labelledby="troubles-heading">
      <h2 id="troubles-heading">Looping or stuck</h2>
      {asked.state === 'refused' ? <RefusalNote error={asked.error} /> : null}
      {troubles?.length === 0 ? <p className="nothing">No running run loops, hangs or is near a limit.</p> : null}
      <ul className="troubled">
        {runs.map(({ runId, pipeline, troubles: own }) => (
          <li key={runId}>
            <p className="run-name">
              <a href={hashOfRun(runId)}>
                <bdi>{startOf(pipeline, 60)}</bdi>
              </a>{' '}
              <code className="quiet">{inOneLine(runId)}</code>
            </p>
            <ul>
              {own.map((trouble) => (
                <AlertEntry key={`${trouble.code} ${trouble.phase ?? ''} ${trouble.seq}`} trouble={trouble} now={now} />
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

// --- internal ---

function AlertEntry({ trouble, now }: { readonly trouble: UiAlert; readonly now: number }): ReactNode {
  const { phase, found, advice, severity, since } = trouble;
  const { mark, word } = labelOfAlert(trouble);
  return (
    <li className={severity}>
      <span className={`badge ${severity === 'problem' ? 'bad' : 'warn'}`}>
        <span aria-hidden="true">{mark}</span> {word}
      </span>
      <div>
        <p>
          {phase === null ? null : (
            <>
              <a href={hashOfAlert(trouble)}>
                <bdi>{startOf(phase, 60)}</bdi>
              </a>
              {': '}
            </>
          )}
          {startOf(found, 240)}
          {/[.!?]$/u.test(found) ? '' : '.'} <span className="quiet">{advice}</span>
        </p>
        <p className="quiet">
          since <TimeAgo time={since} now={now} />
          {', '}
          <a href={hashOfRun(trouble.runId, { tab: 'records', at: trouble.seq })}>record {trouble.seq}</a>
        </p>
      </div>
    </li>
  );
}
