/**
 * Schemas with the words that editors show.
 *
 * @module
 */
import type { z } from 'zod';

/** A description for every option of something. */
export type Words<T> = Readonly<Record<keyof T, string>>;

/** Gives a schema its description, and the default of what it is a schema of. */
export function told<S extends z.ZodType>(schema: S, description: string, byDefault?: unknown): S {
  return schema.meta({ description, ...(byDefault !== undefined && { default: byDefault }) });
}

/** Gives every schema of a shape its description and its default. */
export function toldEach<S extends Readonly<Record<string, z.ZodType>>>(
  shape: S,
  words: Words<S>,
  defaults?: Readonly<Partial<Record<keyof S, unknown>>>,
): S {
  const made: Record<string, z.ZodType> = {};
  for (const [key, schema] of Object.entries(shape)) made[key] = told(schema, words[key] ?? '', defaults?.[key]);
  return { ...shape, ...made };
}
