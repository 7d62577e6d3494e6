/**
 * Ids of new runs: safe in shells, in file names and addresses, and on terminals.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { starterIn, workKey } from '../model/handlers/work-key.ts';

/** The word that commands read as the run that was started last. It is the id of no new run. */
export const LATEST = 'latest';

/** True if a new run may have this id. Stores also keep runs with other ids, which earlier versions allowed. */
export function isRunId(id: unknown): id is string {
  return isSafe(id) && id !== LATEST;
}

/** True for the id of a run that a task has started. It is derived from the id of its root, and begins with it. */
export function isChildRunId(id: string): boolean {
  const starter = starterIn(id);
  if (!starter) return false;
  const canonical = workKey(id.split('/').map(decodeURIComponentOrEmpty));
  return id === canonical && (isSafe(starter.run) || isChildRunId(starter.run));
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
  if (near === LATEST) return `${LATEST}-1`;
  return near === '' ? undefined : near;
}

/** Returns the rule that an id breaks, as the beginning of a hint. */
export function ruleFor(id: unknown): string {
  return id === LATEST
    ? 'Use another word, as commands read this one as the run that was started last'
    : 'Use letters, digits and . _ : @ -, at most 128, and begin with a letter or digit';
}

/** Says what to use in place of an id that a new run may not have. */
export function otherRunId(id: unknown): string {
  const near = typeof id === 'string' ? runIdLike(id) : undefined;
  return near === undefined ? `${ruleFor(id)}.` : `${ruleFor(id)}, such as ${near}.`;
}

/**
 * Refuses an id that a new run may not have.
 *
 * @throws PhasegateError `INPUT_INVALID`, with an id to use in its place.
 */
export function checkNewRunId(id: unknown): asserts id is string {
  if (isRunId(id)) return;
  const found = typeof id === 'string' ? JSON.stringify(id.slice(0, 200)) : `of type ${typeof id}`;
  const rule = id === LATEST ? 'is reserved' : 'is not safe everywhere';
  throw new PhasegateError('INPUT_INVALID', `Cannot name a run as its id is ${found}, which ${rule}`, {
    hint: otherRunId(id),
  });
}

// --- internal ---

function isSafe(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9][\w.:@-]{0,127}$/u.test(id);
}

function decodeURIComponentOrEmpty(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
