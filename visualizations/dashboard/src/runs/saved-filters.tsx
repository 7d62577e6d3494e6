/**
 * Saved filters of the list of runs: links, and the means to save, rename and delete them.
 *
 * @module
 */
import { type ReactNode, useId, useState } from 'react';
import { inOneLine } from '../parts/untrusted-text.ts';
import { ALL_RUNS, hashOf } from '../route.ts';
import type { RunFilter } from './filter-runs.ts';
import {
  type KeptFilter,
  LONGEST_FILTER_NAME,
  MOST_FILTERS,
  renamed,
  USUAL_FILTERS,
  withFilter,
} from './kept-filters.ts';
import { keepFilters, useKeptFilters } from './use-kept-filters.ts';

/** The saved filters, and the way to save the one that is shown. */
export function SavedFilters({ wanted }: { readonly wanted: RunFilter }): ReactNode {
  const filters = useKeptFilters();
  const [isEditing, setIsEditing] = useState(false);
  const [isNaming, setIsNaming] = useState(false);
  const hash = hashOf({ ...ALL_RUNS, ...wanted, page: 'runs' });
  const isNew = hash !== hashOf(ALL_RUNS) && !filters.some((one) => one.hash === hash);
  return (
    <nav className="saved" aria-label="Saved filters">
      <ul>
        {filters.map((one) => (
          <li key={one.name}>
            {isEditing ? (
              <Editor filters={filters} one={one} />
            ) : (
              <a href={one.hash} aria-current={one.hash === hash ? 'page' : undefined}>
                {inOneLine(one.name)}
              </a>
            )}
          </li>
        ))}
        {isNew && !isNaming && filters.length < MOST_FILTERS ? (
          <li>
            <button type="button" onClick={() => setIsNaming(true)}>
              Save this filter…
            </button>
          </li>
        ) : null}
        {isNew && isNaming ? (
          <li>
            <NameForm
              label="Name of the filter"
              action="Save"
              initial=""
              onName={(name) => {
                keepFilters(withFilter(filters, name, wanted));
                setIsNaming(false);
              }}
            />
          </li>
        ) : null}
        <li>
          <button type="button" aria-pressed={isEditing} onClick={() => setIsEditing(!isEditing)}>
            Edit filters
          </button>
        </li>
        {isEditing && filters.length === 0 ? (
          <li>
            <button type="button" onClick={() => keepFilters(USUAL_FILTERS)}>
              Restore the usual ones
            </button>
          </li>
        ) : null}
      </ul>
    </nav>
  );
}

// --- internal ---

/** Renames or deletes one filter. */
function Editor({ filters, one }: { readonly filters: readonly KeptFilter[]; readonly one: KeptFilter }): ReactNode {
  return (
    <>
      <NameForm
        label={`New name of ${inOneLine(one.name)}`}
        action="Rename"
        initial={one.name}
        onName={(name) => keepFilters(renamed(filters, one.name, name))}
      />{' '}
      <button type="button" onClick={() => keepFilters(filters.filter((other) => other.name !== one.name))}>
        Delete<span className="unseen"> {inOneLine(one.name)}</span>
      </button>
    </>
  );
}

interface NameFormProps {
  readonly label: string;
  readonly action: string;
  readonly initial: string;
  readonly onName: (name: string) => void;
}

/** A field for a name, and its button. */
function NameForm({ label, action, initial, onName }: NameFormProps): ReactNode {
  const id = useId();
  const [name, setName] = useState(initial);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') onName(name);
      }}
    >
      <label htmlFor={id} className="unseen">
        {label}
      </label>
      <input
        id={id}
        value={name}
        placeholder="name"
        maxLength={LONGEST_FILTER_NAME}
        onChange={({ target }) => setName(target.value)}
      />{' '}
      <button type="submit" disabled={name.trim() === ''}>
        {action}
      </button>
    </form>
  );
}
