/**
 * Names of refs, made of ids that may be any text.
 *
 * @module
 */
import { sha256Hex } from '../../model/values/sha256.ts';
import type { AttemptPlace } from '../port.ts';

/** Refs of a run. */
export interface RunRefs {
  /** The branch for people, without `refs/heads/`. */
  readonly branch: string;
  readonly branchRef: string;
  /** The beginning of all other refs, without a slash at its end. */
  readonly root: string;
  /** The base, and the notes about it. */
  readonly start: string;
  /** The commit that the branch was last moved to. */
  readonly published: string;
  /** The commit of the user's branch from which its files are being moved to the work of the run. */
  readonly applying: string;
}

/** Returns the refs of a run. */
export function runRefs(run: string): RunRefs {
  const branch = `phasegate/${slug(run)}`;
  const root = rootOf(run);
  return {
    branch,
    branchRef: `refs/heads/${branch}`,
    root,
    start: `${root}/start`,
    published: `${root}/published`,
    applying: `${root}/applying`,
  };
}

/** Purpose of a ref that belongs to an attempt. */
export type AttemptRef = 'attempts' | 'merged' | 'commits' | 'left';

/** Returns a ref of an attempt. Only attempts with the same key share it. */
export function attemptRef(kind: AttemptRef, place: AttemptPlace): string {
  const { run, phase, task, generation, attempt, key } = place;
  const last = `${generation}.${attempt}-${sha256Hex([key]).slice(0, 20)}`;
  return `${rootOf(run)}/${kind}/${slug(phase)}/${slug(task)}/${last}`;
}

/**
 * Returns an id as part of a ref or a path: letters, digits, dashes and underscores, at most 63 of them. A plain id is
 * returned as it is. Different ids have different slugs, also on file systems that ignore case.
 */
export function slug(id: string): string {
  if (ULID.test(id) || (PLAIN.test(id) && !HASHED.test(id) && !ULID.test(id.toUpperCase()))) return id;
  const words = id
    .slice(0, 200)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, 40)
    .replace(/^-/u, '');
  return `${words}${words === '' || words.endsWith('-') ? 'x' : ''}-${sha256Hex([id]).slice(0, 20)}`;
}

// --- internal ---

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,62}$/u;
/** Ids that phasegate makes for runs. */
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/u;
/** The end of a slug that has a hash. */
const HASHED = /-[0-9a-f]{20}$/u;

function rootOf(run: string): string {
  return `refs/phasegate/${slug(run)}`;
}
