/**
 * What phases commit, and what that means for those that read it (rule 18).
 *
 * @module
 */
import { at, isAtWork, isSettled, say, wider, type Phase, type Reach, type World } from './world.ts';

/** Commits the outputs of a phase, and deals with whoever read the ones before. */
export function commit(world: World, phase: Phase, because: string, outputs: Readonly<Record<string, unknown>>): void {
  phase.commits.push(outputs);
  phase.status = 'approved';
  phase.life++;
  phase.committedReads = new Map([...phase.reads].filter(([name]) => phase.asked.has(name)));
  const version = phase.commits.length;
  say(world, 'phase.approved', phase.name, {
    ...at(phase),
    because,
    outputs,
    version,
    read: Object.fromEntries([...phase.committedReads].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  });
  for (const name of phase.marks) say(world, 'phase.stale', phase.name, { because: name });
  phase.marks = new Set();
  const reach = phase.told.reduce((widest, demand) => wider(widest, demand.reach), phase.spread);
  phase.told = [];
  phase.spread = 'requester';
  if (version > 1) spread(world, phase, reach);
  if (phase.untold.length > 0) sendBack(phase);
}

/** Makes an approved phase run again. */
export function sendBack(phase: Phase): void {
  phase.generation++;
  phase.status = 'idle';
}

/** Makes a phase run again from a fresh start, whatever it does now. */
export function invalidate(world: World, phase: Phase, because: string, reach: Reach): void {
  phase.generation++;
  phase.status = 'idle';
  phase.life++;
  phase.fresh = true;
  phase.marks = new Set();
  phase.spread = wider(phase.spread, reach);
  say(world, 'phase.invalidated', phase.name, { g: phase.generation, because });
}

// --- internal ---

function spread(world: World, phase: Phase, reach: Reach): void {
  for (const other of phase.below) {
    if (!isSettled(other) && !isAtWork(other)) continue;
    const version = isAtWork(other) ? readNow(other, phase) : other.committedReads.get(phase.name);
    if (version === undefined) continue;
    if (reach === 'requester') {
      if (isAtWork(other)) other.marks.add(phase.name);
      else say(world, 'phase.stale', other.name, { because: phase.name });
    } else if (reach === 'all' || isChanged(phase, version)) {
      invalidate(world, other, phase.name, reach);
    } else {
      (isAtWork(other) ? other.reads : other.committedReads).set(phase.name, phase.commits.length);
    }
  }
}

function readNow(reader: Phase, source: Phase): number | undefined {
  return reader.asked.has(source.name) ? reader.reads.get(source.name) : undefined;
}

function isChanged({ commits }: Phase, version: number): boolean {
  return JSON.stringify(commits[version - 1]) !== JSON.stringify(commits.at(-1));
}
