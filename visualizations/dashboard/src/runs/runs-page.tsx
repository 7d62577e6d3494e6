/**
 * The page of all runs.
 *
 * @module
 */
import { type ReactNode, useMemo, useState } from 'react';
import type { UiRun } from '../../../../src/server/api.ts';
import { useNow } from '../data/now.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { amount, counted } from '../parts/words.ts';
import { go } from '../navigate.ts';
import type { Route } from '../route.ts';
import { filterRuns, type RunFilter } from './filter-runs.ts';
import { RunFilters } from './run-filters.tsx';
import { MOST_RUNS } from './run-list.ts';
import { RunTable } from './run-table.tsx';
import { type Sort, sortOf, sortRuns, sortText } from './sort-runs.ts';
import { SavedFilters } from './saved-filters.tsx';
import { useRunList } from './use-run-list.ts';
import './runs.css';

/** All runs, or those that match the filters. */
export function RunsPage({ route }: { readonly route: Extract<Route, { readonly page: 'runs' }> }): ReactNode {
  const asked = useRunList();
  const runs = 'value' in asked ? asked.value : undefined;
  return (
    <>
      <h1>Runs</h1>
      {asked.state === 'refused' ? <RefusalNote error={asked.error} /> : null}
      {asked.state === 'loading' ? <p className="quiet">Loading…</p> : null}
      {runs ? <Listed runs={runs} wanted={route} /> : null}
    </>
  );
}

// --- internal ---

/** Rows that are shown at first, and that each click adds. */
const PAGE = 100;

function Listed({ runs, wanted }: { readonly runs: readonly UiRun[]; readonly wanted: RunFilter }): ReactNode {
  const [most, setMost] = useState(PAGE);
  const now = useNow(10_000);
  const sort = useMemo(() => sortOf(wanted.sort), [wanted.sort]);
  const found = useMemo(() => sortRuns(filterRuns(runs, wanted, now), sort, now), [runs, wanted, sort, now]);
  const onSort = (next: Sort) => go({ ...wanted, page: 'runs', sort: sortText(next) }, 'replace');
  if (runs.length === 0) {
    return (
      <p className="quiet">
        No runs yet. Start one with <code>phasegate run &lt;file&gt;</code>; it appears here by itself.
      </p>
    );
  }
  const isFiltered = found.length < runs.length;
  return (
    <>
      <SavedFilters wanted={wanted} />
      <RunFilters runs={runs} wanted={wanted} />
      <p className="quiet">
        <output>
          {isFiltered ? `${amount(found.length)} of ${counted(runs.length, 'run')}` : counted(runs.length, 'run')}
        </output>
        {runs.length === MOST_RUNS ? '; older ones are not listed' : ''}
      </p>
      {found.length === 0 ? (
        <p>No run matches these filters.</p>
      ) : (
        <RunTable runs={found.slice(0, most)} sorting={{ sort, onSort }} />
      )}
      {found.length > most ? (
        <p>
          <button type="button" onClick={() => setMost(most + PAGE)}>
            Show {Math.min(PAGE, found.length - most)} more
          </button>{' '}
          <button type="button" onClick={() => setMost(found.length)}>
            Show all {amount(found.length)}
          </button>
        </p>
      ) : null}
    </>
  );
}
