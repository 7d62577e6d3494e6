/**
 * The pipelines whose runs the dashboard starts. A browser names one of them, and never a file.
 *
 * @module
 */
import { z } from 'zod';
import type { Pipeline } from '../model/definition/define.ts';
import { checkedTags } from '../model/events/run-tags.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { checkPipeline } from '../runtime/run.ts';
import type { UiPipeline } from './api.ts';

/** A pipeline whose runs the dashboard starts. */
export interface PipelineToStart {
  readonly pipeline: Pipeline<unknown, never> | Pipeline<unknown>;
  /** The file that it was loaded from. It is stored with each run, and read to resume it. @default none */
  readonly source?: string | undefined;
  /** The memory scope of its runs; `false` for no memory. @default false */
  readonly memory?: string | false | undefined;
  /** Tags of runs that are started without any. @default none */
  readonly tags?: readonly string[] | undefined;
  /** The command that works on its runs, for users who have no worker. @default none: the page names `createWorker` */
  readonly workCommand?: string | undefined;
}

/** A pipeline with its values for {@link PipelineToStart}. */
export interface KnownPipeline extends Omit<PipelineToStart, 'pipeline'> {
  readonly pipeline: Pipeline<unknown>;
}

/** The pipelines by name. */
export type KnownPipelines = ReadonlyMap<string, KnownPipeline>;

/** Reads the option `pipelines`. @throws PhasegateError `INPUT_INVALID` if two have one name; `DEFINITION_INVALID` if one is no pipeline; `TAG_INVALID`. */
export function knownPipelines(
  given: readonly (Pipeline<unknown, never> | Pipeline<unknown> | PipelineToStart)[],
): KnownPipelines {
  const known = new Map<string, KnownPipeline>();
  for (const one of given) {
    const { pipeline, ...rest } = 'pipeline' in one ? one : { pipeline: one };
    checkPipeline(pipeline);
    if (known.has(pipeline.name)) throw twice(pipeline.name);
    known.set(pipeline.name, { ...rest, tags: checkedTags(rest.tags), pipeline });
  }
  return known;
}

/** Describes the pipelines for the page, in the order in which they were given. */
export function listPipelines(known: KnownPipelines): readonly UiPipeline[] {
  return [...known.values()].map(({ pipeline: { name, plan, work }, tags, workCommand }) => ({
    name,
    phases: plan.phases.length,
    isChecked: work.input !== undefined,
    schema: work.input && jsonSchemaOf(work.input),
    tags,
    workCommand,
  }));
}

// --- internal ---

/** The JSON Schema of an input, as a help to write it; `undefined` if the schema cannot be expressed so. */
function jsonSchemaOf(schema: object): unknown {
  try {
    if (isZod(schema)) return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const standard: unknown = Reflect.get(schema, '~standard');
    const convert: unknown = Reflect.get(Object(Reflect.get(Object(standard), 'jsonSchema')), 'input');
    if (typeof convert !== 'function') return undefined;
    const json: unknown = Reflect.apply(convert, undefined, [{ target: 'draft-2020-12' }]);
    return json;
  } catch {
    return undefined;
  }
}

/** True for a schema of any copy of zod 4. */
function isZod(schema: object): schema is z.core.$ZodType {
  return '_zod' in schema;
}

function twice(name: string): PhasegateError {
  const problem = `Cannot start runs in the dashboard as two pipelines have one name: "${name}"`;
  return new PhasegateError('INPUT_INVALID', problem, { hint: 'Rename one, or leave one out.' });
}
