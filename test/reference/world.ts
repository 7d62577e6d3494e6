/**
 * The state of a simulated run. It is plain and mutable, as clarity comes first.
 *
 * @module
 */
import type { LimitName, RunStatus } from '../../src/index.ts';
import { createAgenda, type Agenda } from './agenda.ts';
import type { Finding, Sent } from './findings.ts';
import { line, type Details } from './line.ts';
import type { Answers } from './review.ts';
import type { Bid } from './charge.ts';
import { delayOf, type GateSpec, type IssueAct, type PhaseSpec, type Scenario } from './scenario.ts';

/** The reach of a new commit, narrowest first. */
export const REACHES = ['requester', 'changed', 'all'] as const;
export type Reach = (typeof REACHES)[number];

/** One demand on a phase by a later one. */
export interface Demand {
  readonly from: string;
  readonly feedback: string;
  readonly issues: readonly IssueAct[];
  readonly regate: boolean;
  readonly reach: Reach;
}

/** One attempt since the last start, with its score by the gate. */
export interface Tried {
  readonly outputs: Readonly<Record<string, unknown>>;
  score: number | undefined;
}

export interface Phase {
  readonly spec: PhaseSpec;
  readonly name: string;
  readonly gate: GateSpec | null;
  /** All ancestors, in definition order. `below` has all descendants. */
  readonly above: ReadonlySet<Phase>;
  readonly below: ReadonlySet<Phase>;
  /** `idle` and `rewinding` wait for a start; `returning` waits for a slot to continue after a person's retry. */
  status: 'idle' | 'working' | 'rewinding' | 'escalated' | 'returning' | 'approved' | 'rejected' | 'failed' | 'skipped';
  /** The current life. Timers of another life are void. */
  life: number;
  /** True if its next start is a fresh one. */
  fresh: boolean;
  generation: number;
  attempt: number;
  attempts: number;
  retries: number;
  /** Checks that failed before its tasks since its last start. `owed` has checks that it has to leave passing. */
  failedBefore: ReadonlySet<string> | undefined;
  readonly owed: Set<string>;
  /** Rewinds by its gate or its tasks, but not by a person, for each other phase. */
  readonly spent: Map<string, number>;
  /** Demands that no attempt has received. `told` has those that the attempts since the last start received. */
  untold: Demand[];
  told: Demand[];
  /** The reach of its next commit, in addition to that of the demands. */
  spread: Reach;
  /** Versions of its ancestors at its last start. `asked` has those of them whose outputs it has read. */
  reads: Map<string, number>;
  asked: Set<string>;
  /** Tasks of those whose outputs it has read. `isSeenByPerson` is true if a person was asked, who has seen all. */
  parts: Map<string, Set<string>>;
  isSeenByPerson: boolean;
  /** The reads of its latest commit. */
  committedReads: Map<string, number>;
  /** Tasks that it has read of phases that it has read in part. */
  committedParts: ReadonlyMap<string, readonly string[]>;
  tried: Tried[];
  /** Outputs that the feedback of the running attempt is about; undefined if there is none. */
  judged: Readonly<Record<string, unknown>> | undefined;
  /** The number of consecutive attempts, up to the latest, that repeated those outputs. */
  unchanged: number;
  /** That number for itself and for others, as it was known at its last start. */
  knownUnchanged: ReadonlyMap<string, number>;
  /** The number of attempts of others to ignore: those up to a person's latest decision about it. */
  excused: ReadonlyMap<string, number>;
  /** The latest demand of its gate in text alone, and the number of its consecutive repetitions. */
  saying: { readonly words: string; readonly repeats: number } | undefined;
  /** True if all tasks of the last attempt have completed. */
  isDone: boolean;
  /** The feedback of the attempt that it returns to. */
  feedback: string;
  issues: readonly IssueAct[];
  /** The change that its latest attempt was judged to need. */
  demanded: string;
  /** The answers of its reviewers to its latest attempt. */
  heard: Answers;
  /** The open findings of its reviewers. */
  findings: Finding[];
  /** The last rewinds that it made, or that sent it back, at its last start from new inputs, oldest first. */
  latest: readonly Sent[];
  /** True if it has kept its slot. */
  hasPlace: boolean;
  /** Outputs of each version, oldest first. */
  readonly commits: Readonly<Record<string, unknown>>[];
}

