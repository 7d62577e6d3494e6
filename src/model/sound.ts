/**
 * The sound part of a definition that is not sound as a whole, so that its structure can be judged all the same.
 *
 * @module
 */
import type { z } from 'zod';
import type { Definition } from './definition.ts';
import type { PhaseSettings } from './phase-types.ts';

/**
 * What is left of a definition without the options that a schema refuses. Tasks that it refuses are replaced by one that
 * nothing can be said against; phases without a name are left out.
 *
 * @returns `undefined` where nothing is left.
 */
export function soundPart(definition: unknown, issues: readonly z.core.$ZodIssue[]): Definition | undefined {
  const phases = at(definition, 'phases');
  if (!Array.isArray(phases)) return undefined;
  const drafts = new Map<unknown, Draft>();
  for (const [index, phase] of phases.entries()) {
    const name = at(phase, 'name');
    const own = issues.filter(({ path }) => path[0] === 'phases' && path[1] === index);
    if (typeof name === 'string') drafts.set(phase, { name, options: soundOptions(at(phase, 'options'), own) });
  }
  // Phases that name each other by object have to name the same objects again.
  for (const { options } of drafts.values()) options.after = options.after?.map((one) => drafts.get(one) ?? one);
  const name = at(definition, 'name');
  const sound = phases.flatMap((phase) => drafts.get(phase) ?? []);
  if (sound.length === 0 && phases.length > 0) return undefined;
  return { name: typeof name === 'string' ? name : 'pipeline', phases: sound as unknown as Definition['phases'] };
}

// --- internal ---

interface Draft {
  readonly name: string;
  readonly options: { [option: string]: unknown; after?: readonly unknown[] | undefined };
}

const STAND_IN: PhaseSettings['tasks'] = [{ kind: 'task', name: 'task', options: { run: () => undefined } }];

function soundOptions(options: unknown, issues: readonly z.core.$ZodIssue[]): Draft['options'] {
  const whole = issues.some(({ path, code }) => path.length < 4 && code !== 'unrecognized_keys');
  if (whole || typeof options !== 'object' || options === null) return { tasks: STAND_IN };
  const refused = new Set(issues.map(({ path }) => String(path[3])));
  const sound = Object.fromEntries(Object.entries(options).filter(([key]) => !refused.has(key)));
  return refused.has('tasks') ? { ...sound, tasks: STAND_IN } : sound;
}

function at(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
