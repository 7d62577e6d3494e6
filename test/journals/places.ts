/**
 * Places of the record schema: which there are, and which an event has.
 *
 * @module
 */
import { z } from 'zod';
import { runEventSchema, type RunEvent } from '../../src/records.ts';

/**
 * Each type of event, each field of it, and each value of a closed list: `limit.reached`, `limit.reached.limit`,
 * `limit.reached.limit=tokens`. Fields of objects in a field are places of their own, down to the second level.
 */
export function placesOfSchema(): ReadonlySet<string> {
  const places = new Set<string>();
  for (const branch of branchesOf(z.toJSONSchema(runEventSchema, { unrepresentable: 'any' }) as Shape)) {
    const type = String(branch.properties?.['type']?.const);
    places.add(type);
    addPlaces(places, branch, type, LEVELS);
  }
  return places;
}

/** The places of an event. */
export function placesOf(event: RunEvent): ReadonlySet<string> {
  const places = new Set<string>([event.type]);
  addFound(places, event, event.type, LEVELS);
  return places;
}

// --- internal ---

const LEVELS = 2;

/** The part of JSON Schema that the schema of events is made of. */
interface Shape {
  readonly oneOf?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** A shape, or those that it is one of. */
function branchesOf(shape: Shape): readonly Shape[] {
  const among = shape.oneOf ?? shape.anyOf;
  return among ? among.flatMap((one) => branchesOf(one)) : [shape];
}

function addPlaces(places: Set<string>, shape: Shape, path: string, levels: number): void {
  for (const branch of branchesOf(shape)) {
    for (const value of branch.enum ?? (typeof branch.const === 'string' ? [branch.const] : []))
      places.add(`${path}=${String(value)}`);
    if (branch.items) addPlaces(places, branch.items, path, levels);
    if (levels === 0) continue;
    for (const [name, field] of Object.entries(branch.properties ?? {})) {
      if (name === 'type' && levels === LEVELS) continue;
      places.add(`${path}.${name}`);
      addPlaces(places, field, `${path}.${name}`, levels - 1);
    }
  }
}

function addFound(places: Set<string>, value: unknown, path: string, levels: number): void {
  if (typeof value === 'string') places.add(`${path}=${value}`);
  else if (Array.isArray(value)) for (const item of value) addFound(places, item, path, levels);
  else if (typeof value === 'object' && value !== null && levels > 0) {
    for (const [name, field] of Object.entries(value)) {
      places.add(`${path}.${name}`);
      addFound(places, field, `${path}.${name}`, levels - 1);
    }
  }
}
