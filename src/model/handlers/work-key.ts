/**
 * Keys of work: the idempotency key of a task, which is also the id of the run that the task starts.
 *
 * @module
 */

/** Makes the key of work of a run: its phase, start, attempt, role and name, and counts of repetitions. */
export function workKey(parts: readonly (string | number)[]): string {
  return parts.map(encodeURIComponent).join('/');
}

/**
 * Returns the part of a key that stands for a start. Attempts are numbered from 0 again if a phase starts over, and then its work is
 * different work.
 *
 * @param renewals The number of earlier starts over in the same generation.
 */
export function startOf(generation: number, renewals: number): string | number {
  return renewals === 0 ? generation : `${generation}.${renewals}`;
}

/** The attempt of a task that has started a run. */
export interface Starter {
  readonly run: string;
  readonly phase: string;
  readonly generation: number;
  /** The number of the attempt, from 0. */
  readonly attempt: number;
  readonly task: string;
}

/** Reads the id of a run that a task has started, which is the key of the task; `undefined` for any other id. */
export function starterIn(child: string): Starter | undefined {
  const [run, phase, start, attempt, role, task, ...rest] = child.split('/').map(decoded);
  if (run === undefined || phase === undefined || task === undefined) return undefined;
  if (role !== 'task' || rest.length > 0) return undefined;
  // After its generation, a start may have the number of its renewals.
  return { run, phase, generation: Number.parseInt(start ?? '', 10), attempt: Number(attempt), task };
}

/** Returns the attempt of a task of a run that has started another run, or one whose tasks have. `undefined` if none has. */
export function starterOf(run: string, child: string): Starter | undefined {
  const starter = starterIn(child);
  return !starter || starter.run === run ? starter : starterOf(run, starter.run);
}

/** Returns the run whose task has started a run, the run whose task has started that one, and so on; none for any other id. */
export function runsAbove(runId: string): readonly string[] {
  const parent = starterIn(runId)?.run;
  return parent === undefined ? [] : [parent, ...runsAbove(parent)];
}

/** Returns the id of a run that is another one, or below it, after that one has got another id. `undefined` for other runs. */
export function renamedBelow(runId: string, root: string, to: string): string | undefined {
  if (runId === root) return to;
  const parent = starterIn(runId)?.run;
  const renamed = parent === undefined ? undefined : renamedBelow(parent, root, to);
  return renamed && [encodeURIComponent(renamed), ...runId.split('/').slice(1)].join('/');
}

// --- internal ---

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A person has chosen the id.
    return part;
  }
}
