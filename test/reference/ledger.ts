/**
 * Commits of phases, and their effect on readers (rule 18).
 *
 * @module
 */
import { at, isAtWork, isSettled, say, wider, type Phase, type Reach, type World } from './world.ts';

/** Commits the outputs of a phase, and marks or reruns readers of the previous ones. */
export function commit(world: World, phase: Phase, because: string, outputs: Readonly<Record<string, unknown>>): void {
  phase.commits.push(outputs);
  phase.status = 'approved';
  phase.life++;
  phase.findings = [];
  phase.saying = undefined;
  phase.committedReads = new Map([...phase.reads].filter(([name]) => phase.asked.has(name)));
  phase.committedParts = partsRead(world, phase);
  const version = phase.commits.length;
  say(world, 'phase.approved', phase.name, {
    ...at(phase),
    because,
    outputs,
    version,
    read: sorted(phase.committedReads),
    ...(phase.committedParts.size > 0 && { tasks: sorted(phase.committedParts) }),
  });
  for (const { name, commits } of world.phases) {
    const isOutdated = (phase.committedReads.get(name) ?? Infinity) < commits.length;
    if (isOutdated) say(world, 'phase.stale', phase.name, { because: name });
  }
  const reach = phase.told.reduce((widest, demand) => wider(widest, demand.reach), phase.spread);
  phase.told = [];
  phase.spread = 'requester';
  if (version > 1) spread(world, phase, reach);
  if (phase.untold.length > 0) sendBack(phase);
}

/** Returns the approved outputs: those of this attempt, or of the best one. */
export function outputsOf(phase: Phase, because: string): Readonly<Record<string, unknown>> {
  const last = phase.tried.at(-1);
  if (because !== 'exhausted' || phase.gate?.onExhausted !== 'acceptBest') return last?.outputs ?? {};
  const best = phase.tried.reduce((one, other) =>
    (other.score ?? -Infinity) >= (one.score ?? -Infinity) ? other : one,
  );
  return best.outputs;
}

/** Sends an approved phase back, so that it runs again. */
export function sendBack(phase: Phase): void {
  phase.generation++;
  phase.status = 'idle';
}

/** Restarts a phase from a fresh start, whatever its status. */
export function invalidate(world: World, phase: Phase, because: string, reach: Reach): void {
  phase.generation++;
  phase.status = 'idle';
  phase.life++;
  phase.fresh = true;
  phase.spread = wider(phase.spread, reach);
  say(world, 'phase.invalidated', phase.name, { g: phase.generation, because });
}

// --- internal ---

/**
 * Returns tasks that a phase has read of phases that it has read in part. There are none if a person has seen its
 * inputs.
 */
function partsRead(world: World, phase: Phase): ReadonlyMap<string, readonly string[]> {
  if (phase.isSeenByPerson) return new Map();
  return new Map(
    [...phase.parts].flatMap(([name, parts]) => {
      const all = world.phases.find((one) => one.name === name)?.spec.tasks.map((task) => task.name) ?? [];
      const isPart = parts.size > 0 && parts.size < all.length;
      return isPart ? [[name, all.filter((task) => parts.has(task))] as const] : [];
    }),
  );
}

function sorted<T>(entries: ReadonlyMap<string, T>): Readonly<Record<string, T>> {
  return Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function spread(world: World, phase: Phase, reach: Reach): void {
  for (const other of phase.below) {
    if (!isSettled(other) && !isAtWork(other)) continue;
    const reads = isAtWork(other) ? other.reads : other.committedReads;
    const version = reads.get(phase.name) ?? 0;
    const hasRead = isAtWork(other) ? other.asked.has(phase.name) : version > 0;
    // A running phase that need not run again is marked when it commits.
    if (reach === 'requester') {
      if (hasRead && !isAtWork(other)) say(world, 'phase.stale', other.name, { because: phase.name });
    } else if (hasRead && (reach === 'all' || isChanged(phase, version, other))) {
      invalidate(world, other, phase.name, reach);
    } else if (version > 0 && !isChanged(phase, version, other)) {
      reads.set(phase.name, phase.commits.length);
      if (!isAtWork(other))
        say(world, 'phase.unaffected', other.name, { source: phase.name, version: phase.commits.length });
    }
  }
}

/** True if a reader has read a changed output. For a running reader every output counts, as it may read more. */
function isChanged({ name, commits, spec }: Phase, version: number, reader: Phase): boolean {
  const tasks = isAtWork(reader) ? undefined : reader.committedParts.get(name);
  const [before, now] = [commits[version - 1], commits.at(-1)];
  return (tasks ?? spec.tasks.map((task) => task.name)).some(
    (task) => JSON.stringify(before?.[task]) !== JSON.stringify(now?.[task]),
  );
}
