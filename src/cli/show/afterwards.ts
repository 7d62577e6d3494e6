/**
 * What can be done with a run after this process has left it.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import type { RunResult } from '../../model/result.ts';
import { storeArgument, type OpenStore } from '../store-option.ts';
import { span, type Line } from './line.ts';
import { oneLine } from './text.ts';

/** Where a run is kept, what waits, and the commands to go on with. */
export async function afterwards(result: RunResult<unknown>, kept: OpenStore): Promise<readonly Line[]> {
  const { runId, status } = result;
  // A run that was never kept is not spoken of, as where its store has failed.
  const listed = await Promise.resolve(kept.store.run(runId)).catch(() => undefined);
  if (!listed) return [];
  // Whoever has the file open does not notice that it was removed.
  if (!existsSync(kept.file)) return [[span(`  not kept, as ${oneLine(kept.file)} was removed meanwhile`, 'warn')]];
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
  const items = await kept.store.inbox({ runId, open: true });
  const waiting = items.flatMap(({ id, about, reason }): readonly Line[] => [
    [span(`  ⏸ ${oneLine(about)} waits for a person: ${oneLine(reason)}`, 'warn')],
    [span(`    answer with: phasegate inbox answer ${oneLine(id)}${argument}`)],
  ]);
  return [...waiting, place, [span(`  ${goOnText(command, runId, kept)}`)]];
}

/** The command to go on with a run. */
export function goOnText(command: 'resume' | 'retry', runId: string, kept: OpenStore): string {
  const what = command === 'resume' ? 'resume with' : 'try again what was not approved with';
  return `${what}: phasegate ${command} ${oneLine(runId)}${storeArgument(kept)}`;
}
