/**
 * Prompt and revision of a task.
 *
 * @module
 */
import type { TaskRevision } from '../../model/handlers/task.ts';
import { gateDefaults } from '../../model/plan/policy.ts';
import { renderPrompt, SMALLEST_PROMPT } from '../../model/revision/prompt.ts';
import { recalledBy } from '../../model/revision/revision-extras.ts';
import { about } from './report-source.ts';
import type { Try } from './single-try.ts';

/** The changes that this try should make, with the task's own previous output; `undefined` on the first attempt. */
export function revisionOf({ trial: { scope, plan, role, recollection } }: Try): TaskRevision | undefined {
  const { revision, previous } = scope.input;
  if (!revision || role !== 'task') return revision;
  const previousOutput = previous?.[plan.name];
  const { artifacts: _, ...recalled } = recalledBy(recollection, plan.name);
  return { ...revision, ...(previousOutput !== undefined && { previousOutput }), ...recalled };
}

/** The description with the revision rendered in front. Warns if the prompt has grown too far. */
export function renderedPrompt({ trial: { scope, plan, role, recollection } }: Try): string {
  const { origin, revision, previous } = scope.input;
  if (role !== 'task') return plan.description;
  const style = origin.phase.gate ?? gateDefaults;
  const given = revision && { ...revision, ...recalledBy(recollection, plan.name) };
  const prompt = renderPrompt(plan.description, given, previous?.[plan.name], style);
  const most = style.maxPromptGrowth * Math.max(plan.description.length, SMALLEST_PROMPT);
  if (style.maxPromptGrowth > 0 && prompt.length > most) {
    const { phase, generation, attempt } = about(scope.input, plan);
    const message = `The prompt of task "${plan.name}" has grown from ${plan.description.length} to ${prompt.length} characters`;
    scope.report({ type: 'phase.warned', phase, generation, attempt, code: 'PROMPT_GREW', message });
  }
  return prompt;
}
