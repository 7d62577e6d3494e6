/**
 * Phases whose work is in folders of its own: each starts from the commits of the phases before it, and ends with a commit.
 *
 * @module
 */
import { foldApproved } from '../../../fleet/approved-work.ts';
import { INTEGRATION, integrationIn, type BaseOutput } from '../../../fleet/level-outputs.ts';
import { levelReview } from '../../../fleet/level-review.ts';
import { integrate } from '../../../fleet/level-tasks.ts';
import { tellAtStart } from '../../../fleet/start-notes.ts';
import { createSlots } from '../../../actors/work/slots.ts';
import type { Subtask } from '../../../fleet/work-plan.ts';
import { approve } from '../../../model/decision/decision.ts';
import { phase, task } from '../../../model/definition/define.ts';
import { needsRework } from '../../../model/handlers/needs-rework.ts';
import type { AnyPhase, AnyReview, ReviewOptions } from '../../../model/handlers/phase.ts';
import type { AnyTask, TaskContext } from '../../../model/handlers/task.ts';
import { HAND_OVER, OWN_TASKS } from '../../../model/plan/level.ts';
import { cutList } from '../../../model/values/counts.ts';
import type { Workspaces } from '../../../workspaces/port.ts';
import { cut } from '../../terminal/text.ts';
import { reviewerName, type ReviewFields, type TaskFields } from './build-work.ts';
import {
  fleetOptions,
  folderAgent,
  folderCheck,
  folderCommand,
  folderReviewer,
  planOf,
  type FolderSetting,
} from './folder-work.ts';
import type { PipelineFile } from './schema.ts';

/** Builds the phases of a file, and one more that hands the work over. @param gateOf Builds the options of a gate but its work. */
export function folderPhases(file: PipelineFile, workspace: Workspaces, gateOf: GateOf): readonly AnyPhase[] {
  const { name: goal, phases } = file;
  const common = { workspace, goal, overview: overviewOf(file), slots: createSlots('unlimited', workspace.maxCount) };
  const followed = new Set(phases.flatMap(({ after = [] }) => after));
  const last = phases.map(({ name }) => name).filter((name) => !followed.has(name));
  const isChain = last.length === 1 && phases.every(({ after = [] }) => after.length <= 1);
  const first = phases.find(({ after = [] }) => after.length === 0);
  const made = phases.map((one) => {
    const setting = { ...common, subtasks: one.tasks.flatMap((fields) => subtaskOf(fields)) };
    return phaseOf(setting, one, { gateOf, isChain, isFirst: one === first });
  });
  return [...made, handOver(workspace, last)];
}

// --- internal ---

type PhaseFields = PipelineFile['phases'][number];

/** Builds the options of a gate besides its checks and reviewers. */
type GateOf = (review: ReviewFields) => Omit<ReviewOptions<unknown, unknown>, 'checks' | 'by'>;

/** Most columns of the title of a commit. */
const LONGEST_TITLE = 72;

/** The work of an agent as a subtask; none if the task is a command. */
function subtaskOf({ name, agent, prompt = '' }: TaskFields): readonly Subtask[] {
  if (agent === undefined) return [];
  return [{ id: name, title: titleOf(prompt), description: prompt, depends_on: [], files_touched: [] }];
}

function titleOf(prompt: string): string {
  return cut(prompt.trim().split('\n', 1)[0] ?? '', LONGEST_TITLE);
}

/** Writes the whole pipeline for its agents. */
function overviewOf({ name, phases }: PipelineFile): string {
  const lines = phases.map((one) => {
    const works = one.tasks.map((work) => titleOf(work.prompt ?? work.description ?? work.name));
    return `- ${one.name}: ${works.join('; ')}`;
  });
  return [`These are the phases of "${name}":`, ...lines].join('\n');
}

/** A phase among those of its file. */
interface PhasePlace {
  readonly gateOf: GateOf;
  /** True if the phases follow each other: then the branch of the run moves to the work of the phase before, which is approved. */
  readonly isChain: boolean;
  /** True for the phase that tells people what they should know of the repository. */
  readonly isFirst: boolean;
}

