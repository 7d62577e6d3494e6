/**
 * Validation with any Standard Schema (zod, valibot, arktype, ...).
 *
 * @module
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isFields } from './json.ts';

export type { StandardSchemaV1 } from '@standard-schema/spec';

/** The problems that a schema reports. */
export interface Refusal {
  /** One `path: message` line for each problem, in the schema's order. */
  readonly lines: readonly string[];
  /** First path segments of the problems; for input schemas, the names of phases. */
  readonly roots: readonly string[];
  /** The problems with their paths, in the schema's order. */
  readonly problems: readonly { readonly path: readonly string[]; readonly message: string }[];
}

/** A validated value, or the refusal. */
export type Checked =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly refusal: Refusal };

/** Validates a value. A schema that returns no result refuses it, too. Rejects only if the schema itself throws. */
export async function check(schema: StandardSchemaV1, value: unknown): Promise<Checked> {
  const result: StandardSchemaV1.Result<unknown> | undefined = await schema['~standard'].validate(value);
  const isResult = isFields(result);
  if (isResult && !result.issues) return { ok: true, value: result.value };
  const problems = problemsOf(isResult ? result.issues : [NO_RESULT]);
  return {
    ok: false,
    refusal: {
      lines: problems.map(({ path, message }) => `${path.join('.') || '(root)'}: ${message}`),
      roots: problems.flatMap(({ path }) => path[0] ?? []),
      problems,
    },
  };
}

/** True for anything that carries the Standard Schema interface. */
export function isSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard: unknown = Reflect.get(value, '~standard');
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}

// --- internal ---

const MALFORMED = { path: [], message: 'its schema has returned issues that cannot be read' };

const NO_RESULT = { message: 'its schema has returned neither a value nor issues' };

/** Reads the issues of a schema, which may be anything if it is written in JavaScript. */
function problemsOf(issues: unknown): Refusal['problems'] {
  try {
    if (!Array.isArray(issues)) return [MALFORMED];
    const list: readonly (StandardSchemaV1.Issue | null)[] = issues.length > 0 ? issues : [null];
    return list.map((issue) => ({
      path: (issue?.path ?? []).map(segmentName),
      message: String(issue?.message ?? 'no reason given'),
    }));
  } catch {
    return [MALFORMED];
  }
}

function segmentName(segment: PropertyKey | StandardSchemaV1.PathSegment): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}
