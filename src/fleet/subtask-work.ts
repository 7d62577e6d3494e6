/**
 * The work of one subtask: an agent in a workspace, and the commit that it makes.
 *
 * @module
 */
import type { Agent } from '../agents/agent.ts';
import { takeTurn } from '../agents/work/take-turn.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { personOf } from '../model/handlers/person.ts';
import type { TaskContext } from '../model/handlers/task.ts';
import { OWN_TASKS } from '../model/plan/level.ts';
import { elided } from '../model/values/text-limits.ts';
import type { AttemptPlace, Snapshot, Workspace } from '../workspaces/port.ts';
import type { ArrangedPlan } from './arrange-plan.ts';
import { approvedSubtask } from './approved-work.ts';
import type { FleetOptions } from './fleet-options.ts';
import {
  earlierSubtask,
  fittingChange,
  integrationBefore,
  readBase,
  type IntegrationOutput,
  type SubtaskOutput,
} from './level-outputs.ts';
import type { Slots } from '../actors/work/slots.ts';
import { subtaskPrompt } from './subtask-prompt.ts';
import { isExpected } from './touched-paths.ts';
import type { Subtask } from './work-plan.ts';

/** A subtask, and what it needs for its work. */
export interface SubtaskSetting {
  readonly options: FleetOptions;
  readonly plan: ArrangedPlan;
  readonly subtask: Subtask;
  readonly agent: Agent;
  readonly slots: Slots;
  /** Folders that are opened later. @default 0 */
  readonly ahead?: number | undefined;
}

/** Milliseconds for an agent to do a subtask: one hour. */
export const SUBTASK_TIMEOUT = 3_600_000;

/** The place of the work of a task, for its refs and folders. */
export function placeOf(
  { run, phase, generation, attempt, task, idempotencyKey: key }: TaskContext,
  { branch }: Pick<FleetOptions, 'branch'>,
): AttemptPlace {
  return { run: branch ?? run, phase, generation, attempt, task, key };
}

/**
 * Does a subtask. It keeps the work of an earlier attempt if the review names other subtasks only, and does nothing again whose commit
 * is kept.
 */
export async function doSubtask(setting: SubtaskSetting, context: TaskContext): Promise<SubtaskOutput> {
  const { options, subtask } = setting;
  const { workspace } = options;
  const { base, notes } = readBase(context.context[OWN_TASKS.base]);
  const previous = earlierSubtask(context.revision?.previousOutput);
  const known = previous?.base === base ? previous : undefined;
  const merged = integrationBefore(context, base);
  if (known && !hasToWork(setting, context, merged)) return known;
  const place = placeOf(context, options);
  const kept = await workspace.kept(place, context.signal);
  const conflict = merged?.conflicts.find(({ name }) => name === subtask.id)?.paths ?? [];
  const start = startOf(base, known, conflict.length > 0 ? merged : undefined);
  if (kept) return outputOf(setting, kept, start, '', known);
  // Approved work is done again only if a review asks for it.
  const approved = context.revision ? undefined : await approvedSubtask(options, subtask, base, context);
  if (approved) return outputOf(setting, approved, start, '', known);
  const files = options.rework === 'continue' && conflict.length === 0 ? known?.commit : undefined;
  return setting.slots.use(context.signal, async () => {
    const opened = await workspace.open(place, {
      base: start.start,
      files,
      ahead: setting.ahead,
      signal: context.signal,
    });
    try {
      const said = [...notes, ...opened.notes.map(({ text }) => text)];
      const prompt = subtaskPrompt({
        plan: setting.plan,
        subtask,
        prompt: context.prompt,
        notes: said,
        conflict,
        earlier: previous?.commit,
        isContinued: files !== undefined,
      });
      const text = await agentTurn(setting, opened, prompt, context);
      const snapshot = await opened.keep({ title: subtask.title, signal: context.signal });
      return outputOf(setting, snapshot, start, text, known);
    } finally {
      await opened.close();
    }
  });
}

// --- internal ---

/** Milliseconds; Node fires longer timers at once. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** Most files of a subtask in its output. Its commit has all. */
const MOST_FILES = 200;
/** Most characters of an agent's last words in the output. */
const MOST_SUMMARY = 4000;

