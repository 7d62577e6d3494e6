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
} from './model/define.ts';
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
} from './model/task-types.ts';
export type { Answer } from './model/answer-types.ts';
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
} from './model/phase-types.ts';
export type { CheckResult } from './model/check.ts';
export { matchesSchema, predicate } from './model/ready-checks.ts';
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
} from './model/decision.ts';
export { issueSchema, type Issue, type PriorFinding } from './model/issue.ts';
export type { ReviewFinding } from './model/findings.ts';
export { formatDecision, parseDecision, type DecisionTextOptions, type ParsedDecision } from './model/decision-text.ts';
export type { StandardSchemaV1 } from './model/schema.ts';
export type { Work } from './model/compile.ts';
export { needsRework, type NeedsRework } from './model/rework.ts';
export { human, type HumanHandler, type HumanOptions } from './model/human.ts';
export type { InboxPolicy, OnExpiry } from './model/inbox-policy.ts';
export { replySchema, type AnswerOptions, type Reply } from './model/reply.ts';
export {
  policies,
  type Backoff,
  type Count,
  type FullGatePolicy,
  type GatePolicy,
  type LimitName,
  type Limits,
  type Policy,
} from './model/policy.ts';
export type { ReflectContext, ReflectFunction, Reflector } from './model/reflect-types.ts';
export { renderPrompt } from './model/prompt.ts';
export type { SharedArtifact, TaskRecollection, Trajectory } from './model/recollection.ts';
export type { Correction, Revision, RevisionStyle } from './model/revision.ts';
export type { Estimate, Mode } from './model/options.ts';
export { fingerprint, type GatePlan, type PhasePlan, type Plan, type TaskPlan } from './model/plan.ts';
export type { DecidedBy, EventOf, PhaseReport, TaskReport } from './model/event.ts';
export {
  runEventSchema,
  runRecordSchema,
  type RunEvent,
  type RunRecord,
  type RunStatus,
  type Verdict,
} from './model/event.ts';
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
  RunView,
  UnsuccessfulRun,
} from './model/result.ts';
export { createRunView, resultOf } from './model/view.ts';
export type { Attribution, Defect, Detection, Disposition, Finder } from './model/defect.ts';
export type { Effort } from './model/effort.ts';
export { defectsOf, measuresOf } from './model/quality.ts';
export type { ConfidenceBand, ReviewerMeasures } from './model/calibration.ts';
export type { ContainmentRow, EffortSplit, Figures, GateMeasures, Measures, PhaseMeasures } from './model/measures.ts';
export { phaseYields, type PhaseCounts, type PhaseYield } from './model/yields.ts';
export { redactSecrets, type Redact } from './model/redact.ts';
export { analyze, type Analysis, type Finding, type PhaseBound } from './model/analyze.ts';
export { errorInfo, PhasegateError, type ErrorCode, type ErrorInfo } from './model/errors.ts';
export { PipelineInvalidError, type Problem, type ProblemCode } from './model/problems.ts';
export { phaseMachine, type PhaseCommand, type PhaseOutput } from './machines/phase.machine.ts';
export type { PhaseContext, PhaseInput, Start } from './machines/phase-context.ts';
export { pipelineMachine, type PipelineCommand, type PipelineContext } from './machines/pipeline.machine.ts';
export type { PipelineInput, PipelineOutput } from './machines/board.ts';
export { phaseModel, type PhaseModelEvent } from './machines/phase-model.ts';
export type { PipelineUpdate, Upward } from './machines/upward.ts';
export type { AttemptOutcome, GateOutcome, PhaseActors } from './machines/ports.ts';
export type { Clock } from './machines/actor.ts';
export { machineOf } from './runtime/machine.ts';
export { runPipeline, startRun, type Run, type RunArguments, type RunOptions } from './runtime/run.ts';
export { forkRun, type ForkOptions } from './runtime/fork.ts';
export { recoverAll, type Recovery, type RecoverOptions, type Unrecovered, type Waiting } from './runtime/recover.ts';
export { cancelRun } from './runtime/cancel.ts';
export { resumeRun, retryFailed, type ResumeOptions } from './runtime/resume.ts';
export { answerItem } from './runtime/answer-item.ts';
export { memoryStore, type MemoryStoreOptions } from './store/memory.ts';
export type {
  Artifact,
  Awaitable,
  Batch,
  Compaction,
  InboxFilter,
  KeptMessage,
  Lease,
  ListedRun,
  Memory,
  MemoryFilter,
  RunFilter,
  RunInfo,
  RunMessage,
  RunStore,
} from './store/port.ts';
export { readRun } from './store/read.ts';
export type { InboxItem, ItemKind, Severity } from './model/inbox.ts';
export { itemDetail, type ItemDetail, type TriedAttempt } from './model/item-detail.ts';
export { reclassify } from './model/reclassify.ts';
export type { Choice, Consequences } from './model/item-choices.ts';
export { RunUnsuccessfulError } from './runtime/unsuccessful.ts';
export { toDot } from '../visualizations/dot.ts';
export { toMermaid } from '../visualizations/mermaid.ts';
