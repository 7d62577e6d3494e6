/**
 * The statecharts of the machines themselves.
 *
 * @module
 */
import { statechartOf, statechartOfSteps } from '../../visualizations/statechart/statechart.ts';
import { LIFECYCLE_STEPS } from '../machines/coordinator/phase-state.ts';
import { phaseMachine } from '../machines/phase/phase.machine.ts';
import { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';
import type { Charts } from './api.ts';

/** Outlines the machines. */
export function charts(): Charts {
  return {
    phase: statechartOf(phaseMachine),
    lifecycle: statechartOfSteps('lifecycle', LIFECYCLE_STEPS),
    pipeline: statechartOf(pipelineMachine),
  };
}
