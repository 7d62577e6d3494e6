/**
 * Prompts of subtasks.
 *
 * @module
 */
import { subtaskDescription } from '../model/plan/level.ts';
import { cutList } from '../model/values/counts.ts';
import type { ArrangedPlan } from './arrange-plan.ts';
import type { IntegrationOutput } from './level-outputs.ts';
import type { Subtask } from './work-plan.ts';

/** Parts of the prompt of a subtask. */
export interface SubtaskBrief {
  readonly plan: Pick<ArrangedPlan, 'goal' | 'plan_markdown'>;
  readonly subtask: Subtask;
  /** The description of its task, with the review of an earlier attempt rendered in front. */
  readonly prompt: string;
  /** Facts about the repository, as sentences. */
  readonly notes: readonly string[];
  /** Paths in conflict with the other subtasks, whose work the folder has; empty if there is none. */
  readonly conflict: IntegrationOutput['conflicts'][number]['paths'];
  /** Commit of the attempt that is revised. */
  readonly earlier: string | undefined;
  /** True if the folder has the files of that attempt. */
  readonly isContinued: boolean;
}

/** Writes the prompt of one attempt of a subtask: the whole plan, the assignment, and the rules of the folder. */
export function subtaskPrompt(brief: SubtaskBrief): string {
  const { plan, subtask, prompt, notes, conflict } = brief;
  const { title, files_touched: files } = subtask;
  return [
    '## Overall Plan',
    planText(plan),
    '## Your Assignment',
    `You are executing subtask: ${title}`,
    ...workOf(prompt, subtask),
    'The codebase reflects work from prior phases.\nRead the relevant files to understand current state.',
    ...(conflict.length > 0 ? ['## Conflict', conflictText(conflict)] : []),
    '## Rules',
    [
      'Other subtasks may work at the same time, each in a folder of its own. Their changes are not in yours.',
      ...(files.length > 0 ? [`You are expected to change only these files: ${files.join(', ')}.`] : []),
      'Leave your changes as files in the working directory. Do not commit, push or stash.',
      ...earlierText(brief),
      ...notes,
    ]
      .map((rule) => `- ${rule}`)
      .join('\n'),
  ].join('\n\n');
}

/** The whole plan in words, for agents. */
export function planText({ goal, plan_markdown }: SubtaskBrief['plan']): string {
  return plan_markdown.trim() === '' ? goal : plan_markdown;
}

// --- internal ---

/** The work in words. The title, with which the description of a task begins, is there already; a review precedes it. */
function workOf(prompt: string, subtask: Subtask): readonly string[] {
  if (prompt !== subtaskDescription(subtask)) return [prompt];
  return subtask.description.trim() === '' ? [] : [subtask.description];
}

function earlierText({ earlier, isContinued }: SubtaskBrief): readonly string[] {
  if (earlier === undefined) return [];
  const commit = `Your earlier attempt is commit ${earlier}.`;
  return isContinued
    ? [`${commit} The working directory has it: change it as the review asks.`]
    : [`${commit} It is not in the working directory: see it with \`git show\`.`];
}

/** Most paths of a conflict in a prompt. */
const MOST_PATHS = 100;

function conflictText(paths: readonly string[]): string {
  const text =
    'Your earlier changes conflict with those of other subtasks, which the working directory now has. Make your changes again on top of them, in these files:';
  return [text, ...cutList(paths, MOST_PATHS)].join('\n- ');
}
