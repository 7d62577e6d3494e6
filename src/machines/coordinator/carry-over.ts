/**
 * Carry-over: reflections, observations and shared artifacts that attempts of a phase leave for later attempts.
 *
 * @module
 */
import type { EventOf } from '../../model/events/event.ts';
import { isSubscribed } from '../../model/plan/artifact-subscription.ts';
import {
  observed,
  withReflections,
  type Recollection,
  type SharedArtifact,
  type Trajectory,
} from '../../model/revision/revision-extras.ts';
import type { PhaseStart } from '../phase/phase-context.ts';
import { bestScore } from '../phase/phase-updates.ts';
import { phaseNamed, type PhaseState, type RunState } from './run-state.ts';

/** Traces of one attempt. */
interface AttemptTraces {
  readonly trajectories: Readonly<Record<string, Trajectory>>;
  readonly artifacts: ReadonlyMap<string, unknown>;
}

/** Carry-over of a phase. A phase has none until something is kept. */
export interface CarryOver {
  readonly reflections: readonly string[];
  /** Traces of the attempt that works. */
  readonly current: AttemptTraces;
  /** Traces of the latest attempt that has ended. */
  readonly ended: AttemptTraces | undefined;
  /** Traces of the attempt with the best score since the phase started afresh. */
  readonly best: { readonly score: number; readonly traces: AttemptTraces } | undefined;
  /** Traces of the committed attempt. */
  readonly committed: AttemptTraces | undefined;
  /** Artifacts that other phases shared when this one started. */
  readonly shared: readonly SharedArtifact[];
}

/** Keeps an observation or an artifact of a task if a later attempt, or a subscriber, may see it. */
export function keepReport(state: RunState, entry: PhaseState, report: EventOf<'task.reported'>): void {
  const { artifact, observation, task, reviewer } = report;
  const { name, gate } = entry.phase;
  if (reviewer) return;
  if (observation !== undefined && gate?.strategy === 'trajectory') {
    const { trajectories, artifacts } = currentOf(entry);
    keep(entry, {
      current: { trajectories: { ...trajectories, [task]: observed(trajectories[task], observation) }, artifacts },
    });
  }
  if (artifact && isSubscribed(state.plan, name, artifact.name)) {
    const { trajectories, artifacts } = currentOf(entry);
    keep(entry, { current: { trajectories, artifacts: new Map([...artifacts, [artifact.name, artifact.content]]) } });
  }
}

/** Discards the observations of a task, which begins or is tried again. */
export function forgetTry(entry: PhaseState, task: string): void {
  const { trajectories, artifacts } = currentOf(entry);
  if (!Object.hasOwn(trajectories, task)) return;
  const { [task]: _, ...others } = trajectories;
  keep(entry, { current: { trajectories: others, artifacts } });
}

/** Keeps the reflections of an attempt. */
export function keepReflection(entry: PhaseState, { reflection, recalled = [] }: EventOf<'phase.reflected'>): void {
  const more = [...recalled.map((one) => one.reflection), ...(reflection === undefined ? [] : [reflection])];
  const known = entry.carryOver?.reflections ?? NOTHING;
  if (more.length > 0) keep(entry, { reflections: withReflections(known, more) });
}

/** Keeps the traces of the attempt with the best score if the gate may accept it, even if there are none. */
export function keepBest(entry: PhaseState, { verdict, by }: EventOf<'review.decided'>): void {
  const { carryOver, phase } = entry;
  if (by !== 'gate' || phase.gate?.onExhausted !== 'acceptBest') return;
  const score = bestScore(carryOver?.best, verdict);
  if (score !== undefined) keep(entry, { best: { score, traces: currentOf(entry) } });
}

/** Ends an attempt that was sent back, or sends back another phase: the next attempt gets its traces. */
export function endAttempt(entry: PhaseState): void {
  if (entry.carryOver) keep(entry, { ended: entry.carryOver.current });
}

/** Publishes the traces of the attempt whose outputs are committed. */
export function commitTraces(entry: PhaseState, because: EventOf<'phase.approved'>['because']): void {
  const { carryOver } = entry;
  if (!carryOver) return;
  const best = because === 'exhausted' ? carryOver.best : undefined;
  const committed = best?.traces ?? carryOver.current;
  keep(entry, { committed, ended: committed });
}

/**
 * Returns the recollection of a phase that starts from new inputs; `undefined` if it is empty. Its own traces are those of the
 * attempt whose outputs it gets: the committed one, or the one that it waited with.
 */
export function recallAtStart(
  state: RunState,
  entry: PhaseState,
  { revision, previous }: Pick<PhaseStart, 'revision' | 'previous'>,
): Recollection | undefined {
  const { phase, carryOver } = entry;
  const foreign = phase.subscribe?.some((one) => one.phase !== phase.name) ?? false;
  if (!carryOver && !foreign) return undefined;
  const shared = foreign ? sharedWith(state, entry) : NOTHING;
  const judged = previous === undefined ? carryOver?.ended : carryOver?.committed;
  const before = revision ? judged : undefined;
  keep(entry, { shared, best: undefined, current: NO_TRACES, ended: before });
  return recollectionOf(entry);
}

/** Returns the recollection of the next attempt on the same inputs; `undefined` if it is empty. */
export function recallAtRetry(entry: PhaseState): Recollection | undefined {
  if (!entry.carryOver) return undefined;
  keep(entry, { current: NO_TRACES });
  return recollectionOf(entry);
}

// --- internal ---

const NOTHING: readonly never[] = Object.freeze([]);
const NO_TRACES: AttemptTraces = Object.freeze({
  trajectories: Object.freeze({}),
  artifacts: new Map<string, unknown>(),
});
const NO_CARRY_OVER: CarryOver = Object.freeze({
  reflections: NOTHING,
  current: NO_TRACES,
  ended: undefined,
  best: undefined,
  committed: undefined,
  shared: NOTHING,
});

function currentOf({ carryOver }: PhaseState): AttemptTraces {
  return carryOver?.current ?? NO_TRACES;
}

function keep(entry: PhaseState, some: Partial<CarryOver>): void {
  entry.carryOver = Object.assign({}, entry.carryOver ?? NO_CARRY_OVER, some);
}

/** Returns the committed artifacts of other phases. */
function sharedWith(state: RunState, { phase }: PhaseState): readonly SharedArtifact[] {
  return (phase.subscribe ?? []).flatMap((one) => {
    const source = one.phase === phase.name ? undefined : phaseNamed(state, one.phase);
    return artifactIn(one.phase, one.artifact, source?.carryOver?.committed);
  });
}

function recollectionOf({ phase, carryOver }: PhaseState): Recollection | undefined {
  const { reflections, shared, ended } = carryOver ?? NO_CARRY_OVER;
  const artifacts = (phase.subscribe ?? []).flatMap((one) =>
    one.phase === phase.name
      ? artifactIn(one.phase, one.artifact, ended)
      : shared.filter((other) => other.phase === one.phase && other.name === one.artifact),
  );
  const trajectories = Object.keys(ended?.trajectories ?? {}).length > 0 ? ended?.trajectories : undefined;
  if (reflections.length + artifacts.length === 0 && !trajectories) return undefined;
  return {
    ...(reflections.length > 0 && { reflections }),
    ...(artifacts.length > 0 && { artifacts }),
    ...(trajectories && { trajectories }),
  };
}

function artifactIn(phase: string, name: string, traces: AttemptTraces | undefined): readonly SharedArtifact[] {
  return traces?.artifacts.has(name) ? [{ phase, name, content: traces.artifacts.get(name) }] : NOTHING;
}
