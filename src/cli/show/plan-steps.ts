/**
 * Next steps of a plan that a run has only made.
 *
 * @module
 */
import { PLAN } from '../../fleet/approval.ts';
import { planSchema, type WorkPlan } from '../../fleet/work-plan.ts';
import type { RunResult } from '../../projections/run/run-result.ts';
import { storeArgument, type OpenStore } from '../options/store-option.ts';
import { span, type Line } from '../terminal/line.ts';
import { argument } from '../terminal/text.ts';

/** Returns the approved plan of a run that has only planned; `undefined` for any other run. */
export function plannedIn({ status, phases }: RunResult<unknown>): WorkPlan | undefined {
  const [name, ...others] = Object.keys(phases);
  if (status !== 'completed' || name !== PLAN || others.length > 0) return undefined;
  return planSchema.safeParse(phases[name]?.outputs?.[PLAN]).data;
}

/** Names the commands that carry out the plan of a run that has only planned. @param agent The agent to name, if any. */
export function planSteps(result: RunResult<unknown>, opened: OpenStore, agent?: string): readonly Line[] {
  if (!plannedIn(result)) return [];
  return [[span(`  carry it out with: ${carryOutCommand(result.runId, opened, agent)}`)]];
}

/** Returns the commands that carry out the plan of a run that has only planned. @param agent The agent to name, if any. */
export function carryOutCommand(runId: string, opened: OpenStore, agent?: string): string {
  const file = 'plan.json';
  return `${saveCommand(runId, opened, file)} && ${fleetCommand(file, agent)}`;
}

/** Returns the command that saves the plan of a run to a file. */
export function saveCommand(runId: string, opened: OpenStore, file: string): string {
  return `phasegate show ${argument(runId)} --json${storeArgument(opened)} > ${argument(file)}`;
}

/** Returns the command that carries out the plan of a file. @param agent The agent to name, if any. */
export function fleetCommand(file: string, agent?: string): string {
  return `phasegate fleet --plan ${argument(file)}${agent === undefined ? '' : ` --agent ${argument(agent)}`}`;
}
