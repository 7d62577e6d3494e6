/**
 * The statecharts of the machines themselves.
 *
 * @module
 */
import { statechartOf } from '../../visualizations/statechart.ts';
import { phaseMachine } from '../machines/phase.machine.ts';
import { pipelineMachine } from '../machines/pipeline.machine.ts';
import type { Charts } from './api.ts';

/** Outlines both machines. */
export function charts(): Charts {
  return { phase: statechartOf(phaseMachine), pipeline: statechartOf(pipelineMachine) };
}
