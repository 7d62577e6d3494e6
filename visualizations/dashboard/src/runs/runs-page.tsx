/**
 * The runs of the store.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { UiRun } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { StandingBadge } from '../parts/standing.tsx';
import { hashOfRun } from '../route.ts';

/** All runs. */
export function RunsPage(): ReactNode {
  const { version } = useChanges();
  const asked = useAsked<{ readonly runs: readonly UiRun[] }>('/api/runs', version);
  const runs = 'value' in asked ? (asked.value?.runs ?? []) : [];
  return (
    <>
      <h1>Runs</h1>
      {asked.state === 'refused' ? <RefusalNote error={asked.error} /> : null}
      <table>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Pipeline</th>
            <th scope="col">Standing</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.runId}>
              <td>
                <a href={hashOfRun(run.runId)}>{run.runId}</a>
              </td>
              <td>{run.pipeline}</td>
              <td>
                <StandingBadge of={run.standing} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