function phaseOf(setting: FolderSetting, fields: PhaseFields, where: PhasePlace): AnyPhase {
  const { name, after = [], version } = fields;
  const { subtasks, workspace } = setting;
  const ids = subtasks.map(({ id }) => id);
  const late = lateTasks(fields, new Set(ids));
  const works = inOrder(fields).map((one) => {
    const subtask = subtasks.find(({ id }) => id === one.name);
    return subtask ? folderAgent(setting, subtask, one) : folderCommand(setting, one, late.has(one.name));
  });
  // The own tasks come last, so that those of the file keep their places.
  const tasks: readonly AnyTask[] = [
    ...works,
    task(OWN_TASKS.base, {
      description: 'Take the commit that this phase starts from.',
      run: (context: TaskContext) => takeBase(workspace, after, where, context),
    }),
    task(OWN_TASKS.integrate, {
      description: 'Fold the work of all agents into one commit.',
      after: [OWN_TASKS.base, ...ids],
      run: (context: TaskContext) => integrate(fleetOptions(setting), subtasks, context),
    }),
  ];
  return phase(name, {
    after,
    tasks: () => tasks,
    subscribe: [`${name}/${INTEGRATION}`],
    version,
    review: reviewOf(setting, fields, where.gateOf),
  });
}

/** Tasks in their order: in a sequential phase, each comes after the one before. */
function inOrder({ tasks, mode }: PhaseFields): readonly TaskFields[] {
  if (mode !== 'sequential') return tasks;
  return tasks.map((one, index) => {
    const before = tasks[index - 1];
    return before ? { ...one, after: [...new Set([...(one.after ?? []), before.name])] } : one;
  });
}

/** Returns the names of tasks that come after an agent of their phase. */
export function lateTasks(fields: PhaseFields, agents: ReadonlySet<string>): ReadonlySet<string> {
  const late = new Set<string>();
  const tasks = inOrder(fields);
  for (let size = -1; size < late.size;) {
    size = late.size;
    for (const { name, after = [] } of tasks) if (after.some((one) => agents.has(one) || late.has(one))) late.add(name);
  }
  return late;
}

/** Agents that work at the same time may change the same lines, which the gate looks at first. */
function reviewOf(setting: FolderSetting, { review }: PhaseFields, gateOf: GateOf): AnyReview | undefined {
  const merges =
    setting.subtasks.length > 1 ? levelReview(fleetOptions(setting), planOf(setting), setting.subtasks) : undefined;
  if (!review) return merges;
  const { checks = [], by = [] } = review;
  const judges = Array.isArray(by) ? by : [by];
  return {
    ...gateOf(review),
    checks: [...checks.map((one) => folderCheck(setting, one)), ...(merges?.checks ?? [])],
    // Each reviewer looks at conflicts first, so that a quorum counts only reviewers of the file.
    by:
      judges.length > 0
        ? judges.map((one, index) => folderReviewer(setting, reviewerName(one, index), one))
        : (merges?.by ?? []),
  };
}

/** Takes the base of the run, or the commits of the phases before. */
async function takeBase(
  workspace: Workspaces,
  before: readonly string[],
  { isChain, isFirst }: Pick<PhasePlace, 'isChain' | 'isFirst'>,
  context: TaskContext,
): Promise<BaseOutput> {
  const { run, signal } = context;
  const begun = await workspace.start({ run, ahead: isFirst ? 1 : 0, signal });
  const notes = begun.notes.map(({ text }) => text);
  if (isFirst) tellAtStart(context, notes);
  if (before.length === 0) return { base: begun.base, notes };
  const base = await folded(workspace, before, context);
  if (isChain) await workspace.publish({ run, commit: base, signal });
  return { base, notes };
}

/** Moves the branch of the run to the work of its last phases. */
function handOver(workspace: Workspaces, last: readonly string[]): AnyPhase {
  return phase(HAND_OVER, {
    after: last,
    tasks: [
      task('publish', {
        description: 'Move the branch of the run to the approved work.',
        run: async (context: TaskContext) =>
          workspace.publish({
            run: context.run,
            commit: await folded(workspace, last, context),
            signal: context.signal,
          }),
      }),
    ],
    // A conflict of two phases sends one of them back, which needs a gate.
    ...(last.length > 1 && { review: { by: () => approve(), maxPredecessorRetries: 1 } }),
  });
}

/** Folds the commits of phases into one. A phase whose changes do not fit is sent back. */
async function folded(workspace: Workspaces, phases: readonly string[], context: TaskContext): Promise<string> {
  const { inputs } = context;
  const [first, ...others] = phases.map((name) => ({ name, commit: integrationIn(inputs[name] ?? {}).commit }));
  if (!first) throw new Error('There is no phase to take the work of.');
  const { commit, conflicts } = await foldApproved({ workspace }, [first, ...others], context);
  const [conflict] = conflicts;
  if (!conflict) return commit;
  const { name, paths } = conflict;
  const some = cutList(paths, MOST_PATHS).join(', ');
  throw needsRework(
    name,
    `The changes conflict with those of other phases in ${some}. Make them fit commit ${commit}, which \`git show\` shows.`,
  );
}

/** Most paths of a conflict in a text. */
const MOST_PATHS = 20;
