/**
 * What can be done with a run after this process has left it.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import type { RunResult } from '../../projections/run/run-result.ts';
import { definitionOf } from '../../runtime/resume.ts';
import type { ListedRun } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { limitFlag } from '../options/limit-flags.ts';
import { storeArgument, type OpenStore } from '../options/store-option.ts';
import { span, type Line } from '../terminal/line.ts';
import { glyph } from '../terminal/marks.ts';
import { oneLine } from '../terminal/text.ts';

/** Where a run is kept, what waits, and the commands to go on with. */
export async function afterwards(result: RunResult<unknown>, kept: OpenStore): Promise<readonly Line[]> {
  const { runId, status } = result;
  if (!existsSync(kept.path)) return [[span(`  not kept, as ${oneLine(kept.file)} was removed meanwhile`, 'warn')]];
  // A run that was never kept is not spoken of, as where its store has failed.
  const listed = await listedIn(kept, runId).catch(() => undefined);
  if (!listed) return [];
  const place: Line = [span(`  kept in ${oneLine(kept.file)}`, 'dim')];
  if (listed.status === 'completed') return [place];
  const argument = storeArgument(kept);
  const { lease } = listed;
  if (lease)
    return [
      place,
      [span(`  ${oneLine(lease.holder)} works on it: phasegate events ${oneLine(runId)} --follow${argument}`)],
    ];
  const command = status === 'suspended' || listed.status === 'running' ? 'resume' : 'retry';
  const limit = command === 'retry' ? result.limit : null;
  const items = await kept.store.inbox({ runId, open: true });
  const waiting = items.flatMap(({ id, about, reason }): readonly Line[] => [
    [span('  '), glyph('waiting', `${oneLine(about)} waits for a person: ${oneLine(reason)}`)],
    [span(`    answer with: phasegate inbox answer ${oneLine(id)}${argument}`)],
  ]);
  const goOn = limit === null ? goOnText(command, runId, kept) : await raiseText(limit, runId, kept);
  return [...waiting, place, [span(`  ${goOn}`)]];
}

/** What to go on with a run by. @param isPlaced Whether it is known where its pipeline is. */
export function goOnText(command: 'resume' | 'retry', runId: string, kept: OpenStore, isPlaced = true): string {
  const what = command === 'resume' ? 'resume with' : 'try again what was not approved with';
  return `${what}: ${goOnCommand(command, runId, kept, isPlaced)}`;
}

/** The command to go on with a run. @param isPlaced Whether it is known where its pipeline is: else that has to be named. */
export function goOnCommand(command: 'resume' | 'retry', runId: string, kept: OpenStore, isPlaced: boolean): string {
  return `phasegate ${command} ${oneLine(runId)}${isPlaced ? '' : ' <pipeline>'}${storeArgument(kept)}`;
}

// --- internal ---

/** Rejects where the store throws. */
async function listedIn({ store }: OpenStore, runId: string): Promise<ListedRun | undefined> {
  return store.run(runId);
}

/**
 * Without more room the run would end at once for the same reason. A limit on what is used is raised as the run is tried again. One on
 * corrections or attempts is raised in a fork from before it was reached, which makes the correction that was refused.
 */
async function raiseText(limit: LimitName, runId: string, kept: OpenStore): Promise<string> {
  const records = await readRun(kept.store, runId);
  const first = records[0]?.event;
  const reached = records.findLast(({ event }) => event.type === 'limit.reached' && event.limit === limit);
  const id = oneLine(runId);
  const command = !reached || MEASURED.has(limit) ? `retry ${id}` : `fork ${id} --at ${reached.seq - 1} --run`;
  const store = storeArgument(kept);
  const plan = first?.type === 'run.started' ? definitionOf(records, first).plan : undefined;
  if (plan?.runLimits?.[limit] === undefined || plan.runLimits[limit] !== plan.limits[limit])
    return `raise limits.${limit} in the pipeline, then: phasegate ${command} --allow-changed${store}`;
  const flag = limitFlag(limit);
  if (flag !== undefined) return `give it more: phasegate ${command} ${flag}${store}`;
  return `the run was given limits.${limit} by a program: raise it there, with retryRun()`;
}

/** Limits on what is used. */
const MEASURED: ReadonlySet<LimitName> = new Set(['costUsd', 'tokens', 'durationMs', 'deadlineMs']);