export interface World {
  readonly scenario: Scenario;
  /** True if the run has a store. */
  readonly kept: boolean;
  readonly agenda: Agenda;
  readonly phases: readonly Phase[];
  readonly lines: string[];
  /** Findings that reviewers were shown, in order. */
  readonly shown: string[];
  /** Rewinds, oldest first. */
  readonly sent: Sent[];
  /** Phases that may start, oldest first. */
  queue: Phase[];
  corrections: number;
  tokens: number;
  /**
   * Tries that have not begun, oldest first. `promised` has those that have, with the tokens that they may still use.
   */
  bids: Bid[];
  readonly promised: Set<Bid>;
  /** True if a change may let waiting tries begin. */
  looks: boolean;
  readonly held: Set<LimitName>;
  readonly lifted: Set<LimitName>;
  readonly calls: Map<string, number>;
  /** Work that begins once everything that starts at this moment has started. */
  begin: (() => void)[];
  ended: RunStatus | undefined;
  isEnding: boolean;
}

export function createWorld(scenario: Scenario, kept = false): World {
  const phases = scenario.phases.map(phaseOf);
  for (const phase of phases) {
    for (const other of phases) {
      if (!comesAfter(scenario, phase.name, other.name)) continue;
      (phase.above as Set<Phase>).add(other);
    }
  }
  for (const phase of phases) {
    for (const other of phases) if (other.above.has(phase)) (phase.below as Set<Phase>).add(other);
  }
  return {
    scenario,
    kept,
    agenda: createAgenda(),
    phases,
    lines: [],
    shown: [],
    sent: [],
    queue: [],
    corrections: 0,
    tokens: 0,
    bids: [],
    promised: new Set(),
    looks: false,
    held: new Set(),
    lifted: new Set(),
    calls: new Map(),
    begin: [],
    ended: undefined,
    isEnding: false,
  };
}

export function say(world: World, type: string, who: string, details: Details = {}): void {
  if (world.ended === undefined) world.lines.push(line(world.agenda.now(), type, who, details));
}

/** Returns the generation and the attempt of a phase. */
export function at(phase: Phase): { readonly g: number; readonly a: number } {
  return { g: phase.generation, a: phase.attempt };
}

/** True if the phase is approved, and need not run again. */
export function isSettled(phase: Phase): boolean {
  return phase.status === 'approved';
}

/** True if the phase has an attempt without a final decision, including one that waits for a person. */
export function isAtWork(phase: Phase): boolean {
  return phase.status === 'working' || phase.status === 'escalated' || phase.status === 'returning';
}

export function wider(one: Reach, other: Reach): Reach {
  return REACHES.indexOf(one) > REACHES.indexOf(other) ? one : other;
}

/** Schedules an action, unless the phase has another life by then. */
export function later(world: World, phase: Phase, delay: number, act: () => void): void {
  const { life } = phase;
  world.agenda.after(delay, () => {
    if (phase.life === life && world.ended === undefined) act();
  });
}

/** Counts one more call of a worker. @returns Its number and its duration. */
export function nextCall(world: World, worker: string): { readonly nth: number; readonly delay: number } {
  const nth = world.calls.get(worker) ?? 0;
  world.calls.set(worker, nth + 1);
  return { nth, delay: delayOf(world.scenario.seed, worker, nth) };
}

// --- internal ---

function phaseOf(spec: PhaseSpec): Phase {
  return {
    spec,
    name: spec.name,
    gate: spec.gate,
    above: new Set(),
    below: new Set(),
    status: 'idle',
    life: 0,
    fresh: true,
    generation: 0,
    attempt: 0,
    attempts: 0,
    retries: 0,
    failedBefore: undefined,
    owed: new Set(),
    spent: new Map(),
    untold: [],
    told: [],
    spread: 'requester',
    reads: new Map(),
    asked: new Set(),
    parts: new Map(),
    isSeenByPerson: false,
    committedReads: new Map(),
    committedParts: new Map(),
    tried: [],
    judged: undefined,
    unchanged: 0,
    knownUnchanged: new Map(),
    excused: new Map(),
    saying: undefined,
    isDone: false,
    feedback: '',
    issues: [],
    demanded: '',
    heard: new Map(),
    findings: [],
    latest: [],
    hasPlace: false,
    commits: [],
  };
}

function comesAfter({ phases }: Scenario, name: string, other: string): boolean {
  const after = phases.find((spec) => spec.name === name)?.after ?? [];
  return after.some((one) => one === other || comesAfter({ phases } as Scenario, one, other));
}
