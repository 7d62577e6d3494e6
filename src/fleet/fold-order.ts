/**
 * The order in which the work of subtasks is folded into one commit.
 *
 * @module
 */
import type { SubtaskOutput } from './level-outputs.ts';

/** Work of a subtask that waits to be folded. */
export interface FoldPart extends Pick<SubtaskOutput, 'commit' | 'contains'> {
  readonly name: string;
}

/**
 * Puts work after the work of others that its start has, and keeps the order otherwise. Changes on top of others then meet them, or a
 * later version of them.
 */
export function inFoldOrder<P extends FoldPart>(parts: readonly P[]): readonly P[] {
  const ordered: P[] = [];
  let waiting = parts;
  while (waiting.length > 0) {
    const left = waiting;
    // Two parts may each have an earlier version of the other. Then only the versions of now count.
    const next =
      left.find((part) => !left.some(({ name }) => Object.hasOwn(part.contains, name))) ??
      left.find((part) => !left.some(({ name, commit }) => part.contains[name] === commit)) ??
      left[0];
    if (next) ordered.push(next);
    waiting = left.filter((part) => part !== next);
  }
  return ordered;
}
