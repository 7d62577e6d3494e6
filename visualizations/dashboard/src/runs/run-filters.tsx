/**
 * The filters of the list of runs. Their values are in the URL.
 *
 * @module
 */
import { type ReactNode, useId } from 'react';
import type { AnyStanding } from '../../../../src/projections/wording/status-marks.ts';
import type { UiRun } from '../../../../src/server/api.ts';
import { startOf } from '../parts/untrusted-text.ts';
import { standingWords } from '../parts/status.tsx';
import { go } from '../navigate.ts';
import { ALL_RUNS } from '../route.ts';
import { ACTIVE, pipelinesIn, type RunFilter, standingsIn } from './filter-runs.ts';

interface RunFiltersProps {
  readonly runs: readonly UiRun[];
  readonly wanted: RunFilter;
}

/** Fields for status, pipeline and text. */
export function RunFilters({ runs, wanted }: RunFiltersProps): ReactNode {
  const id = useId();
  const { standing, pipeline, text } = wanted;
  const look = (change: Partial<RunFilter>) => go({ ...ALL_RUNS, ...wanted, ...change, page: 'runs' }, 'replace');
  const standings = standingsIn(runs);
  const active = runs.filter((run) => run.status === 'running').length;
  const isAny = standing !== '' || pipeline !== '' || text !== '';
  return (
    <search className="filters">
      <span>
        <label htmlFor={`${id} standing`}>Status</label>
        <select id={`${id} standing`} value={standing} onChange={({ target }) => look({ standing: target.value })}>
          <option value="">all</option>
          <option value={ACTIVE}>not ended ({active})</option>
          {STANDINGS.map((one) => (
            <option key={one} value={one}>
              {standingWords[one]} ({standings.get(one) ?? 0})
            </option>
          ))}
        </select>
      </span>
      <span>
        <label htmlFor={`${id} pipeline`}>Pipeline</label>
        <select id={`${id} pipeline`} value={pipeline} onChange={({ target }) => look({ pipeline: target.value })}>
          <option value="">all</option>
          {pipelinesIn(runs).map(([name, count]) => (
            <option key={name} value={name}>
              {startOf(name, 60)} ({count})
            </option>
          ))}
        </select>
      </span>
      <span>
        <label htmlFor={`${id} text`}>Contains</label>
        <input
          id={`${id} text`}
          type="search"
          value={text}
          placeholder="id, pipeline, file, worker"
          onChange={({ target }) => look({ text: target.value })}
        />
      </span>
      {isAny ? (
        <button type="button" onClick={() => look({ standing: '', pipeline: '', text: '' })}>
          Show all
        </button>
      ) : null}
    </search>
  );
}

// --- internal ---

const STANDINGS = [
  'waiting',
  'queued',
  'running',
  'suspended',
  'completed',
  'rejected',
  'failed',
  'damaged',
  'exhausted',
  'cancelled',
] as const satisfies readonly AnyStanding[];
