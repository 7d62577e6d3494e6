/**
 * The valid part of an invalid definition, so that its structure can be validated as well.
 *
 * @module
 */
import type { z } from 'zod';
import type { PhaseSettings } from '../handlers/phase.ts';
import { policySchema } from '../plan/policy-schema.ts';
import type { Definition } from './shorthand.ts';

/**
 * Removes the options that a schema refuses. Refused tasks are replaced by a valid stand-in; phases without a name are left out.
 *
 * @returns `undefined` if nothing is left.
 */
export function validPart(definition: unknown, issues: readonly z.core.$ZodIssue[]): Definition | undefined {
  const phases = at(definition, 'phases');
  if (!Array.isArray(phases)) return undefined;
  const drafts = new Map<unknown, Draft>();
  for (const [index, phase] of phases.entries()) {
    const name = at(phase, 'name');
    const own = refusedIn(issues, ['phases', index]);
    if (typeof name === 'string') drafts.set(phase, { name, options: soundPhase(at(phase, 'options'), own) });
  }
  // Phases that name each other by object must name the copies.
  for (const { options } of drafts.values()) options.after = options.after?.map((one) => drafts.get(one) ?? one);
  const sound = phases.flatMap((phase) => drafts.get(phase) ?? []).filter(isPhase);
  const name = at(definition, 'name');
  return sound.length === 0 && phases.length > 0
    ? undefined
    : {
        name: typeof name === 'string' ? name : 'pipeline',
        phases: sound,
        policy: policyOf(definition),
      };
}

// --- internal ---

/** Issues about one part, by their path from there. `unknown` is true if the option is not known. */
type Refused = readonly { readonly path: readonly PropertyKey[]; readonly unknown: boolean }[];

interface Options {
  [option: string]: unknown;
  after?: readonly unknown[] | undefined;
}

interface Draft {
  readonly name: string;
  readonly options: Options;
}

function refusedIn(issues: readonly z.core.$ZodIssue[], part: readonly PropertyKey[]): Refused {
  return issues
    .filter(({ path }) => part.every((key, index) => path[index] === key))
    .map(({ path, code }) => ({ path: path.slice(part.length), unknown: code === 'unrecognized_keys' }));
}

function soundPhase(options: unknown, refused: Refused): Options {
  const { tasks: sound, ...others } = soundOptions(options, refused) ?? { tasks: [STAND_IN] };
  const given = at(options, 'tasks');
  if (sound !== undefined || given === undefined || given === null) return { ...others, tasks: sound ?? [] };
  const tasks = Array.isArray(given)
    ? given.flatMap((task, index) => soundTask(task, within(refused, ['options', 'tasks', index])))
    : [];
  return { ...others, tasks: tasks.length > 0 ? tasks : [STAND_IN] };
}

const STAND_IN = { kind: 'task', name: 'task', options: { run: () => undefined } };

function soundTask(task: unknown, refused: Refused): readonly unknown[] {
  const name = at(task, 'name');
  const options = soundOptions(at(task, 'options'), refused);
  return typeof name === 'string' && options ? [{ kind: 'task', name, options }] : [];
}

/** Returns the options without the refused ones; `undefined` if the options as a whole are refused. */
function soundOptions(options: unknown, refused: Refused): Options | undefined {
  if (refused.some(({ path, unknown }) => path.length < 2 && !unknown)) return undefined;
  if (typeof options !== 'object' || options === null) return undefined;
  const keys = new Set(refused.map(({ path }) => path[1]));
  return Object.fromEntries(Object.entries(options).filter(([key]) => !keys.has(key)));
}

function within(refused: Refused, part: readonly PropertyKey[]): Refused {
  return refused
    .filter(({ path }) => part.every((key, index) => path[index] === key))
    .map((one) => ({ ...one, path: one.path.slice(part.length) }));
}

function policyOf(definition: unknown): Definition['policy'] {
  return policySchema.safeParse(at(definition, 'policy')).data;
}

function isPhase(draft: Draft): draft is Draft & { readonly options: PhaseSettings } {
  return Array.isArray(draft.options['tasks']);
}

function at(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
