/**
 * Material that fits into a number of characters, with notes in place of omitted parts.
 *
 * @module
 */

import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/** Material for a model, by name. */
export type Material = Readonly<Record<string, unknown>>;

/** Fitted material. */
export interface Fitted {
  readonly material: Material;
  /** Characters of the whole material, as JSON. */
  readonly whole: number;
  /** Characters of the fitted material. */
  readonly shown: number;
}

/** Default for the most characters of material: some 75 000 tokens. */
export const MOST_MATERIAL = 300_000;

/**
 * Cuts long texts in the middle, then long lists and objects at the end, until the material fits.
 *
 * @param most Most characters, as JSON.
 * @param last Names that are cut only if cutting the others is not enough.
 */
export function fit(material: Material, most: number, last: readonly string[] = []): Fitted {
  const whole = sizeOf(material);
  if (whole <= most) return { material, whole, shown: whole };
  const names = Object.keys(material);
  const kept = pick(material, (name) => last.includes(name));
  const others = pick(material, (name) => !last.includes(name));
  const room = Math.max(most - sizeOf(kept), Math.floor(most / 4));
  const fewer = shrink(others, room);
  const cut = { ...fewer, ...shrink(kept, most - sizeOf(fewer)) };
  const shown = Object.fromEntries(names.flatMap((name) => (Object.hasOwn(cut, name) ? [[name, cut[name]]] : [])));
  return { material: shown, whole, shown: sizeOf(shown) };
}

/** @throws PhasegateError `DEFINITION_INVALID` if it is not a number from the smallest limit on. */
export function refuseMaterial(name: string, maxMaterial: unknown): void {
  if (typeof maxMaterial === 'number' && maxMaterial >= LEAST_MATERIAL) return;
  const found = `\`maxMaterial\` is ${String(maxMaterial)}, not a number from ${LEAST_MATERIAL}`;
  throw new PhasegateError('DEFINITION_INVALID', `Cannot let a model do "${name}" as ${found}`, {
    hint: 'Give it in characters, such as 100000; Infinity for no bound.',
  });
}

/** A sentence about omitted parts; empty if nothing is omitted. */
export function leftOut({ whole, shown }: Fitted): string {
  if (shown >= whole) return '';
  return `It has ${whole} characters, of which you are shown about ${shown}: "[… left out]" stands where something is left out.`;
}

// --- internal ---

/** With fewer characters there would be no room for the notes. */
const LEAST_MATERIAL = 1000;

/** Length to which texts are cut before lists are, in characters; and most items of a list that is not cut. */
const SHORTEST = 200;
const WIDEST = 4096;

function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

function pick(material: Material, isWanted: (name: string) => boolean): Material {
  return Object.fromEntries(Object.entries(material).filter(([name]) => isWanted(name)));
}

function shrink(material: Material, most: number): Material {
  if (sizeOf(material) <= most) return material;
  for (let longest = most, widest = WIDEST; widest >= 1;) {
    const cut = Object.fromEntries(
      Object.entries(material).map(([name, value]) => [name, copy(value, { longest, widest })]),
    );
    if (sizeOf(cut) <= most) return cut;
    if (longest > SHORTEST) longest = Math.max(SHORTEST, Math.floor(longest / 2));
    else widest = Math.floor(widest / 2);
  }
  const names = Object.keys(material);
  const each = Math.max(0, Math.floor(most / Math.max(1, names.length)) - 100);
  return Object.fromEntries(names.map((name) => [name, cutText(JSON.stringify(material[name]) ?? '', each)]));
}

interface Bounds {
  readonly longest: number;
  readonly widest: number;
}

function copy(value: unknown, bounds: Bounds): unknown {
  if (typeof value === 'string') return cutText(value, bounds.longest);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.slice(0, bounds.widest).map((item: unknown) => copy(item, bounds));
    return value.length > items.length ? [...items, `[… ${value.length - items.length} items left out]`] : items;
  }
  const fields = Object.entries(value);
  const some = fields.slice(0, bounds.widest).map(([name, field]) => [name, copy(field, bounds)] as const);
  const rest = fields.length - some.length;
  return Object.fromEntries(rest > 0 ? [...some, ['…', `[… ${rest} fields left out]`]] : some);
}

/** The beginning and the end of a text, as both together characterize it best. */
function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = wholePair(text, Math.ceil((longest * 2) / 3));
  const tail = wholePair(text, text.length - Math.floor(longest / 3));
  return `${text.slice(0, head)} [… ${tail - head} characters left out] ${text.slice(tail)}`;
}

/** The index, or the one before if it would split a surrogate pair. */
function wholePair(text: string, at: number): number {
  return /[\uD800-\uDBFF]/u.test(text[at - 1] ?? '') ? at - 1 : at;
}
