/**
 * The state of a simulated run. Plain and mutable: clarity before everything.
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

/** How widely a new commit reaches, narrowest first. */
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

/** One attempt since the last start, with what its gate thought of it. */
export interface Tried {
  readonly outputs: Readonly<Record<string, unknown>>;
  score: number | undefined;
}

export interface Phase {
  readonly spec: PhaseSpec;
  readonly name: string;
  readonly gate: GateSpec | null;
  /** All ancestors; all descendants; both in definition order. */
  readonly above: ReadonlySet<Phase>;
  readonly below: ReadonlySet<Phase>;
  /** `idle` waits for its start, and `rewinding` does too; `returning` waits for a place to go on after a person's retry. */
  status: 'idle' | 'working' | 'rewinding' | 'escalated' | 'returning' | 'approved' | 'rejected' | 'failed' | 'skipped';
  /** Timers of another life than this one are void. */
  life: number;
  /** Whether its next start is a fresh one. */
  fresh: boolean;
  generation: number;
  attempt: number;
  attempts: number;
  retries: number;
  /** Checks that failed before its tasks, as it was found out since its last start; checks that it has to leave passing. */
  failedBefore: ReadonlySet<string> | undefined;
  readonly owed: Set<string>;
  /** Times its gate or its tasks, but no person, sent back each other phase. */
  readonly spent: Map<string, number>;
  /** Demands that no attempt was told of; demands that the attempts since the last start were told of. */
  untold: Demand[];
  told: Demand[];
  /** How widely its next commit reaches beside what the demands say. */
  spread: Reach;
  /** Versions of its ancestors at its last start; those of them whose outputs it has read. */
  reads: Map<string, number>;
  asked: Set<string>;
  /** Tasks of those whose outputs it has read; that a person was asked, who has seen all. */
  parts: Map<string, Set<string>>;
  isSeenByPerson: boolean;
  /** The same for what it committed. */
  committedReads: Map<string, number>;
  /** Tasks that it has read of phases of which it has not read all. */
  committedParts: ReadonlyMap<string, readonly string[]>;
  tried: Tried[];
  /** Outputs that the attempt at work is told about; `undefined` where it is told of none. */
  judged: Readonly<Record<string, unknown>> | undefined;
  /** Attempts in a row, up to the latest, that put out what they were told about. */
  unchanged: number;
  /** Those of itself and of others, as it was told when it last started. */
  knownUnchanged: ReadonlyMap<string, number>;
  /** Attempts of others that it is not told of: those up to a person's latest decision about it. */
  excused: ReadonlyMap<string, number>;
  /** The latest demand of its gate in words alone, and how often it repeated the one before in a row. */
  saying: { readonly words: string; readonly repeats: number } | undefined;
  /** Whether the tasks of the last attempt have all been done. */
  isDone: boolean;
  /** What the attempt that it returns to is told. */
  feedback: string;
  issues: readonly IssueAct[];
  /** What its latest attempt was judged to need. */
  demanded: string;
  /** What its reviewers answered of its latest attempt. */
  heard: Answers;
  /** What its reviewers found and is open. */
  findings: Finding[];
  /** The last rewinds that it made, or that sent it back, when it last started from new inputs, oldest first. */
  latest: readonly Sent[];
  /** Whether it kept its place meanwhile. */
  hasPlace: boolean;
  /** Outputs of each version, oldest first. */
  readonly commits: Readonly<Record<string, unknown>>[];
}

export interface World {
  readonly scenario: Scenario;
  /** Whether the run is kept in a store. */
  readonly kept: boolean;
  readonly agenda: Agenda;
  readonly phases: readonly Phase[];
  readonly lines: string[];
  /** What reviewers were shown of their findings, in order. */
  readonly shown: string[];
  /** Rewinds, oldest first. */
  readonly sent: Sent[];
  /** Phases that may start, oldest first. */
  queue: Phase[];
  corrections: number;
  tokens: number;
  /** Tries that have not begun, oldest first; those that have, and what they may still use. */
  bids: Bid[];
  readonly promised: Set<Bid>;
  /** Whether something has changed that tries may wait for. */
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

/** Where an event stands in the life of its phase. */
export function at(phase: Phase): { readonly g: number; readonly a: number } {
  return { g: phase.generation, a: phase.attempt };
}

/** Approved, and not to run again. */
export function isSettled(phase: Phase): boolean {
  return phase.status === 'approved';
}

/** Has an attempt that is not judged for good; one that waits for a person has. */
export function isAtWork(phase: Phase): boolean {
  return phase.status === 'working' || phase.status === 'escalated' || phase.status === 'returning';
}

export function wider(one: Reach, other: Reach): Reach {
  return REACHES.indexOf(one) > REACHES.indexOf(other) ? one : other;
}

/** Does something later, unless the phase has begun another life by then. */
export function later(world: World, phase: Phase, delay: number, act: () => void): void {
  const { life } = phase;
  world.agenda.after(delay, () => {
    if (phase.life === life && world.ended === undefined) act();
  });
}

/** Counts one more call of a worker, and tells which it is and how long it takes. */
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
