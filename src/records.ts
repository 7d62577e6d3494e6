/**
 * phasegate/records: the records of a run, the plan that they begin with, and folds over them.
 *
 * @module
 */
export {
  runEventSchema,
  runRecordSchema,
  type DecidedBy,
  type EventOf,
  type PhaseReport,
  type RunEvent,
  type RunRecord,
  type TaskReport,
  type Verdict,
} from './model/events/event.ts';
export { fingerprint, type GatePlan, type PhasePlan, type Plan, type TaskPlan } from './model/plan/plan.ts';
export {
  foldFleet,
  type FleetFold,
  type LevelView,
  type SubtaskView,
  type WorkStatus,
} from './projections/run/fleet-view.ts';
export { foldRun, resultOf } from './projections/run/run-view.ts';
export type { RunResult, RunView } from './projections/run/run-result.ts';
