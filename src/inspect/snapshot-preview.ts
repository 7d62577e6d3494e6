/**
 * Previews of the values in an inspected run: plain JSON of bounded size, with obvious secrets masked.
 *
 * A run may have megabytes in its context, and XState reports the whole context at every transition.
 *
 * @module
 */
import { maskSecrets, SECRET_FIELD } from '../model/events/secrets.ts';
import { MASK } from '../model/values/known-secrets.ts';
import { isFields } from '../model/values/json.ts';

/** Copies any value into one that can be sent, and cuts what is too deep, wide or long. It never throws. */
export function previewOf(value: unknown): unknown {
  return copy(value, '', { depth: 0, budget: { left: MOST_IN_ALL } });
}

/**
 * Copies the snapshot of an actor, or the event that starts one. It shortens the plan of a pipeline to the names of its phases.
 * All snapshots of a pipeline have the plan, so whole plans would cost time quadratic in the number of phases.
 *
 * @param field The field of the snapshot or event that may have the plan.
 */
export function shownWithoutPlan(value: unknown, field: 'context' | 'input'): unknown {
  const plain = plainOf(value);
  const holder = isFields(plain) ? plain[field] : undefined;
  if (!isFields(plain) || !isFields(holder) || !isFields(holder['plan'])) return previewOf(plain);
  const { plan } = holder;
  const phases = Array.isArray(plan['phases']) ? plan['phases'].map(nameOf) : [];
  return previewOf({ ...plain, [field]: { ...holder, plan: { name: plan['name'], phases } } });
}

// --- internal ---

/** Nested levels of objects. The inspector itself shows no more. */
const DEEPEST = 10;

/** Items of a list, or fields of an object. */
const WIDEST = 100;

/** Characters of one text, and of all texts of one value. */
const LONGEST = 10_000;
const MOST_IN_ALL = 100_000;

/** Characters that are searched for secrets after the shown ones, as a secret that is cut may not be recognised. */
const BEYOND = 10_000;

interface Place {
  readonly depth: number;
  readonly budget: { left: number };
}

function copy(value: unknown, name: string, place: Place): unknown {
  if (typeof value === 'string') return copyText(value, name, place);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  try {
    const plain = plainOf(value);
    if (typeof plain !== 'object' || plain === null) return copy(plain, name, place);
    // An object costs a character, as shared parts are shown once for each reference.
    place.budget.left -= 1;
    const isCut = place.depth === DEEPEST || place.budget.left < 0;
    return isCut ? '[…]' : copyItems(plain, { ...place, depth: place.depth + 1 });
  } catch {
    return '[unreadable]';
  }
}

function copyItems(value: object, place: Place): unknown {
  if (value instanceof Error) return copyItems({ name: value.name, message: value.message }, place);
  if (Array.isArray(value)) {
    const items = value.slice(0, WIDEST).map((item: unknown) => copy(item, '', place));
    return value.length > WIDEST ? [...items, `[… ${value.length - WIDEST} more]`] : items;
  }
  const names = Object.keys(value);
  const fields = names.slice(0, WIDEST).map((name) => {
    place.budget.left -= name.length;
    return [name, copy(Reflect.get(value, name), name, place)] as const;
  });
  const rest = names.length > WIDEST ? [['…', `[${names.length - WIDEST} more]`] as const] : [];
  return Object.fromEntries([...fields, ...rest]);
}

function copyText(text: string, name: string, { budget }: Place): string {
  if (SECRET_FIELD.test(name)) return MASK;
  const room = Math.max(0, Math.min(LONGEST, budget.left));
  const masked = maskSecrets(text.slice(0, room + BEYOND));
  const kept = masked.slice(0, room);
  budget.left -= kept.length;
  const left = masked.length - kept.length + Math.max(0, text.length - room - BEYOND);
  return left > 0 ? `${kept}[… ${left} characters]` : kept;
}

/** Converts a value with its `toJSON`, which snapshots of XState and dates have. */
function plainOf(value: unknown): unknown {
  const toJson: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'toJSON') : undefined;
  return typeof toJson === 'function' ? Reflect.apply(toJson, value, []) : value;
}

function nameOf(phase: unknown): unknown {
  return isFields(phase) ? phase['name'] : undefined;
}
