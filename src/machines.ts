/**
 * phasegate/machines: the statecharts of phases and runs, for applications that embed or test them.
 *
 * @module
 */
export { phaseMachine, type PhaseCommand, type PhaseOutput } from './machines/phase/phase.machine.ts';
export type { PhaseContext, PhaseInput, PhaseStart } from './machines/phase/phase-context.ts';
export type { PhaseMemory } from './machines/phase/phase-memory.ts';
export { pipelineMachine, type PipelineCommand } from './machines/pipeline/pipeline.machine.ts';
export type { PipelineContext } from './machines/pipeline/pipeline-context.ts';
export type { PipelineInput, PipelineOutput } from './machines/coordinator/run-state.ts';
export { fromAsync, type AsyncWork } from './machines/phase/async-work.ts';
export { phaseLogic } from './machines/phase/phase-logic.ts';
export { reportsOf, type PhaseAtRest } from './machines/phase/step-reports.ts';
export type { PipelineUpdate, Upward } from './machines/coordinator/parent-events.ts';
export type { AttemptOutcome, GateOutcome, PhasePorts, WorkEvent, WorkLogic } from './machines/phase/ports.ts';
export { machineOf } from './runtime/machine-of.ts';
export type { Work } from './model/definition/compile.ts';
export type { PauseOrder, PersonDecision, Restart } from './machines/phase/phase-updates.ts';
export type { TimeSource } from './machines/pipeline/pipeline-logic.ts';
export type { ErrorInfo } from './model/errors/phasegate-error.ts';
export type { PhaseReport, RunEvent } from './model/events/event.ts';
export type { TimeLimit } from './model/plan/policy-schema.ts';
