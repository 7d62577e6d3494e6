/**
 * Large outputs, which the server stores apart from their records. The page fetches them on request.
 *
 * @module
 */
import { useState } from 'react';
import { referenceIn } from '../../../../src/model/events/large-values.ts';
import { ask, refusedBy, type Refused } from './ask.ts';

/** A value of a record: loaded, not loaded, or failed to load. */
export type StoredValue =
  | { readonly state: 'there'; readonly value: unknown }
  | { readonly state: 'elsewhere' | 'loading' }
  | { readonly state: 'refused'; readonly error: Refused };

/**
 * Reads values of records, with a function to fetch those that are stored apart. It caches fetched values: the content of a hash
 * never changes.
 */
export function useStoredValues(values: readonly unknown[]): {
  readonly values: readonly StoredValue[];
  readonly fetchAll: () => void;
} {
  const [, setVersion] = useState(0);
  const again = () => setVersion((version) => version + 1);
  return {
    values: values.map(stateOf),
    fetchAll() {
      for (const value of values) {
        const hash = referenceIn(value);
        if (hash !== undefined) void fetchStored(hash).then(again);
      }
      again();
    },
  };
}

// --- internal ---

/** The most cached values. Each may have megabytes. */
const MOST = 24;

/** Values by hash, the latest fetched last, each with its pending request. */
const fetched = new Map<string, { readonly value: StoredValue; readonly done: Promise<void> }>();

function stateOf(value: unknown): StoredValue {
  const hash = referenceIn(value);
  if (hash === undefined) return { state: 'there', value };
  return fetched.get(hash)?.value ?? { state: 'elsewhere' };
}

function fetchStored(hash: string): Promise<void> {
  const known = fetched.get(hash);
  if (known && known.value.state !== 'refused') return known.done;
  const done = ask<unknown>(`/api/artifacts/${hash}`).then(
    (value) => remember(hash, { state: 'there', value }),
    (error: unknown) => remember(hash, { state: 'refused', error: refusedBy(error) }),
  );
  remember(hash, { state: 'loading' }, done);
  return done;
}

function remember(hash: string, value: StoredValue, done: Promise<void> = Promise.resolve()): void {
  fetched.delete(hash);
  fetched.set(hash, { value, done });
  for (const old of fetched.keys()) {
    if (fetched.size <= MOST) break;
    fetched.delete(old);
  }
}
