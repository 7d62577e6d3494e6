/**
 * Ids of new runs: safe in shells, in file names and addresses, and on terminals.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { starterIn, workKey } from '../model/handlers/work-key.ts';

/** The rule for ids of new runs, for errors. */
export const RUN_ID_RULE = 'Use letters, digits and . _ : @ -, at most 128, and begin with a letter or digit';

/** True if a new run may have this id. Stores also keep runs with other ids, which earlier versions allowed. */
export function isRunId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9][\w.:@-]{0,127}$/u.test(id);
}

/** True for the id of a run that a task has started. It is derived from the id of its root, and begins with it. */
export function isChildRunId(id: string): boolean {
  const starter = starterIn(id);
  if (!starter) return false;
  const canonical = workKey(id.split('/').map(decodeURIComponentOrEmpty));
  return id === canonical && (isRunId(starter.run) || isChildRunId(starter.run));
}

/** Derives an id that a new run may have from one that it may not; `undefined` if nothing usable is left. */
export function runIdLike(id: string): string | undefined {
  const near = id
    .slice(0, 1024)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\w.:@-]+/gu, '-')
    .replace(/^[^A-Za-z0-9]+/u, '')
    .slice(0, 128)
    .replace(/-$/u, '');
  return near === '' ? undefined : near;
}

/** Says what to use in place of an id that a new run may not have. */
export function otherRunId(id: unknown): string {
  const near = typeof id === 'string' ? runIdLike(id) : undefined;
  return near === undefined ? `${RUN_ID_RULE}.` : `${RUN_ID_RULE}, such as ${near}.`;
}

/**
 * Refuses an id that a new run may not have.
 *
 * @throws PhasegateError `INPUT_INVALID`, with an id to use in its place.
 */
export function checkNewRunId(id: unknown): asserts id is string {
  if (isRunId(id)) return;
  const found = typeof id === 'string' ? JSON.stringify(id.slice(0, 200)) : `of type ${typeof id}`;
  throw new PhasegateError('INPUT_INVALID', `Cannot name a run as its id is ${found}, which is not safe everywhere`, {
    hint: otherRunId(id),
  });
}

// --- internal ---

function decodeURIComponentOrEmpty(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
