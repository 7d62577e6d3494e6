/**
 * Schemas with descriptions and defaults, which editors show.
 *
 * @module
 */
import type { z } from 'zod';

/** A description for every key of an object. */
export type Words<T> = Readonly<Record<keyof T, string>>;

/** Adds a description and a default to a schema. The default is documentation only. */
export function withDescription<S extends z.ZodType>(schema: S, description: string, byDefault?: unknown): S {
  return schema.meta({ description, ...(byDefault !== undefined && { default: byDefault }) });
}

/** Adds a description and a default to every schema of a shape. */
export function withDescriptions<S extends Readonly<Record<string, z.ZodType>>>(
  shape: S,
  words: Words<S>,
  defaults?: Readonly<Partial<Record<keyof S, unknown>>>,
): S {
  const made: Record<string, z.ZodType> = {};
  for (const [key, schema] of Object.entries(shape))
    made[key] = withDescription(schema, words[key] ?? '', defaults?.[key]);
  return { ...shape, ...made };
}
