/**
 * Requests of a rewind: to the phase that is sent back, and to others that an issue is about.
 *
 * @module
 */
import type { EventOf } from '../../model/events/event.ts';
import { countOf } from '../../model/plan/policy.ts';
import { withoutIssues } from '../../model/review/change-request.ts';
import { joinDemands, type Correction, type Rider } from '../../model/revision/revision.ts';
import { between } from '../../model/values/graph.ts';
import type { RewindRequest } from './phase-state.ts';
import { isUnsettled } from './readiness.ts';
import { phaseNamed, type PhaseState, type RunState } from './run-state.ts';

/**
 * Selects the riders of a rewind: phases that run again for it, and phases that may be sent back as well. The requester gets the
 * feedback for any other phase, and its issues stay open.
 *
 * @returns The riders, and the times that the requester has then sent back each phase.
 */
export function acceptRiders(
  state: RunState,
  requester: PhaseState,
  report: EventOf<'phase.rewinding'>,
): AcceptedRiders {
  const { gate } = requester.phase;
  const target = phaseNamed(state, report.target);
  const rewinds: [string, number][] = [[report.target, report.spent]];
  if (!report.riders || !target || !gate) return { riders: NOBODY, rewinds };
  const most = Math.min(countOf(gate.maxPredecessorRetries), state.plan.limits.perPair ?? Infinity);
  const isOnPath = pathTo(state, requester, target);
  const mayAccept = ({ phase }: Rider): boolean => {
    const entry = phaseNamed(state, phase);
    if (!entry || isOnPath(entry)) return entry !== undefined;
    const spent = requester.memory.rewinds[phase] ?? 0;
    if (report.by === 'person') return true;
    if (!gate.targets.includes(phase) || spent >= most) return false;
    rewinds.push([phase, spent + 1]);
    return true;
  };
  const asked = report.riders.map((rider) => ({ rider, isAccepted: mayAccept(rider) }));
  const left = asked.flatMap(({ rider, isAccepted }) => (isAccepted ? [] : (withoutIssues(rider) ?? [])));
  const riders = asked.flatMap(({ rider, isAccepted }) => (isAccepted ? rider : []));
  return { riders: left.length === 0 ? riders : withOwn(riders, requester.phase.name, left), rewinds };
}

/** Riders of a rewind, and its counts. */
export interface AcceptedRiders {
  readonly riders: readonly Rider[];
  readonly rewinds: readonly (readonly [phase: string, times: number])[];
}

/** Returns a test that is true for the requester, and for the phases between it and the target, which run again. */
export function pathTo(state: RunState, requester: PhaseState, target: PhaseState): (entry: PhaseState) => boolean {
  const path = new Set(between(state.graph, target.index, requester.index));
  return (entry) => entry === requester || path.has(entry.index);
}

/** Adds a demand for the next start of a phase. */
export function addRequest(entry: PhaseState, requester: PhaseState, correction: Correction, regate: boolean): void {
  entry.pendingRequests = [...entry.pendingRequests, requestOf(entry, requester, correction, regate)];
}

/** Keeps the demands of unsettled phases for the next try of the run. */
export function deferRequests(
  state: RunState,
  requester: PhaseState,
  target: PhaseState,
  { correction, riders = [] }: EventOf<'phase.rewinding'>,
): void {
  const isOnPath = pathTo(state, requester, target);
  const regate = requester.phase.gate?.regate ?? true;
  for (const demand of [{ phase: target.phase.name, correction }, ...riders]) {
    const entry = phaseNamed(state, demand.phase);
    if (entry && isUnsettled(state.readiness, entry.index))
      entry.deferredRequests = [
        ...entry.deferredRequests,
        requestOf(entry, requester, demand.correction, isOnPath(entry) || regate),
      ];
  }
}

// --- internal ---

const NOBODY: readonly never[] = Object.freeze([]);

function requestOf(entry: PhaseState, requester: PhaseState, correction: Correction, regate: boolean): RewindRequest {
  const invalidation = requester.phase.gate?.invalidate ?? 'requester';
  return { correction: { ...correction, attempt: entry.attempt }, regate, invalidation };
}

/** Adds feedback for the requester itself, as the last rider. */
function withOwn(riders: readonly Rider[], own: string, more: readonly Correction[]): readonly Rider[] {
  const before = riders.find(({ phase }) => phase === own)?.correction;
  const [first, ...rest] = before ? [before, ...more] : more;
  if (!first) return riders;
  const correction = { ...first, ...joinDemands([first, ...rest]) };
  return [...riders.filter(({ phase }) => phase !== own), { phase: own, correction }];
}