/** The part of an output that is known before the work. */
type Start = Pick<SubtaskOutput, 'base' | 'start' | 'contains'>;

/** A rework starts as the earlier attempt did. After a conflict, it starts with the work of the others. */
function startOf(base: string, known: SubtaskOutput | undefined, merged: IntegrationOutput | undefined): Start {
  if (!merged) return { base, start: known?.start ?? base, contains: known?.contains ?? {} };
  const left = new Set(merged.conflicts.map(({ name }) => name));
  const contains = Object.fromEntries(Object.entries(merged.parts).filter(([name]) => !left.has(name)));
  return { base, start: merged.commit, contains };
}

/** True if a subtask has to work again, although it has work on the same base. */
function hasToWork(
  { options, plan, subtask }: SubtaskSetting,
  { phase, revision }: TaskContext,
  merged: IntegrationOutput | undefined,
): boolean {
  const conflicting = merged?.conflicts ?? [];
  if (conflicting.length > 0 && options.conflicts !== 'review') {
    if (conflicting.some(({ name }) => name === subtask.id)) return true;
    // If a check has failed as well, or somebody has demanded something, the conflict is not all that there is to do.
    if (revision?.requiredChange === fittingChange(conflicting) && (revision.issues ?? []).length === 0) return false;
  }
  const ids = new Set(plan.subtasks.map(({ id }) => id));
  const named = (revision?.issues ?? []).filter(({ affectedPhase = phase }) => affectedPhase === phase);
  const ofSubtasks = named.flatMap(({ affectedTask }) =>
    affectedTask !== undefined && ids.has(affectedTask) ? affectedTask : [],
  );
  // An issue that names no subtask may be about any of them.
  return ofSubtasks.length < named.length || ofSubtasks.length === 0 || ofSubtasks.includes(subtask.id);
}

/** Lets the agent work, for as long as the subtask may take. @returns Its last words. */
async function agentTurn(
  { options, agent }: SubtaskSetting,
  opened: Workspace,
  prompt: string,
  context: TaskContext,
): Promise<string> {
  const { permissions = {}, timeout = SUBTASK_TIMEOUT } = options;
  const late = new AbortController();
  // Its own timer, as it must not outlive the turn.
  const timer =
    timeout > 0
      ? setTimeout(() => late.abort(timedOut(context, timeout)), Math.min(timeout, LONGEST_TIMER))
      : undefined;
  try {
    const signal = AbortSignal.any([context.signal, late.signal]);
    const workspace = { cwd: opened.path, env: opened.env, onProcess: (pid: number) => opened.entered(pid) };
    const work = {
      agent,
      prompt,
      access: 'write',
      permissions,
      person: personOf(context),
      schema: undefined,
      recordCalls: false,
      workspace,
      onEvent: undefined,
    } as const;
    const { run, phase, task, attempt, report } = context;
    const result = await takeTurn(
      // The work is the files. Of a long answer only the start and the end are kept.
      { ...work, maxAnswerChars: Infinity },
      { run, phase, task, attempt, report, signal },
    );
    return result.text;
  } finally {
    clearTimeout(timer);
  }
}

/** The output of a subtask. The same files as before are the same output, so that an attempt without changes is known as such. */
function outputOf(
  { subtask }: SubtaskSetting,
  { commit, tree, files, fileCount }: Snapshot,
  start: Start,
  summary: string,
  previous: SubtaskOutput | undefined,
): SubtaskOutput {
  if (previous?.tree === tree && previous.start === start.start) return previous;
  const paths = files.map(({ path }) => path);
  const outOfScope = paths.filter((path) => !isExpected(path, subtask.files_touched));
  return {
    commit,
    tree,
    ...start,
    files: paths.slice(0, MOST_FILES),
    fileCount,
    outOfScope: outOfScope.slice(0, MOST_FILES),
    summary: elided(summary, MOST_SUMMARY),
  };
}

function timedOut({ task, phase }: TaskContext, timeout: number): PhasegateError {
  const problem = `Cannot wait longer for the agent of "${task}" of phase "${phase}" as its timeout of ${timeout} ms is over`;
  return new PhasegateError('TASK_TIMEOUT', problem, { hint: 'Raise `timeout`, or split the subtask.' });
}
