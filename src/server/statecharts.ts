/**
 * The statecharts of the machines themselves.
 *
 * @module
 */
import { statechartOf } from '../../visualizations/statechart/statechart.ts';
import { phaseMachine } from '../machines/phase/phase.machine.ts';
import { pipelineMachine } from '../machines/pipeline/pipeline.machine.ts';
import type { Charts } from './api.ts';

/** Outlines both machines. */
export function charts(): Charts {
  return { phase: statechartOf(phaseMachine), pipeline: statechartOf(pipelineMachine) };
}
