/**
 * Rehearsals of pipelines, their coverage, and contract tests for implementations of phasegate's ports. On Node only.
 *
 * @module
 */
export {
  runStoreContract,
  storeCases,
  type ContractOptions,
  type StoreCase,
  type StoreMaker,
  type StorePlace,
  type TestApi,
} from './testing/store-contract.ts';
export type { AgentTurn } from './agents/agent.ts';
export type { AskRequest } from './llm/call/port.ts';
export { agentCases, type AgentCase } from './testing/agent-contract.ts';
export type { Scene, Stage } from './testing/agents/scene.ts';
export {
  workspaceCases,
  type WorkspaceCase,
  type WorkspaceLab,
  type WorkspaceLabMaker,
} from './testing/workspace-contract.ts';
export { coverageReporter, type CoverageReporter, type CoverageReporterOptions } from './testing/coverage-reporter.ts';
export { collectCoverage, type CollectedCoverage } from './testing/collect-coverage.ts';
export { coverageOf, type Coverage, type CoveredRun, type CoverageOptions } from './projections/coverage/coverage.ts';
export type {
  CheckCoverage,
  CoverageEntry,
  CoverageRow,
  CoveredDecision,
  CoveredOutcome,
  CoveredStatus,
  EndCoverage,
  LimitCoverage,
  PhaseCoverage,
  RewindCoverage,
} from './projections/coverage/coverage-entry.ts';
export { rehearse, type RehearsedRun } from './testing/rehearsal/rehearse.ts';
export type { Script, Steps, StepsByName } from './testing/rehearsal/script.ts';
export {
  aborts,
  answers,
  asDefined,
  fails,
  repeats,
  reports,
  silent,
  skips,
  takes,
  type Step,
} from './testing/rehearsal/step.ts';
export { crashAfter, crashBefore, type Crash } from './testing/rehearsal/crash.ts';
export type { Trace, TraceStep } from './testing/rehearsal/trace.ts';
export { sample } from './testing/rehearsal/sample.ts';
export {
  expectBounds,
  type BoundsOptions,
  type BoundsReport,
  type ReachedBound,
} from './testing/cover/expect-bounds.ts';
export { scriptedAgent, type ScriptedAgent } from './testing/scripted/scripted-agent.ts';
export { scriptedModel, type ScriptedModel } from './testing/scripted/scripted-model.ts';
export { verdict, type VerdictOptions } from './testing/scripted/verdict.ts';
export { pipelineProperty, PropertyError, type PropertyOptions } from './testing/property/pipeline-property.ts';
export type { RehearsalFinding } from './testing/cover/rehearsal-findings.ts';
export { rehearseAll, type RehearsedPipeline } from './testing/cover/rehearse-all.ts';
export { paths, type Paths, type PathsOptions } from './testing/paths/paths.ts';
export type { PipelinePath } from './testing/paths/path.ts';
export type { DecisionKind, PathDecision } from './testing/decisions/decision.ts';
export { pathsToMermaid } from './testing/paths/paths-mermaid.ts';
