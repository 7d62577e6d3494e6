/**
 * Empty parts of snapshots.
 *
 * @module
 */
import type { AnyMachineSnapshot } from 'xstate';

/**
 * Replaces the empty parts of a new snapshot by shared ones. XState makes a set of tags for each snapshot, and objects for children and
 * history for each actor: 260 bytes. It copies them before it changes them.
 */
export function shareEmpty<S extends AnyMachineSnapshot>(snapshot: S): S {
  if (snapshot.tags.size === 0) snapshot.tags = NO_TAGS;
  if (isEmpty(snapshot.children)) snapshot.children = NONE;
  if (isEmpty(snapshot.historyValue)) snapshot.historyValue = NONE;
  return snapshot;
}

// --- internal ---

const NO_TAGS = new Set<string>();
const NONE = Object.freeze({});

function isEmpty(value: unknown): boolean {
  if (value === NONE) return true;
  if (typeof value !== 'object' || value === null) return false;
  for (const _ in value) return false;
  return true;
}
