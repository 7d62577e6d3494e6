/**
 * Validation of what a phase recalls: subscriptions that name no artifact upstream, and reflections that nothing writes.
 *
 * @module
 */
import type { AnyReview } from '../handlers/phase.ts';
import { readSubscription } from '../plan/artifact-subscription.ts';
import { reflects } from '../plan/policy.ts';
import { namesInOrder, reach, type Graph } from '../values/graph.ts';
import type { Problem } from './pipeline-invalid-error.ts';
import { reflectorOf, reviewOptions, type Definition } from './shorthand.ts';

/** Returns the problems of one phase. */
export function recallProblems(definition: Definition, graph: Graph, index: number): readonly Problem[] {
  const phase = definition.phases[index];
  if (!phase) return [];
  const { subscribe, review } = phase.options;
  // A function alone has no options.
  if (!subscribe && typeof review === 'function' && !needsReflector(definition)) return NO_PROBLEMS;
  const options = reviewOptions(review);
  return [
    ...(subscribe ?? []).flatMap((text, at) => subscriptionProblem(phase.name, text, graph, index, at)),
    ...(options
      ? [...reflectProblems(definition, phase.name, options, index), ...nameClash(phase, options, index)]
      : []),
  ];
}

/** True if each gate needs something that writes reflections. */
export function needsReflector({ policy }: Definition): boolean {
  return reflects(policy?.strategy ?? 'feedback');
}

// --- internal ---

/** Shared by all phases without problems: a list for each would fill the memory. */
const NO_PROBLEMS: readonly Problem[] = [];

function subscriptionProblem(name: string, text: string, graph: Graph, index: number, at: number): readonly Problem[] {
  const where = `phase "${name}"`;
  const path = ['phases', index, 'subscribe', at];
  const found = readSubscription(text, graph.names);
  if (!found) {
    const message = `it subscribes to ${JSON.stringify(text)}, which names no artifact of a phase of this pipeline`;
    return [{ code: 'PREDECESSOR_UNKNOWN', where, message, hint: 'Write "<phase>/<artifact>".', path }];
  }
  const upstream = namesInOrder(graph, reach(graph.before, index));
  if (found.phase === name || upstream.includes(found.phase)) return [];
  const message = `it subscribes to ${JSON.stringify(text)}, but "${found.phase}" is not upstream`;
  const hint = 'Subscribe to artifacts of the phase itself, or of phases that are approved before it starts.';
  return [{ code: 'NOT_UPSTREAM', where, message, hint, path }];
}

function reflectProblems(
  { policy }: Definition,
  name: string,
  { strategy = policy?.strategy ?? 'feedback', reflect }: AnyReview,
  index: number,
): readonly Problem[] {
  if (reflects(strategy) === (reflect !== undefined)) return [];
  const where = `phase "${name}", review`;
  const path = ['phases', index, 'review', reflect ? 'reflect' : 'strategy'];
  if (reflect) {
    const message = `it has \`reflect\`, but strategy "${strategy}" carries no reflections`;
    const hint = 'Set `strategy` to "reflexion" or "lastAttemptAndReflexion", or leave `reflect` out.';
    return [{ code: 'REFLECT_UNUSED', where, message, hint, path }];
  }
  const message = `strategy "${strategy}" carries reflections, but nothing writes them`;
  return [{ code: 'REFLECT_MISSING', where, message, hint: 'Give `reflect`, a function or a task.', path }];
}

/** Reports a reflect call with the name of a task: records identify both by name. */
function nameClash(
  { name, options }: Definition['phases'][number],
  review: AnyReview,
  index: number,
): readonly Problem[] {
  const reflector = reflectorOf(review);
  if (!reflector || !options.tasks.some((task) => task.name === reflector.name)) return [];
  const message = `the reflect call has the name of a task, "${reflector.name}"`;
  const path = ['phases', index, 'review', 'reflect'];
  return [
    { code: 'NAME_DUPLICATE', where: `phase "${name}", review`, message, hint: 'Give each a name of its own.', path },
  ];
}
