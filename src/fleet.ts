/**
 * phasegate/fleet: plans that agents carry out in workspaces of a git repository. On Node only.
 *
 * @module
 */
export type { Pipeline } from './model/definition/define.ts';
export { compilePlan } from './fleet/compile-plan.ts';
export type {
  AgentLevelReviewer,
  FleetOptions,
  FunctionLevelReviewer,
  LevelCheck,
  LevelReview,
  LevelReviewer,
} from './fleet/fleet-options.ts';
export { planGoal, type PlanGoalOptions } from './fleet/plan-goal.ts';
export { arrangePlan, type ArrangedPlan, type ArrangeOptions, type Delay } from './fleet/arrange-plan.ts';
export { planSchema, type Subtask, type WorkPlan, type WorkPlanInput } from './fleet/work-plan.ts';
export { PlanInvalidError, type PlanProblem, type PlanProblemCode } from './fleet/plan-invalid-error.ts';
export { applyRun, type Applied, type ApplyOptions } from './workspaces/operations/apply-run.ts';
export { gitWorkspace } from './workspaces/operations/git-workspace.ts';
export type { Author, GitWorkspaceOptions } from './workspaces/options.ts';
export type { Isolation } from './workspaces/isolation.ts';
export type { Note, NoteCode } from './workspaces/note.ts';
export type {
  AttemptPlace,
  ChangedFile,
  Closed,
  Conflict,
  Difference,
  DifferenceFile,
  DiffOptions,
  IntegrateOptions,
  Integration,
  IntegrationPart,
  Pruned,
  PruneOptions,
  RunBase,
  Snapshot,
  Workspace,
  WorkspaceInfo,
  Workspaces,
} from './workspaces/port.ts';
