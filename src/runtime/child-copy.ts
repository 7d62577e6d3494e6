/**
 * Copies of child runs that have ended, for a parent that is retried.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { EventOf } from '../model/events/event.ts';
import { isSameJson, toJson } from '../model/values/json.ts';
import { refuseDamaged } from '../store/damage.ts';
import { readRun } from '../store/read-run.ts';
import type { CopyRequest } from './open-child.ts';
import { markedAsFork } from './fork.ts';
import { copyRun } from './records/copy-run.ts';
import { definitionOf } from '../model/events/run-definition.ts';
import { prepareResume } from './resume.ts';
import { nextPlan } from './resuming/next-plan.ts';
import { checkUnmasked } from './run-input.ts';

/** Copies a run that has ended, to be retried under another id. Resolves with false, and copies nothing, if it cannot be continued. */
export async function copyEnded(
  from: string,
  to: string,
  { store, pipeline, input, options }: CopyRequest,
): Promise<boolean> {
  const records = await readRun(store, from);
  const first = records[0]?.event;
  const listed = await store.run(from);
  if (first?.type !== 'run.started' || !listed || !isGiven(first, input)) return false;
  refuseDamaged('retry', listed);
  try {
    if (!options.allowMasked) checkUnmasked('retry', from, records);
    const known = definitionOf(records, first);
    if (listed.status === 'completed') nextPlan({ runId: from, records, first, known }, pipeline, options, 'retry');
    else prepareResume(from, pipeline, records, options, 'retry');
  } catch (error) {
    if (PhasegateError.is(error)) return false;
    throw error;
  }
  const now = options.clock?.now?.() ?? Date.now();
  await copyRun(store, to, markedAsFork(records, now), { forkOf: from, source: listed.source, startedAt: now });
  return true;
}

// --- internal ---

/** True if a run was started with an input. */
function isGiven({ given, input }: EventOf<'run.started'>, wanted: unknown): boolean {
  if (wanted === undefined) return given === 'nothing' || (given === undefined && input === undefined);
  const copy = toJson(wanted);
  if (!copy.ok || given === 'nothing') return false;
  return isSameJson(copy.value, typeof given === 'object' ? given.value : input);
}
