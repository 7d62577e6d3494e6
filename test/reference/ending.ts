/**
 * Unsuccessful ends of phases and runs (rules 19, 20 and 23).
 *
 * @module
 */
import type { LimitName, RunStatus } from '../../src/index.ts';
import { stopAll } from './charge.ts';
import { at, isAtWork, say, type Phase, type World } from './world.ts';

/** Ends the run at once: running phases are cancelled, unstarted ones are skipped, approved ones stay. */
export function endRun(world: World, status: RunStatus, limit: LimitName | null = null): void {
  if (world.ended !== undefined || world.isEnding) return;
  world.isEnding = true;
  stopAll(world);
  for (const phase of world.phases) {
    if (isAtWork(phase) || phase.status === 'rewinding') say(world, 'phase.cancelled', phase.name);
    else if (phase.status === 'idle' && phase.commits.length === 0) say(world, 'phase.skipped', phase.name);
    else if (phase.status === 'idle') say(world, 'phase.stale', phase.name);
  }
  say(world, 'run.ended', '', { status, limit });
  world.ended = status;
}

/** Ends a phase for good, and everything that cannot continue without it. */
export function fail(world: World, phase: Phase, code: string): void {
  say(world, 'phase.failed', phase.name, { ...at(phase), code });
  endPhase(world, phase, 'failed');
}

export function reject(world: World, phase: Phase): void {
  say(world, 'phase.rejected', phase.name, at(phase));
  endPhase(world, phase, 'rejected');
}

/** Skips a waiting phase for a person. It does not fail, but its dependents end (rule 32). */
export function skip(world: World, phase: Phase, who: string): void {
  say(world, 'phase.skipped', phase.name, { who });
  phase.status = 'skipped';
  phase.life++;
  loseBelow(world, phase);
}

/** Returns an ancestor that has ended without approval. */
export function lostAncestor(phase: Phase): Phase | undefined {
  return [...phase.above].find(({ status }) => status === 'failed' || status === 'rejected' || status === 'skipped');
}

// --- internal ---

function endPhase(world: World, phase: Phase, status: 'failed' | 'rejected'): void {
  phase.status = status;
  phase.life++;
  if (world.scenario.onFailure === 'halt') return endRun(world, status);
  loseBelow(world, phase);
}

function loseBelow(world: World, phase: Phase): void {
  for (const other of phase.below) {
    if (other.status === 'rewinding') fail(world, other, 'PREDECESSOR_FAILED');
    else if (other.status === 'idle') giveUp(world, other, phase.name);
  }
}

/** Ends a phase that has to run again and cannot: it keeps its outputs, or is skipped. */
function giveUp(world: World, phase: Phase, because: string): void {
  phase.untold = [];
  if (phase.commits.length === 0) {
    phase.status = 'skipped';
    say(world, 'phase.skipped', phase.name, { because });
  } else {
    phase.status = 'approved';
    say(world, 'phase.stale', phase.name, { because });
  }
}
