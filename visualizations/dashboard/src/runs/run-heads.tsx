/**
 * The heads of the columns of runs.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { nextSort, type Sort, type SortColumn } from './sort-runs.ts';

/** The order of the table, and how to change it. */
export interface Sorting {
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}

/** The head of the table. A column is sorted by a press on its head, if the table can be sorted. */
export function RunHeads({ sorting }: { readonly sorting: Sorting | undefined }): ReactNode {
  return (
    <thead>
      <tr>
        {HEADS.map(([column, title, kind]) => (
          <Head key={column} column={column} title={title} kind={kind} sorting={sorting} />
        ))}
        <th scope="col">
          <span className="unseen">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

/** The number of columns. */
export const COLUMN_COUNT = 11;

// --- internal ---

const HEADS: readonly (readonly [column: SortColumn, title: string, kind: string])[] = [
  ['name', 'Run', ''],
  ['status', 'Status', ''],
  ['approved', 'Approved', ''],
  ['worked', 'Work', 'amount'],
  ['elapsed', 'In all', 'amount in-all'],
  ['tokens', 'Tokens', 'amount'],
  ['cost', 'Cost', 'amount'],
  ['tags', 'Tags', ''],
  ['started', 'Started', ''],
  ['updated', 'Last record', ''],
];

interface HeadProps {
  readonly column: SortColumn;
  readonly title: string;
  readonly kind: string;
  readonly sorting: Sorting | undefined;
}

function Head({ column, title, kind, sorting }: HeadProps): ReactNode {
  if (!sorting) {
    return (
      <th scope="col" className={kind}>
        {title}
      </th>
    );
  }
  const { sort, onSort } = sorting;
  const direction = sort.by === column ? sort.direction : undefined;
  return (
    <th scope="col" className={kind} aria-sort={direction}>
      <button type="button" className="head" onClick={() => onSort(nextSort(sort, column))}>
        {title}
        <span aria-hidden="true" className="direction">
          {direction === undefined ? '' : direction === 'ascending' ? '▲' : '▼'}
        </span>
      </button>
    </th>
  );
}
