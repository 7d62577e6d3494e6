/**
 * Who may read what, at which version: the commits of a run.
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
  /** Of phases of which not all was read, by name: the tasks whose outputs were. Absent where all counts as read. */
  readonly readTasks?: ReadTasks | undefined;
  /** How many commits the run had made, this one included. */
  readonly time: number;
}

/** Names of tasks whose outputs were read, by phase. */
export type ReadTasks = Readonly<Record<string, readonly string[]>>;

/** The commits of a run. It has one writer: the pipeline machine. */
export interface Ledger {
  readonly graph: Graph;
  /** The commits of each phase, oldest first. */
  readonly commits: Map<string, Commit[]>;
  /** Phases that have ever asked for the outputs of an ancestor that is no direct predecessor, by its name. */
  readonly askers: Map<string, Set<number>>;
  /** Commits so far. */
  time: number;
  /** Told when a view is asked for an ancestor that is no direct predecessor, once for each. */
  onAsk: ((view: View, ancestor: string) => void) | undefined;
}

/** What one start of a phase sees of its ancestors: the same versions to its end, whatever is committed meanwhile. */
export interface View {
  readonly ledger: Ledger;
  readonly phase: number;
  /** The last commit that it sees. */
  readonly time: number;
  /** A read-only proxy, by phase, then task. It looks a phase up when it is asked for it. */
  readonly inputs: Inputs;
  /** Names of phases whose outputs were asked for. */
  asked: Set<string>;
  /** Tasks whose outputs were read, by phase; not of phases with one task. */
  readonly tasks: Map<string, Set<string>>;
  /** Whether all of each phase counts as read, whatever else is known. */
  isWhole: boolean;
  /** What was shown so far, by phase. */
  readonly shown: Map<string, Outputs>;
  /** Newer versions of phases that say the same as the ones that are seen here. */
  same: ReadonlyMap<string, number>;
  /** Found when they are first needed: a long chain has very many. */
  ancestors: ReadonlySet<number> | undefined;
}

/** An empty ledger. */
export function createLedger(graph: Graph): Ledger {
  return { graph, commits: new Map(), askers: new Map(), time: 0, onAsk: undefined };
}

/** The latest commit of a phase. */
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

/** Whether two versions of a phase have different content. @param tasks Whose outputs count. @default all */
export function differs(ledger: Ledger, phase: string, one: number, other: number, tasks?: readonly string[]): boolean {
  const list = ledger.commits.get(phase);
  const [before, after] = [list?.[one - 1]?.outputs, list?.[other - 1]?.outputs];
  if (!tasks) return contentHash(before) !== contentHash(after);
  return tasks.some((task) => contentHash(before?.[task]) !== contentHash(after?.[task]));
}

/** Has a newer version of a phase count as the one that the latest commit of another was made from. */
export function countAsRead(ledger: Ledger, reader: string, phase: string, version: number): void {
  const list = ledger.commits.get(reader);
  const last = list?.at(-1);
  if (list && last) list[list.length - 1] = { ...last, read: { ...last.read, [phase]: version } };
}

/** Phases that may have read the outputs of a phase, in definition order: its direct successors, and those that have asked for it. */
export function readersOf({ graph, askers }: Ledger, phase: number): readonly number[] {
  const asked = askers.get(graph.names[phase] ?? '');
  const next = graph.next[phase] ?? [];
  return asked ? [...new Set([...next, ...asked])].toSorted((a, b) => a - b) : next;
}
