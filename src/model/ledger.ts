/**
 * Who may read what, at which version: the commits of a run.
 *
 * @module
 */
import { byName } from './by-name.ts';
import { reach, type Graph } from './graph.ts';
import { contentHash } from './content-hash.ts';
import type { Inputs, Outputs } from './task-types.ts';

/** The outputs of one approved generation of a phase. */
export interface Commit {
  /** 1 for the first. */
  readonly version: number;
  /** By task. */
  readonly outputs: Outputs;
  /** The version of each phase whose outputs it was made from. */
  readonly read: Readonly<Record<string, number>>;
  /** How many commits the run had made, this one included. */
  readonly time: number;
}

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
  asked: ReadonlySet<string>;
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
export function addCommit(ledger: Ledger, phase: string, outputs: Outputs, read: Commit['read']): Commit {
  const list = ledger.commits.get(phase);
  ledger.time += 1;
  const commit = { version: (list?.length ?? 0) + 1, outputs, read, time: ledger.time };
  if (list) list.push(commit);
  else ledger.commits.set(phase, [commit]);
  return commit;
}

/** Whether two versions of a phase have different content. */
export function differs(ledger: Ledger, phase: string, one: number, other: number): boolean {
  const list = ledger.commits.get(phase);
  return contentHash(list?.[one - 1]?.outputs) !== contentHash(list?.[other - 1]?.outputs);
}

/** Phases that may have read the outputs of a phase, in definition order: its direct successors, and those that have asked for it. */
export function readersOf({ graph, askers }: Ledger, phase: number): readonly number[] {
  const asked = askers.get(graph.names[phase] ?? '');
  const next = graph.next[phase] ?? [];
  return asked ? [...new Set([...next, ...asked])].toSorted((a, b) => a - b) : next;
}

/** What a phase that starts now sees. */
export function createView(ledger: Ledger, phase: number): View {
  const target: Target = {};
  const inputs = new Proxy<Inputs>(target, LOOK_UP);
  const view = { ledger, phase, time: ledger.time, inputs, asked: NOBODY, same: NOTHING, ancestors: undefined };
  // Configurable, or the proxy would have to list them among its keys.
  Object.defineProperty(target, VIEW, { value: view, configurable: true });
  Object.defineProperty(target, INSPECT, { value: show, configurable: true });
  return view;
}

/** The version of each direct predecessor, and of every other ancestor whose outputs were asked for. */
export function readOf(view: View): Readonly<Record<string, number>> {
  const { ledger, phase, asked, same } = view;
  const { graph } = ledger;
  const names = (graph.before[phase] ?? []).map((source) => graph.names[source] ?? '');
  const read = byName<number>();
  for (const name of asked.size === 0 ? names : [...names, ...asked]) {
    const commit = commitIn(view, name);
    if (commit) read[name] = same.get(name) ?? commit.version;
  }
  return read;
}

/** A phase counts as read from now on. */
export function ask(view: View, phase: string): void {
  view.asked = new Set([...view.asked, phase]);
  const { graph, askers, onAsk } = view.ledger;
  const isDirect = graph.before[view.phase]?.some((source) => graph.names[source] === phase);
  if (isDirect) return;
  const known = askers.get(phase);
  if (known) known.add(view.phase);
  else askers.set(phase, new Set([view.phase]));
  onAsk?.(view, phase);
}

/** A newer version of a phase says the same as the one that is seen here, and counts as the one that was read. */
export function acknowledge(view: View, phase: string, version: number): void {
  view.same = new Map([...view.same, [phase, version]]);
}

// --- internal ---

const VIEW = Symbol('view');
const INSPECT = Symbol.for('nodejs.util.inspect.custom');
const NOBODY: ReadonlySet<string> = new Set();
const NOTHING: ReadonlyMap<string, number> = new Map();

/** The target of a proxy: empty, but for the view that the proxy shows. */
interface Target extends Inputs {
  readonly [VIEW]?: View;
}

/** How the proxies look things up; one for all of them. */
const LOOK_UP: ProxyHandler<Target> = {
  get(target, key) {
    if (key === VIEW) return target[VIEW];
    // Writing the inputs down, as inspectors and stores do, is not reading them.
    if (key === 'toJSON' && !isAncestor(target[VIEW], key)) return () => everything(target[VIEW]);
    return outputsOf(target, key);
  },
  has: (target, key) => typeof key === 'string' && isAncestor(target[VIEW], key),
  ownKeys: (target) => ancestorNames(target[VIEW]),
  getOwnPropertyDescriptor(target, key) {
    const value = outputsOf(target, key);
    return value && { value, enumerable: true, configurable: true, writable: false };
  },
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
};

function outputsOf({ [VIEW]: view }: Target, key: string | symbol): Outputs | undefined {
  if (!view || typeof key === 'symbol' || !isAncestor(view, key)) return undefined;
  if (!view.asked.has(key)) ask(view, key);
  return commitIn(view, key)?.outputs;
}

/** What Node shows of a proxy when it is logged, as it would show the empty target otherwise. */
function show(this: Target): Inputs {
  return everything(this[VIEW]);
}

function everything(view: View | undefined): Inputs {
  return byName(ancestorNames(view).map((name) => [name, (view && commitIn(view, name)?.outputs) ?? {}]));
}

function commitIn({ ledger, time }: View, phase: string): Commit | undefined {
  const list = ledger.commits.get(phase);
  const last = list?.at(-1);
  return last && last.time > time ? list?.findLast((commit) => commit.time <= time) : last;
}

function isAncestor(view: View | undefined, name: string): boolean {
  const node = view?.ledger.graph.indexOf.get(name);
  if (!view || node === undefined) return false;
  return view.ledger.graph.before[view.phase]?.includes(node) === true || ancestorsOf(view).has(node);
}

function ancestorsOf(view: View): ReadonlySet<number> {
  view.ancestors ??= reach(view.ledger.graph.before, view.phase);
  return view.ancestors;
}

function ancestorNames(view: View | undefined): string[] {
  if (!view) return [];
  const { names } = view.ledger.graph;
  return [...ancestorsOf(view)].toSorted((a, b) => a - b).map((node) => names[node] ?? '');
}
