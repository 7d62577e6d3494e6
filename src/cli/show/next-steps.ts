/**
 * Next steps: commands for a run after this process has released it.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { RunResult } from '../../projections/run/run-result.ts';
import { isWithin } from '../../runtime/child-ids.ts';
import { definitionOf } from '../../model/events/run-definition.ts';
import type { ListedRun } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { limitFlag } from '../options/limit-flags.ts';
import { storeArgument, type OpenStore } from '../options/store-option.ts';
import { span, type Line } from '../terminal/line.ts';
import { glyph } from '../terminal/marks.ts';
import { argument, oneLine, reasonText } from '../terminal/text.ts';
import { refusalLines } from './refusal-lines.ts';

/**
 * Lists the waiting items, the store of the run, and the command that resumes it.
 *
 * @param completed The steps after a run that is completed.
 */
export async function nextSteps(
  result: RunResult<unknown>,
  opened: OpenStore,
  completed: readonly Line[] = [],
): Promise<readonly Line[]> {
  const { runId, status } = result;
  if (opened.isFile && !existsSync(opened.location))
    return [[span(`  not stored, as ${oneLine(opened.name)} was removed meanwhile`, 'warn')]];
  // A run that never reached the store, for example because the store failed, has no next steps.
  const listed = await listedIn(opened, runId).catch(() => undefined);
  if (!listed) return [];
  const place: Line = [span(`  stored in ${oneLine(opened.name)}`, 'dim')];
  if (listed.status === 'completed') return [place, ...completed];
  const store = storeArgument(opened);
  const { lease } = listed;
  if (lease)
    return [
      place,
      [span(`  ${oneLine(lease.holder)} works on it: phasegate events ${argument(runId)} --follow${store}`)],
    ];
  const command = status === 'suspended' || listed.status === 'running' ? 'resume' : 'retry';
  const limit = command === 'retry' ? result.limit : null;
  const items = await openItems(opened, runId);
  const waiting = items.flatMap((item): readonly Line[] => [
    [span('  '), glyph('waiting', `${aboutText(item, runId)} waits for a person: ${oneLine(reasonText(item.reason))}`)],
    ...refusalLines(item, '    '),
    [span(`    answer with: phasegate inbox answer ${argument(item.id)}${store}`)],
  ]);
  const goOn = limit === null ? resumeText(command, runId, opened) : await raiseText(limit, listed, opened);
  return [...waiting, place, [span(`  ${goOn}`)]];
}

/** The open items of a run, and of the runs that its tasks have started. */
export async function openItems({ store }: Pick<OpenStore, 'store'>, runId: string): Promise<readonly InboxItem[]> {
  return (await store.inbox({ open: true })).filter((item) => isWithin(item.runId, runId));
}

/** Names what waits for an item. @param root The run that the reader knows: another one, which its tasks have started, is named. */
export function aboutText({ about, runId, pipeline }: InboxItem, root: string): string {
  return `${oneLine(about)}${runId === root ? '' : ` of "${oneLine(pipeline)}"`}`;
}

/** Describes how to resume or retry a run. @param isPlaced True if the file of its pipeline is known. @default true */
export function resumeText(command: 'resume' | 'retry', runId: string, opened: OpenStore, isPlaced = true): string {
  const what = command === 'resume' ? 'resume with' : 'retry unapproved phases with';
  return `${what}: ${resumeCommand(command, runId, opened, isPlaced)}`;
}

/** Returns the command that resumes or retries a run. @param isPlaced True if the file of its pipeline is known; else the user has to name it. */
export function resumeCommand(
  command: 'resume' | 'retry',
  runId: string,
  opened: OpenStore,
  isPlaced: boolean,
): string {
  return `phasegate ${command} ${argument(runId)}${isPlaced ? '' : ' <pipeline>'}${storeArgument(opened)}`;
}

// --- internal ---

/** Reads a run. Rejects if the store throws, even synchronously. */
async function listedIn({ store }: OpenStore, runId: string): Promise<ListedRun | undefined> {
  return store.run(runId);
}

/**
 * Describes how to continue with a higher limit, as the run would otherwise end at once for the same reason. A limit on usage is
 * raised by a retry. A limit on corrections or attempts is raised in a fork from before it was reached, which then makes the
 * refused correction.
 */
async function raiseText(limit: LimitName, { runId, source }: ListedRun, opened: OpenStore): Promise<string> {
  const records = await readRun(opened.store, runId);
  const first = records[0]?.event;
  const reached = records.findLast(({ event }) => event.type === 'limit.reached' && event.limit === limit);
  const id = argument(runId);
  const command = !reached || MEASURED.has(limit) ? `retry ${id}` : `fork ${id} --at ${reached.seq - 1} --run`;
  const store = storeArgument(opened);
  const plan = first?.type === 'run.started' ? definitionOf(records, first).plan : undefined;
  if (plan?.runLimits?.[limit] === undefined || plan.runLimits[limit] !== plan.limits[limit])
    return `raise limits.${limit} in ${oneLine(source ?? 'the pipeline')}, then: phasegate ${command} --allow-changed${store}`;
  const flag = limitFlag(limit);
  if (flag !== undefined) return `give it more: phasegate ${command} ${flag}${store}`;
  return `the run was given limits.${limit} by a program: raise it there, with retryRun()`;
}

/** Limits on usage. */
const MEASURED: ReadonlySet<LimitName> = new Set(['costUsd', 'tokens', 'durationMs', 'deadlineMs']);
