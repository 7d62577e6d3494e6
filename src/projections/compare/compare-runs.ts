/**
 * The comparison of two runs: of their definitions, inputs, phases, attempts and outputs.
 *
 * @module
 */
import { isSameJson } from '../../model/values/json.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import { ofName } from '../../model/values/by-name.ts';
import type { Attempt } from '../run/attempts.ts';
import type { ComparedPhase, ComparedRun } from './compared-run.ts';

/** The same thing of the first and of the second run. */
export type Pair<T> = readonly [first: T, second: T];

/** A property in which the two runs of one phase, or of one attempt, may differ. */
export type Difference = 'presence' | 'status' | 'attempts' | 'feedback' | 'decisions' | 'outputs';

/** The output of a task, in both runs. `undefined` if there is none. */
export interface OutputComparison {
  readonly task: string;
  readonly values: Pair<unknown>;
  readonly same: boolean;
}

/** Attempts with the same number. `null` if only one run has such an attempt. */
export interface AttemptComparison {
  readonly number: number;
  readonly attempts: Pair<Attempt | null>;
  /** True if both are the same records, as one run is a fork of the other, or both are forks of a third. */
  readonly shared: boolean;
  readonly differences: readonly Difference[];
  readonly outputs: readonly OutputComparison[];
}

/** A phase in both runs. `null` if only one run has it. */
export interface PhaseComparison {
  readonly phase: string;
  readonly phases: Pair<ComparedPhase | null>;
  /** Empty if the phase went alike in both: same status, demands, decisions and outputs. Costs and times do not count. */
  readonly differences: readonly Difference[];
  readonly attempts: readonly AttemptComparison[];
  /** The committed outputs, otherwise those of the latest attempts. */
  readonly outputs: readonly OutputComparison[];
}

/** Two runs, compared. */
export interface RunComparison {
  readonly runs: Pair<ComparedRun>;
  /** True if both have the same plan, by its fingerprint. */
  readonly sameDefinition: boolean;
  /** `null` if that is unknown, as both are equal, and secrets in them are masked. */
  readonly sameInput: boolean | null;
  /** The number of first records that both have from the same run, as one is a fork of the other, or both are of a third; else 0. */
  readonly sharedRecords: number;
  /** Phases in the order of the first run's plan, then those that only the second has. */
  readonly phases: readonly PhaseComparison[];
}

/** Compares two runs. Takes time linear in their attempts and outputs. */
export function compareRuns(first: ComparedRun, second: ComparedRun): RunComparison {
  const sharedRecords = sharedBy(first, second);
  const names = new Set([...Object.keys(first.phases), ...Object.keys(second.phases)]);
  return {
    runs: [first, second],
    sameDefinition: first.fingerprint === second.fingerprint,
    sameInput: sameInput(first, second),
    sharedRecords,
    phases: [...names].map((name) => comparePhase(name, [phaseOf(first, name), phaseOf(second, name)], sharedRecords)),
  };
}

// --- internal ---

function sameInput(first: ComparedRun, second: ComparedRun): boolean | null {
  const isSame = isSameJson(first.input, second.input);
  return isSame && (first.isMasked || second.isMasked) ? null : isSame;
}

function sharedBy(first: ComparedRun, second: ComparedRun): number {
  if (first.fork?.of === second.runId) return first.fork.records;
  if (second.fork?.of === first.runId) return second.fork.records;
  if (first.fork === null || first.fork.of !== second.fork?.of) return 0;
  return Math.min(first.fork.records, second.fork.records);
}

function phaseOf({ phases }: ComparedRun, name: string): ComparedPhase | null {
  return ofName(phases, name) ?? null;
}

function comparePhase(phase: string, phases: PhaseComparison['phases'], shared: number): PhaseComparison {
  const [first, second] = phases;
  const most = Math.max(first?.attempts.length ?? 0, second?.attempts.length ?? 0);
  const attempts = Array.from({ length: most }, (_, index) =>
    compareAttempt(index + 1, [first?.attempts[index] ?? null, second?.attempts[index] ?? null], shared),
  );
  const outputs = compareOutputs(first?.outputs, second?.outputs);
  if (first === null || second === null) return { phase, phases, differences: ['presence'], attempts, outputs };
  const ofAttempts = new Set(attempts.flatMap(({ differences }) => differences));
  const differs: Readonly<Record<Difference, boolean>> = {
    presence: false,
    status: first.status !== second.status,
    attempts: first.attempts.length !== second.attempts.length,
    feedback: ofAttempts.has('feedback'),
    decisions: ofAttempts.has('decisions'),
    outputs: ofAttempts.has('outputs') || outputs.some(({ same }) => !same),
  };
  return { phase, phases, differences: DIFFERENCES.filter((one) => differs[one]), attempts, outputs };
}

const DIFFERENCES: readonly Difference[] = ['presence', 'status', 'attempts', 'feedback', 'decisions', 'outputs'];

function compareAttempt(number: number, attempts: AttemptComparison['attempts'], records: number): AttemptComparison {
  const [first, second] = attempts;
  const outputs = compareOutputs(first?.outputs, second?.outputs);
  if (first === null || second === null) return { number, attempts, shared: false, differences: ['presence'], outputs };
  const differs: Readonly<Record<Difference, boolean>> = {
    presence: false,
    status: first.end !== second.end,
    attempts: false,
    feedback: !isSameJson(first.revision, second.revision),
    decisions: !isSameJson(first.decisions.map(withoutPerson), second.decisions.map(withoutPerson)),
    outputs: outputs.some(({ same }) => !same),
  };
  const differences = DIFFERENCES.filter((one) => differs[one]);
  const shared = first.seq === second.seq && first.seq <= records && differences.length === 0;
  return { number, attempts, shared, differences, outputs };
}

/** Another person with the same decision makes no difference. */
function withoutPerson({ by, verdict, edited }: Attempt['decisions'][number]): unknown {
  return { by, verdict, edited };
}

function compareOutputs(first: Outputs = {}, second: Outputs = {}): readonly OutputComparison[] {
  const tasks = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...tasks].map((task) => {
    const values = [ofName(first, task), ofName(second, task)] as const;
    return { task, values, same: isSameJson(...values) };
  });
}
