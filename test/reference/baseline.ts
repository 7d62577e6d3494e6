/**
 * Results of checks before the tasks of a phase, and the failures that are not its own (rules 40 and 41).
 *
 * @module
 */
import { isExcused } from './rewind.ts';
import { callOf, type CheckAct } from './scenario.ts';
import { at, later, nextCall, say, type Phase, type World } from './world.ts';

/** Runs the checks that have a baseline, unless this start has; then continues. */
export function lookBefore(world: World, phase: Phase, go: () => void): void {
  const checks = (phase.gate?.checks ?? []).filter(({ name, baseline }) => baseline && !phase.owed.has(name));
  if (checks.length === 0 || phase.failedBefore || isExcused(phase)) return go();
  const passed: string[] = [];
  const failed: string[] = [];
  const look = (index: number): void => {
    const spec = checks[index];
    if (!spec) {
      say(world, 'check.baselined', phase.name, { ...at(phase), passed, failed });
      phase.failedBefore = new Set(failed);
      for (const name of passed) phase.owed.add(name);
      return go();
    }
    const { nth, delay } = nextCall(world, `${phase.name}!${spec.name}`);
    const act = callOf<CheckAct>(spec.calls, nth, { do: 'pass' });
    later(world, phase, act.delay ?? delay, () => {
      (act.do === 'pass' ? passed : failed).push(spec.name);
      look(index + 1);
    });
  };
  look(0);
}

/** Returns true if a failure is not the fault of the attempt, and records so. */
export function isForgiven(world: World, phase: Phase, check: string): boolean {
  if (!phase.failedBefore?.has(check)) return false;
  say(world, 'phase.warned', phase.name, { ...at(phase), code: 'CHECK_PREEXISTING' });
  return true;
}

/** Ends the responsibility of a phase for its checks, once its gate has opened for its work. */
export function settleChecks(phase: Phase, because: string): void {
  if (because !== 'exhausted' && because !== 'unreviewed') phase.owed.clear();
}
