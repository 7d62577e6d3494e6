/**
 * How checks stand before the tasks of a phase, and what of their failures is not its own (rules 40 and 41).
 *
 * @module
 */
import { isExcused } from './rewind.ts';
import { callOf, type CheckAct } from './scenario.ts';
import { at, later, nextCall, say, type Phase, type World } from './world.ts';

/** Runs the checks that have a baseline, where this start has not; then goes on. */
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

/** Whether a failure is no fault of the attempt; says so. */
export function isForgiven(world: World, phase: Phase, check: string): boolean {
  if (!phase.failedBefore?.has(check)) return false;
  say(world, 'phase.warned', phase.name, { ...at(phase), code: 'CHECK_PREEXISTING' });
  return true;
}

/** Once its gate has opened for what it did, a phase answers for its checks no more. */
export function settleChecks(phase: Phase, because: string): void {
  if (because !== 'exhausted' && because !== 'unreviewed') phase.owed.clear();
}
