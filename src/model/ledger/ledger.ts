/**
 * The commits of a run, with their versions and the versions that they were made from.
 *
 * @module
 */
import type { Inputs, Outputs } from '../handlers/task.ts';
import { contentHash } from '../values/content-hash.ts';
import type { Graph } from '../values/graph.ts';

/** The outputs of one approved generation of a phase. */
export interface Commit {
  /** 1 for the first. */
  readonly version: number;
  /** By task. */
  readonly outputs: Outputs;
  /** The version of each phase whose outputs it was made from. */
  readonly read: Readonly<Record<string, number>>;
  /** Tasks whose outputs were read, for phases that were read in part. Absent if all count as read as a whole. */
  readonly readTasks?: ReadTasks | undefined;
  /** Number of commits of the run, this one included. */
  readonly time: number;
}

/** Names of tasks whose outputs were read, by phase. */
export type ReadTasks = Readonly<Record<string, readonly string[]>>;

/** The commits of a run. It has one writer: the pipeline machine. */
export interface Ledger {
  readonly graph: Graph;
  /** The commits of each phase, oldest first. */
  readonly commits: Map<string, Commit[]>;
  /** Phases that have requested the outputs of an ancestor that is no direct predecessor, by the name of that ancestor. */
  askers: Map<string, Set<number>> | undefined;
  /** Commits so far. */
  time: number;
  listener: LedgerListener | undefined;
}

/** Listens to the views of a ledger. */
export interface LedgerListener {
  /** Called when a view requests an ancestor that is no direct predecessor, once for each. */
  asked(view: View, ancestor: string): void;
}

/** The ancestors' outputs that one start of a phase sees: the same versions to its end, whatever is committed meanwhile. */
export interface View {
  readonly ledger: Ledger;
  readonly phase: number;
  /** The last commit that it sees. */
  readonly time: number;
  /** A read-only proxy, by phase, then task. It looks a phase up on access. */
  readonly inputs: Inputs;
  /** Names of phases whose outputs were requested. */
  asked: Set<string>;
  /** Tasks whose outputs were read, by phase; not of phases with one task. Created with the first. */
  tasks: Map<string, Set<string>> | undefined;
  /** True if every phase counts as read as a whole. */
  isWhole: boolean;
  /** Outputs that were already wrapped, by phase. Created with the first. */
  shown: Map<string, Outputs> | undefined;
  /** Newer versions of phases with the same content as those that are seen here. */
  same: ReadonlyMap<string, number>;
  /** Computed on first use: a long chain has very many. */
  ancestors: ReadonlySet<number> | undefined;
}

/** Makes an empty ledger. */
export function createLedger(graph: Graph): Ledger {
  return { graph, commits: new Map(), askers: undefined, time: 0, listener: undefined };
}

/** Returns the latest commit of a phase. */
export function currentCommit(ledger: Ledger, phase: string): Commit | undefined {
  return ledger.commits.get(phase)?.at(-1);
}

/** Commits the outputs of a phase as its next version. */
export function addCommit(
  ledger: Ledger,
  phase: string,
  outputs: Outputs,
  read: Commit['read'],
  readTasks?: ReadTasks,
): Commit {
  const list = ledger.commits.get(phase);
  ledger.time += 1;
  const commit = { version: (list?.length ?? 0) + 1, outputs, read, readTasks, time: ledger.time };
  if (list) list.push(commit);
  else ledger.commits.set(phase, [commit]);
  return commit;
}

/** True if two versions of a phase have different content. @param tasks Tasks whose outputs are compared. @default all */
export function differs(ledger: Ledger, phase: string, one: number, other: number, tasks?: readonly string[]): boolean {
  const list = ledger.commits.get(phase);
  const [before, after] = [list?.[one - 1]?.outputs, list?.[other - 1]?.outputs];
  if (!tasks) return contentHash(before) !== contentHash(after);
  return tasks.some((task) => contentHash(before?.[task]) !== contentHash(after?.[task]));
}

/** Marks a newer version of a phase as the one that the latest commit of a reader was made from. */
export function countAsRead(ledger: Ledger, reader: string, phase: string, version: number): void {
  const list = ledger.commits.get(reader);
  const last = list?.at(-1);
  if (list && last) list[list.length - 1] = { ...last, read: { ...last.read, [phase]: version } };
}

/** Returns phases that may have read a phase's outputs, in definition order: its direct successors, and those that have requested it. */
export function readersOf({ graph, askers }: Ledger, phase: number): readonly number[] {
  const asked = askers?.get(graph.names[phase] ?? '');
  const next = graph.next[phase] ?? [];
  return asked ? [...new Set([...next, ...asked])].toSorted((a, b) => a - b) : next;
}
