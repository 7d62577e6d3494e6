/**
 * The state of a fleet as a tree: a line for each phase, and one for each subtask of a phase with several.
 *
 * @module
 */
import type { RunSnapshot } from 'phasegate';
import type { ArrangedPlan, Subtask } from 'phasegate/fleet';

/** Draws the tree. @param commits The commits of each subtask, by id: one for each attempt in which it has worked. */
export function treeOf(
  { levels }: Pick<ArrangedPlan, 'levels'>,
  { phases }: Pick<RunSnapshot, 'phases'>,
  commits: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  return levels.flatMap((level, index) => {
    const { status = 'pending', attempts = 0, done = [] } = phases[`phase-${index + 1}`] ?? {};
    const isDone = ({ id }: Subtask) => status === 'approved' || done.includes(id);
    const phase = `Phase ${index + 1}: ${MARKS[status] ?? '●'}`;
    const [only] = level;
    if (level.length === 1 && only) return `${phase} ${only.title}`;
    return [
      `${phase} ${level.filter(isDone).length}/${level.length} subtasks complete${timesOf(attempts)}`,
      ...level.map((subtask, at) => {
        const mark = isDone(subtask) ? MARKS.approved : MARKS.pending;
        const branch = at === level.length - 1 ? '└──' : '├──';
        return `  ${branch} ${mark} ${subtask.title}${timesOf(commits.get(subtask.id)?.size ?? 0)}`;
      }),
    ];
  });
}

// --- internal ---

/** Marks of phases. Those of all other states are at work. */
const MARKS: { readonly approved: string; readonly pending: string; readonly [status: string]: string } = {
  approved: '✓',
  pending: '○',
  skipped: '○',
  rejected: '✗',
  failed: '✗',
  cancelled: '✗',
};

function timesOf(attempts: number): string {
  return attempts > 1 ? `, ${attempts} attempts` : '';
}
