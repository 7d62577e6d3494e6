/**
 * Who may read what, at which version: the commits of a run.
 *
 * @module
 */
import { byName } from './by-name.ts';
import { reach, type Graph } from './graph.ts';
import { contentHash } from './plan.ts';
import type { Inputs, Outputs } from './task-types.ts';

/** The outputs of one approved generation of a phase. */
export interface Commit {
  /** 1 for the first. */
  readonly version: number;
  /** By task. */
  readonly outputs: Outputs;
  /** The version of each phase whose outputs it was made from. */
  readonly read: Readonly<Record<string, number>>;
}

/** What one start of a phase sees of its ancestors: the same versions to its end, whatever is committed meanwhile. */
export interface View {
  /** A read-only proxy, by phase, then task. It looks a phase up when it is asked for it. */
  readonly inputs: Inputs;
  /** The version of each direct predecessor, and of every other ancestor whose outputs were asked for. */
  read(): Readonly<Record<string, number>>;
  /** A newer version of a phase says the same as the one that is seen here, and counts as the one that was read. */
  acknowledge(phase: string, version: number): void;
}

/** The commits of a run. It has one writer: the pipeline machine. */
export interface Ledger {
  /** The latest commit of a phase. */
  current(phase: string): Commit | undefined;
  /** Commits the outputs of a phase as its next version. */
  commit(phase: string, outputs: Outputs, read: Commit['read']): Commit;
  /** What a phase that starts now sees. */
  view(phase: string): View;
  /** Whether two versions of a phase have different content. */
  differs(phase: string, one: number, other: number): boolean;
}

/** An empty ledger. */
export function createLedger(graph: Graph): Ledger {
  const commits = new Map<string, Entry[]>();
  let clock = 0;

  function at(phase: string, time: number): Entry | undefined {
    return commits.get(phase)?.findLast((entry) => entry.time <= time);
  }

  return {
    current: (phase) => commits.get(phase)?.at(-1)?.commit,
    commit(phase, outputs, read) {
      const list = commits.get(phase) ?? [];
      const commit = { version: list.length + 1, outputs, read };
      clock += 1;
      list.push({ time: clock, commit });
      commits.set(phase, list);
      return commit;
    },
    view: (phase) => createView(graph, graph.indexOf.get(phase) ?? -1, clock, at),
    differs(phase, one, other) {
      const list = commits.get(phase);
      return contentHash(list?.[one - 1]?.commit.outputs) !== contentHash(list?.[other - 1]?.commit.outputs);
    },
  };
}

// --- internal ---

interface Entry {
  readonly time: number;
  readonly commit: Commit;
}

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

function createView(
  graph: Graph,
  index: number,
  time: number,
  at: (phase: string, time: number) => Entry | undefined,
): View {
  const sources = graph.before[index] ?? [];
  const asked = new Set<string>();
  const same = new Map<string, number>();
  let ancestors: ReadonlySet<number> | undefined;

  function isAncestor(name: string): boolean {
    const node = graph.indexOf.get(name);
    if (node === undefined) return false;
    if (sources.includes(node)) return true;
    ancestors ??= reach(graph.before, index);
    return ancestors.has(node);
  }

  function outputsOf(key: string | symbol): Outputs | undefined {
    if (typeof key === 'symbol' || !isAncestor(key)) return undefined;
    asked.add(key);
    return at(key, time)?.commit.outputs;
  }

  function names(): string[] {
    ancestors ??= reach(graph.before, index);
    return [...ancestors].toSorted((a, b) => a - b).map((node) => graph.names[node] ?? '');
  }

  // Logging shows the target of a proxy, so the target knows how to show what the proxy stands for.
  // Configurable, or the proxy would have to list it among its keys.
  const show = () => byName(names().map((name) => [name, at(name, time)?.commit.outputs]));
  const target = Object.defineProperty<Inputs>({}, INSPECT, { configurable: true, value: show });
  const inputs = new Proxy(target, {
    get: (_, key) => outputsOf(key),
    has: (_, key) => typeof key === 'string' && isAncestor(key),
    ownKeys: names,
    getOwnPropertyDescriptor(_, key) {
      const value = outputsOf(key);
      return value && { value, enumerable: true, configurable: true, writable: false };
    },
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  });
  return {
    inputs,
    read() {
      const read = byName<number>();
      for (const name of [...sources.map((source) => graph.names[source] ?? ''), ...asked]) {
        const entry = at(name, time);
        if (entry) read[name] = same.get(name) ?? entry.commit.version;
      }
      return read;
    },
    acknowledge: (phase, version) => void same.set(phase, version),
  };
}
