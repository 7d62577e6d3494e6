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
import { FilterField } from './filter-field.tsx';
import { ACTIVE, AGES, pipelinesIn, type RunFilter, standingsIn, tagsIn } from './filter-runs.ts';

interface RunFiltersProps {
  readonly runs: readonly UiRun[];
  readonly wanted: RunFilter;
}

/** Fields for status, pipeline, tag, age, text and order. */
export function RunFilters({ runs, wanted }: RunFiltersProps): ReactNode {
  const id = useId();
  const { standing, pipeline, tag, age, text, sort } = wanted;
  const look = (change: Partial<RunFilter>) => go({ ...ALL_RUNS, ...wanted, ...change, page: 'runs' }, 'replace');
  const standings = standingsIn(runs);
  const active = runs.filter((run) => run.status === 'running').length;
  const tags = tagsIn(runs);
  const isAny = [standing, pipeline, tag, age, text].some((one) => one !== '');
  return (
    <search className="filters">
      <FilterField
        label="Status"
        any="all"
        value={standing}
        choices={[
          [ACTIVE, `not ended (${active})`],
          ...STANDINGS.map((one) => [one, `${standingWords[one]} (${standings.get(one) ?? 0})`] as const),
        ]}
        onChange={(value) => look({ standing: value })}
      />
      <FilterField
        label="Pipeline"
        any="all"
        value={pipeline}
        choices={pipelinesIn(runs).map(([name, count]) => [name, `${startOf(name, 60)} (${count})`])}
        onChange={(value) => look({ pipeline: value })}
      />
      {tags.length === 0 && tag === '' ? null : (
        <FilterField
          label="Tag"
          any="all"
          value={tag}
          choices={tags.map(([name, count]) => [name, `${startOf(name, 60)} (${count})`])}
          onChange={(value) => look({ tag: value })}
        />
      )}
      <FilterField
        label="Last record"
        any="any time"
        value={age}
        choices={AGES}
        onChange={(value) => look({ age: value })}
      />
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
      <FilterField
        label="Sort by"
        any="latest start"
        value={sort}
        className="order"
        choices={isListed(sort) ? ORDERS : [...ORDERS, [sort, 'another order']]}
        onChange={(value) => look({ sort: value })}
      />
      {isAny ? (
        <button type="button" onClick={() => look({ ...ALL_RUNS, sort })}>
          Show all
        </button>
      ) : null}
    </search>
  );
}

// --- internal ---

const ORDERS = [
  ['updated', 'latest record'],
  ['worked', 'longest work'],
  ['elapsed', 'longest time'],
  ['cost', 'highest cost'],
  ['tokens', 'most tokens'],
  ['tags', 'tags'],
] as const;

/** True for an order that the field offers. The heads of the table offer more. */
function isListed(sort: string): boolean {
  return sort === '' || ORDERS.some(([one]) => one === sort);
}

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
