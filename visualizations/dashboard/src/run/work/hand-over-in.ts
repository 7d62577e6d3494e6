/**
 * The branch that a run has handed over, in its committed outputs.
 *
 * @module
 */
import type { PhaseResult } from '../../../../../src/projections/run/run-result.ts';

/** A branch with approved work. */
export interface HandedOver {
  readonly branch: string;
  readonly commit: string;
}

/** Finds the branch in the outputs of the last phase that names one. */
export function handOverIn(phases: Readonly<Record<string, Pick<PhaseResult, 'outputs'>>>): HandedOver | undefined {
  return Object.values(phases)
    .flatMap(({ outputs }) => Object.values(outputs ?? {}))
    .findLast(isHandedOver);
}

// --- internal ---

function isHandedOver(output: unknown): output is HandedOver {
  if (typeof output !== 'object' || output === null || !('branch' in output) || !('commit' in output)) return false;
  const { branch, commit } = output;
  return typeof branch === 'string' && branch.startsWith(OWN_BRANCHES) && typeof commit === 'string';
}

/** The start of the names of branches that phasegate makes. */
const OWN_BRANCHES = 'phasegate/';
