/**
 * The state of a fleet as a tree: a line for each phase, and one for each subtask of a phase with several.
 *
 * @module
 */
import type { LevelView, WorkStatus } from 'phasegate/records';

/** Draws the tree. */
export function treeOf(levels: readonly LevelView[]): readonly string[] {
  return levels.flatMap(({ phaseIndex, status, attempt, subtasks }) => {
    const phase = `Phase ${phaseIndex + 1}: ${MARKS[status]}`;
    const [only] = subtasks;
    if (subtasks.length === 1 && only) return `${phase} ${only.title}`;
    const done = subtasks.filter((subtask) => subtask.status === 'completed').length;
    return [
      `${phase} ${done}/${subtasks.length} subtasks complete${timesOf(attempt)}`,
      ...subtasks.map((subtask, at) => {
        const branch = at === subtasks.length - 1 ? '└──' : '├──';
        return `  ${branch} ${MARKS[subtask.status]} ${subtask.title}${timesOf(subtask.attempt)}`;
      }),
    ];
  });
}

// --- internal ---

const MARKS: Readonly<Record<WorkStatus, string>> = {
  pending: '○',
  running: '●',
  retrying: '↻',
  completed: '✓',
  failed: '✗',
};

function timesOf(attempts: number): string {
  return attempts > 1 ? `, ${attempts} attempts` : '';
}
