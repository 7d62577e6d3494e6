/**
 * Validation of a definition's shape, field by field, before anything is read from it.
 *
 * @module
 */
import { z } from 'zod';
import { errorInfo } from '../errors/phasegate-error.ts';
import { graphOf } from '../values/graph.ts';
import { problemsOf } from './field-problem.ts';
import type { Problem } from './pipeline-invalid-error.ts';
import { isListOf, isPlainPhase } from './plain-phase.ts';
import { phaseShape, pipelineShape } from './shapes.ts';
import { namesOf } from './shorthand.ts';
import { structureProblems } from './structure.ts';
import { validPart } from './valid-part.ts';

/**
 * Returns every field that has the wrong shape. If there are any, it adds the structural problems of the valid part, so that the
 * user sees everything at once.
 */
export function shapeProblems(definition: unknown): readonly Problem[] {
  try {
    if (quickShape.safeParse(definition).success) return [];
    const result = pipelineShape.safeParse(definition);
    if (result.success) return [];
    const problems = relevant(result.error.issues).flatMap((issue) => problemsOf(issue, definition, pipelineShape));
    const sound = validPart(definition, result.error.issues);
    const nodes = sound?.phases.map((one) => ({ name: one.name, after: namesOf(one.options.after) }));
    // Phases may have other numbers in the valid part, so their paths would be wrong.
    const more = sound && nodes ? structureProblems(sound, nodes, graphOf(nodes)) : [];
    return [...problems, ...more.map((problem) => ({ ...problem, path: undefined }))];
  } catch (thrown) {
    const message = `the definition throws when it is read: ${errorInfo(thrown).message}`;
    return [{ code: 'OPTION_INVALID', where: 'the pipeline', message, hint: 'Pass plain objects and lists.' }];
  }
}

// --- internal ---

/** Drops issues about the inside of values that are no phase or task at all. */
function relevant(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const others = issues.flatMap(({ path }) => (path.at(-1) === 'kind' ? [path.slice(0, -1)] : []));
  return issues.filter(
    ({ path }) => path.at(-1) === 'kind' || !others.some((other) => other.every((key, index) => path[index] === key)),
  );
}

/** Accepts what `pipelineShape` accepts, without an issue for each fault. */
const quickShape = pipelineShape.extend({
  phases: z.custom<unknown>((phases) =>
    isListOf(phases, (one) => isPlainPhase(one) || phaseShape.safeParse(one).success),
  ),
});
