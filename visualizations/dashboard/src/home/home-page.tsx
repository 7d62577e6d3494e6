/**
 * The home page: open items first, then alerts, then recent runs.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { UiRun } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { ALL_RUNS, hashOf } from '../route.ts';
import { RunTable } from '../runs/run-table.tsx';
import { OpenItems } from './open-items.tsx';
import { Alerts } from './alerts.tsx';
import { RECENT_RUNS } from './recent-runs.ts';
import './home.css';

/** The home page. */
export function HomePage(): ReactNode {
  return (
    <>
      <h1>Needs you</h1>
      <OpenItems />
      <Alerts />
      <RecentRuns />
    </>
  );
}

// --- internal ---

function RecentRuns(): ReactNode {
  const { version } = useChanges();
  const asked = useAsked<{ readonly runs: readonly UiRun[] }>(RECENT_RUNS, version);
  const runs = 'value' in asked ? asked.value?.runs : undefined;
  return (
    <section aria-labelledby="recent-heading">
      <h2 id="recent-heading">Recent runs</h2>
      {asked.state === 'refused' ? <RefusalNote error={asked.error} /> : null}
      {runs?.length === 0 ? (
        <p className="quiet">
          No runs yet. Start one with <code>phasegate run &lt;file&gt;</code>; it appears here by itself.
        </p>
      ) : null}
      {runs && runs.length > 0 ? (
        <>
          <RunTable runs={runs} />
          <p>
            <a href={hashOf(ALL_RUNS)}>All runs</a>
          </p>
        </>
      ) : null}
    </section>
  );
}
