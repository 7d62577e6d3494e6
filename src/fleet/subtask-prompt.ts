/**
 * Prompts of subtasks.
 *
 * @module
 */
import type { ArrangedPlan } from './arrange-plan.ts';
import type { IntegrationOutput } from './level-outputs.ts';
import type { Subtask } from './work-plan.ts';

/** Parts of the prompt of a subtask. */
export interface SubtaskBrief {
  readonly plan: Pick<ArrangedPlan, 'goal' | 'plan_markdown'>;
  readonly subtask: Subtask;
  /** The description of the subtask, with the review of an earlier attempt rendered in front. */
  readonly prompt: string;
  /** Facts about the repository, as sentences. */
  readonly notes: readonly string[];
  /** Paths in conflict with the other subtasks, whose work the folder has; empty if there is none. */
  readonly conflict: IntegrationOutput['conflicts'][number]['paths'];
  /** Commit of the attempt that is revised. */
  readonly earlier: string | undefined;
}

/** The description of a task, on which its reviews are rendered. */
export function descriptionOf({ title, description }: Subtask): string {
  return description.trim() === '' ? title : description;
}

/** Writes the prompt of one attempt of a subtask: the whole plan, the assignment, and the rules of the folder. */
export function subtaskPrompt({ plan, subtask, prompt, notes, conflict, earlier }: SubtaskBrief): string {
  const { title, files_touched: files } = subtask;
  return [
    '## Overall Plan',
    plan.plan_markdown.trim() === '' ? plan.goal : plan.plan_markdown,
    '## Your Assignment',
    `You are executing subtask: ${title}`,
    prompt,
    'The codebase reflects work from prior phases.\nRead the relevant files to understand current state.',
    ...(conflict.length > 0 ? ['## Conflict', conflictText(conflict)] : []),
    '## Rules',
    [
      'Other subtasks may work at the same time, each in a folder of its own. Their changes are not in yours.',
      ...(files.length > 0 ? [`You are expected to change only these files: ${files.join(', ')}.`] : []),
      'Leave your changes as files in the working directory. Do not commit, push or stash.',
      ...(earlier === undefined
        ? []
        : [`Your earlier attempt is commit ${earlier}. It is not in the working directory: see it with \`git show\`.`]),
      ...notes,
    ]
      .map((rule) => `- ${rule}`)
      .join('\n'),
  ].join('\n\n');
}

// --- internal ---

/** Most paths of a conflict in a prompt. */
const MOST_PATHS = 100;

function conflictText(paths: readonly string[]): string {
  const more = paths.length > MOST_PATHS ? [`- and ${paths.length - MOST_PATHS} more`] : [];
  const lines = paths.slice(0, MOST_PATHS).map((path) => `- ${path}`);
  const text =
    'Your earlier changes conflict with those of other subtasks, which the working directory now has. Make your changes again on top of them, in these files:';
  return [text, ...lines, ...more].join('\n');
}
