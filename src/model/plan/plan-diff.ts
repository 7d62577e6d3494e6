/**
 * The differences between two plans, in words.
 *
 * @module
 */
import { stringify } from 'safe-stable-stringify';
import { cutList } from '../values/counts.ts';
import type { PhasePlan, Plan } from './plan.ts';

/** Returns one line for each difference of a phase that has started; none if the phase is gone or equal. */
export function phaseChangesOf(before: Plan, after: Plan, begun: ReadonlySet<string>): readonly string[] {
  const now = new Map(after.phases.map((phase) => [phase.name, phase]));
  return before.phases.flatMap((was) => {
    if (!begun.has(was.name)) return [];
    const is = now.get(was.name);
    return is ? phaseChanges(was, is) : [`phase "${was.name}" is gone`];
  });
}

/** Returns one line for each difference; none if the plans are equal. */
export function planChanges(before: Plan, after: Plan): readonly string[] {
  const old = new Map(before.phases.map((phase) => [phase.name, phase]));
  const now = new Map(after.phases.map((phase) => [phase.name, phase]));
  const removed = before.phases.filter(({ name }) => !now.has(name));
  const changed = after.phases.flatMap((phase) => {
    const was = old.get(phase.name);
    return was ? phaseChanges(was, phase) : [`phase "${phase.name}" is new`];
  });
  const moved =
    removed.length === 0 && changed.length === 0 && old.size === now.size && differs(names(before), names(after))
      ? ['the phases are in another order']
      : [];
  const whole = SETTINGS.flatMap((key) => fieldChange(key, before[key], after[key]));
  return [...whole, ...removed.map(({ name }) => `phase "${name}" is gone`), ...changed, ...moved];
}

/** Returns differences as lines of a message. Of many, the first 20 are shown, as a plan may have thousands of phases. */
export function changeLines(changes: readonly string[]): string {
  return `\n  ${cutList(changes, MOST_SHOWN).join('\n  ')}`;
}

// --- internal ---

const MOST_SHOWN = 20;

const SETTINGS = [
  'name',
  'version',
  'concurrency',
  'onFailure',
  'onLimit',
  'limits',
  'inbox',
] as const satisfies readonly (keyof Plan)[];

function names({ phases }: Plan): readonly string[] {
  return phases.map(({ name }) => name);
}

function phaseChanges(before: PhasePlan, after: PhasePlan): readonly string[] {
  const where = `phase "${after.name}"`;
  const old = new Map(before.tasks.map((task) => [task.name, task]));
  const now = new Set(after.tasks.map(({ name }) => name));
  const tasks = after.tasks.flatMap((task) => {
    const was = old.get(task.name);
    if (!was) return [`${where}: task "${task.name}" is new`];
    return fieldChanges(`${where}: task "${task.name}": `, was, task);
  });
  const gone = before.tasks.filter(({ name }) => !now.has(name)).map(({ name }) => `${where}: task "${name}" is gone`);
  const gate =
    before.gate && after.gate
      ? fieldChanges(`${where}: review: `, before.gate, after.gate)
      : fieldChange(`${where}: review`, before.gate && 'a gate', after.gate && 'a gate');
  return [
    ...fieldChange(`${where}: after`, before.after, after.after),
    ...fieldChange(`${where}: mode`, before.mode, after.mode),
    ...fieldChange(`${where}: version`, before.version, after.version),
    ...fieldChange(`${where}: subscribe`, before.subscribe, after.subscribe),
    ...gone,
    ...tasks,
    ...gate,
  ];
}

function fieldChanges(where: string, before: object, after: object): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const was = new Map<string, unknown>(Object.entries(before));
  const is = new Map<string, unknown>(Object.entries(after));
  return [...keys].flatMap((key) => fieldChange(`${where}${key}`, was.get(key), is.get(key)));
}

function fieldChange(what: string, before: unknown, after: unknown): readonly string[] {
  return differs(before, after) ? [`${what}: ${shown(before)} → ${shown(after)}`] : [];
}

function differs(before: unknown, after: unknown): boolean {
  return stringify(before) !== stringify(after);
}

function shown(value: unknown): string {
  const text = stringify(value) ?? 'nothing';
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

const SHOWN = 120;
