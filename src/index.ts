/**
 * phasegate: pipelines whose phases must pass review.
 *
 * @module
 */
export {
  definePipeline,
  phase,
  task,
  type Pipeline,
  type PipelineOptions,
  type PipelineOutputs,
  type InputOf,
  type OutputsOf,
} from './model/definition/define.ts';
export type {
  AnyTask,
  Inputs,
  Outputs,
  Report,
  RetryPolicy,
  Task,
  TaskContext,
  TaskMaker,
  TaskOptions,
  TaskRevision,
  UsageAmount,
} from './model/handlers/task.ts';
export type { Answer } from './model/handlers/reviewer-answer.ts';
export type {
  AnyPhase,
  Check,
  CheckOptions,
  Phase,
  PhaseMaker,
  PhaseOptions,
  ReviewContext,
  ReviewFunction,
  ReviewOptions,
  Reviewer,
} from './model/handlers/phase.ts';
export type { CheckResult } from './model/review/check.ts';
export { matchesSchema, predicate } from './model/handlers/built-in-checks.ts';
export {
  approve,
  decisionSchema,
  escalate,
  reject,
  requestChanges,
  retry,
  retryPredecessor,
  type CorrectionOptions,
  type Decision,
  type RetryPredecessor,
} from './model/decision/decision.ts';
export { issueSchema, type Issue, type PriorFinding } from './model/decision/issue-schema.ts';
export type { ReviewFinding } from './model/review/open-issues.ts';
export {
  formatDecision,
  parseDecision,
  type DecisionTextOptions,
  type ParsedDecision,
} from './model/decision/decision-text.ts';
export type { StandardSchemaV1 } from './model/values/standard-schema.ts';
export { needsRework, type NeedsReworkError } from './model/handlers/needs-rework.ts';
export { human, type HumanHandler, type HumanOptions } from './model/handlers/human.ts';
export type { InboxPolicy, OnExpiry } from './model/plan/inbox-policy.ts';
export { policies, type FullGatePolicy } from './model/plan/policy.ts';
export type { Backoff, Count, GatePolicy, LimitName, Limits, Policy } from './model/plan/policy-schema.ts';
export type { ReflectContext, ReflectFunction, Reflector } from './model/handlers/reflector.ts';
export { renderPrompt } from './model/revision/prompt.ts';
export type { SharedArtifact, TaskRecollection, Trajectory } from './model/revision/revision-extras.ts';
export type { Correction, Revision, RevisionStyle } from './model/revision/revision.ts';
export type { Estimate, Mode } from './model/plan/options.ts';
export type { RunEvent, RunRecord, RunStatus } from './model/events/event.ts';
export type {
  CompletedRun,
  DecisionRecord,
  PhaseResult,
  PhaseStatus,
  RunMetrics,
  RunOutcome,
  RunQuality,
  RunResult,
  RunSnapshot,
  UnsuccessfulRun,
} from './projections/run/run-result.ts';
export { redactSecrets, type Redact } from './model/events/redact.ts';
export { analyze, type Analysis, type AnalysisFinding, type PhaseBound } from './model/analysis/analyze.ts';
export { errorInfo, PhasegateError, type ErrorCode, type ErrorInfo } from './model/errors/phasegate-error.ts';
export { PipelineInvalidError, type Problem, type ProblemCode } from './model/definition/pipeline-invalid-error.ts';
export type { Clock } from './machines/phase/clock.ts';
export type { Run, RunArguments, RunOptions } from './runtime/run.ts';
export { resumeRun, retryRun, runPipeline, startRun } from './runtime/start.ts';
export { forkRun, type ForkOptions } from './runtime/fork.ts';
export { verifyRun, type Verification, type VerifyOptions } from './runtime/records/verify.ts';
export type { FailedResume, Waiting } from './runtime/workers/free-runs.ts';
export { resumeAll, type ResumedRuns, type ResumeAllOptions } from './runtime/workers/resume-all.ts';
export { submitRun, type SubmitOptions } from './runtime/workers/submit-run.ts';
export { createWorker, type Worker, type WorkerOptions } from './runtime/workers/worker.ts';
export { cancelRun } from './runtime/cancel.ts';
export type { ResumeOptions } from './runtime/resume.ts';
export { RunUnsuccessfulError } from './runtime/run-unsuccessful-error.ts';
export type { RunStore } from './store/port.ts';
export { memoryStore, type MemoryStoreOptions } from './store/memory-store.ts';
export { readRun } from './runtime/records/read-stored.ts';
