/**
 * The pipelines whose runs the dashboard starts. A browser names one of them, and never a file.
 *
 * @module
 */
import type { Pipeline } from '../model/definition/define.ts';
import { checkedTags } from '../model/events/run-tags.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { checkPipeline } from '../runtime/run.ts';
import type { UiPipeline } from './api.ts';
import { inputFieldsOf } from './input-fields.ts';
import { inputSchemaOf } from './input-schema.ts';

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
  /** The JSON Schema of the input, and the fields of its form, as far as there are some. */
  readonly input: Pick<UiPipeline, 'schema' | 'fields'>;
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
    known.set(pipeline.name, { ...rest, tags: checkedTags(rest.tags), input: inputOf(pipeline.work.input), pipeline });
  }
  return known;
}

/** Describes the pipelines for the page, in the order in which they were given. */
export function listPipelines(known: KnownPipelines): readonly UiPipeline[] {
  return [...known.values()].map(({ pipeline: { name, plan, work }, input, tags, workCommand }) => ({
    name,
    phases: plan.phases.length,
    isChecked: work.input !== undefined,
    ...input,
    tags,
    workCommand,
  }));
}

// --- internal ---

/** Describes the schema of an input once, as that may take long. */
function inputOf(schema: object | undefined): KnownPipeline['input'] {
  const json = schema && inputSchemaOf(schema);
  return { schema: json, fields: inputFieldsOf(json) };
}

function twice(name: string): PhasegateError {
  const problem = `Cannot start runs in the dashboard as two pipelines have one name: "${name}"`;
  return new PhasegateError('INPUT_INVALID', problem, { hint: 'Rename one, or leave one out.' });
}
