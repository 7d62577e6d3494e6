/**
 * The outputs of ancestors as one start of a phase sees them, and a log of the parts that it has read.
 *
 * @module
 */
import type { Inputs, Outputs } from '../handlers/task.ts';
import { byName, byRareName } from '../values/by-name.ts';
import { reach } from '../values/graph.ts';
import type { Commit, Ledger, ReadTasks, View } from './ledger.ts';
import { INSPECT, notedOutputs } from './tracked-outputs.ts';

/** Makes the view of a phase that starts now. */
export function createView(ledger: Ledger, phase: number): View {
  const target: Target = { [VIEW]: undefined, [INSPECT]: show };
  const inputs = new Proxy<Inputs>(target, LOOK_UP);
  const view: View = {
    ledger,
    phase,
    time: ledger.time,
    inputs,
    asked: NO_PHASES,
    tasks: undefined,
    isWhole: false,
    shown: undefined,
    same: NOTHING,
    ancestors: undefined,
  };
  target[VIEW] = view;
  return view;
}

/** Returns the inputs for a handler: if it serialises them, it has read all of them. Inputs that are not a view stay as they are. */
export function inputsForHandler(inputs: Inputs): Inputs {
  const view = (inputs as Target)[VIEW];
  if (!view) return inputs;
  const target: Target = { [VIEW]: view, [BY_HANDLER]: true, [INSPECT]: show };
  return new Proxy<Inputs>(target, LOOK_UP);
}

/** Returns the version of each direct predecessor, and of every other ancestor whose outputs were requested. */
export function readOf(view: View): Readonly<Record<string, number>> {
  const { ledger, phase, asked, same } = view;
  const { before, names } = ledger.graph;
  const read = byRareName<number>();
  function note(name: string): void {
    const commit = commitIn(view, name);
    if (commit) read[name] = same.get(name) ?? commit.version;
  }
  for (const source of before[phase] ?? []) note(names[source] ?? '');
  for (const name of asked) note(name);
  return read;
}

/**
 * Returns the tasks whose outputs were read, in the order of their phase, for phases that were read in part. A phase of which nothing
 * was read counts as read as a whole.
 *
 * @param isWhole Returns true if all of a phase always counts as read.
 */
export function readTasksOf(view: View, isWhole: (phase: string) => boolean): ReadTasks | undefined {
  if (view.isWhole || !view.tasks) return undefined;
  const some = [...view.tasks].flatMap(([phase, tasks]): [string, readonly string[]][] => {
    const all = Object.keys(commitIn(view, phase)?.outputs ?? {});
    return tasks.size === all.length || isWhole(phase) ? [] : [[phase, all.filter((task) => tasks.has(task))]];
  });
  return some.length === 0 ? undefined : byName(some);
}

/** Restores the recorded reads of tasks, as the handlers are not called again. */
export function restoreReadTasks(view: View, readTasks: ReadTasks = {}): void {
  const restored = Object.entries(readTasks).map(([phase, tasks]) => [phase, new Set(tasks)] as const);
  if (restored.length > 0) view.tasks = new Map(restored);
}

/** Marks a phase as read. */
export function ask(view: View, phase: string): void {
  if (view.asked === NO_PHASES) view.asked = new Set();
  view.asked.add(phase);
  const { graph, listener } = view.ledger;
  const isDirect = graph.before[view.phase]?.some((source) => graph.names[source] === phase);
  if (isDirect) return;
  const askers = (view.ledger.askers ??= new Map<string, Set<number>>());
  const known = askers.get(phase);
  if (known) known.add(view.phase);
  else askers.set(phase, new Set([view.phase]));
  listener?.asked(view, phase);
}

/** Records that a newer version of a phase has the same content as the version seen here, and counts as the version read. */
export function acknowledge(view: View, phase: string, version: number): void {
  view.same = new Map([...view.same, [phase, version]]);
}

// --- internal ---

const VIEW = Symbol('view');
const BY_HANDLER = Symbol('byHandler');
const NO_PHASES = new Set<string>();
const NOTHING: ReadonlyMap<string, number> = new Map();

/** The target of a proxy: empty, except for the view behind the proxy. */
interface Target extends Inputs {
  [VIEW]?: View | undefined;
  readonly [BY_HANDLER]?: true;
  readonly [INSPECT]?: (this: Target) => Inputs;
}

/** The handler of all proxies. */
const LOOK_UP: ProxyHandler<Target> = {
  get(target, key) {
    if (key === VIEW) return target[VIEW];
    if (key === BY_HANDLER) return target[BY_HANDLER];
    // Serialising the inputs, as inspectors and stores do, is not reading them. If a handler does it, it is.
    if (key === 'toJSON' && !isAncestor(target[VIEW], key)) return show.bind(target);
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
  const outputs = commitIn(view, key)?.outputs;
  if (!outputs || Object.keys(outputs).length < 2) return outputs;
  const known = view.shown?.get(key);
  if (known) return known;
  const tasks = view.tasks?.get(key) ?? new Set();
  const shown = notedOutputs(outputs, (task) => {
    if (tasks.size === 0) (view.tasks ??= new Map()).set(key, tasks);
    tasks.add(task);
  });
  (view.shown ??= new Map()).set(key, shown);
  return shown;
}

/** Returns all inputs, for JSON and for Node's inspection, which would otherwise show the empty target. */
function show(this: Target): Inputs {
  const view = this[VIEW];
  if (view && this[BY_HANDLER]) {
    view.isWhole = true;
    for (const name of ancestorNames(view)) if (!view.asked.has(name)) ask(view, name);
  }
  return everything(view);
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
