/**
 * The workspaces of a repository that exist, and the removal of those that nobody needs.
 *
 * @module
 */
import type { Repository } from '../git/repository.ts';
import { withScratch, type Home } from '../marker/home.ts';
import { isInUse, readTries, type Try } from '../marker/marker.ts';
import { endProcesses, processesIn } from '../marker/processes.ts';
import { sizeOf } from '../marker/size.ts';
import { emptyTrash } from '../marker/trash.ts';
import { removeTry, workOf } from './open.ts';
import type { Options } from '../options.ts';
import { forgetMissing } from '../place/linked.ts';
import type { Pruned, WorkspaceInfo } from '../port.ts';
import { rescueWork } from '../snapshot/rescue.ts';
import { doubtOf, takeOptions } from './workspace.ts';

/** A repository with the home of its workspaces. */
export interface Survey {
  readonly repository: Repository;
  readonly home: Home;
  readonly options: Options;
}

/** Lists the workspaces that exist. */
export async function listTries(survey: Survey): Promise<readonly WorkspaceInfo[]> {
  const infos: WorkspaceInfo[] = [];
  for (const one of await readTries(survey.home)) infos.push(await infoOf(survey, one));
  return infos;
}

/** Removes what is removable. With `rescue`, the content of the others is kept first. */
export async function pruneTries(survey: Survey, { rescue = false } = {}): Promise<Pruned> {
  const { repository, home, options } = survey;
  const removed: string[] = [];
  const left: WorkspaceInfo[] = [];
  const rescued: { readonly path: string; readonly ref: string }[] = [];
  for (const one of await readTries(home)) {
    // The work in it has ended, so these processes only outlive it.
    if (one.marker.state === 'closed') await endProcesses(workOf(repository, home, one), one.marker.groups);
    let info = await infoOf(survey, one);
    if (rescue && info.state === 'left') {
      const saved = await withScratch(home, (scratch) =>
        rescueWork({ ...takeOptions(options, info.path), ...one.marker, repository, scratch }),
      );
      info = { ...info, state: saved.state, reason: saved.reason };
      rescued.push({ path: info.path, ref: saved.ref });
    }
    if (info.state !== 'removable') left.push(info);
    else {
      await removeTry(repository, home, one);
      removed.push(info.path);
    }
  }
  await forgetMissing(repository, home.path);
  await emptyTrash(home);
  return { removed, left, rescued };
}

// --- internal ---

async function infoOf(survey: Survey, one: Try): Promise<WorkspaceInfo> {
  const { repository, home } = survey;
  const path = workOf(repository, home, one);
  const bytes = one.marker.isolation === 'inPlace' ? 0 : await sizeOf(one.folder);
  return { path, place: one.marker.place, bytes, ...(await stateOf(survey, one, path)) };
}

async function stateOf(
  { repository, home, options }: Survey,
  one: Try,
  work: string,
): Promise<Pick<WorkspaceInfo, 'state' | 'reason' | 'orphan'>> {
  const { marker } = one;
  if (isInUse(one)) return { state: 'inUse', reason: `Process ${marker.owner.pid} uses it.` };
  const [other] = marker.state === 'closed' ? [] : await processesIn(work, marker.groups);
  if (other !== undefined) return { state: 'inUse', reason: orphanText(other), orphan: other };
  if (marker.state === 'making') return { state: 'removable', reason: 'It was never completed.' };
  if (marker.disposable === true) return { state: 'removable', reason: 'Nobody needs its files.' };
  if (marker.isolation === 'inPlace') return { state: 'removable', reason: "It is a mark in the user's own folder." };
  const doubt = await withScratch(home, (scratch) =>
    doubtOf(repository, { opened: { work, marker }, options, scratch }),
  );
  return doubt === undefined
    ? { state: 'removable', reason: 'Its content is kept.' }
    : { state: 'left', reason: doubt };
}

function orphanText(pid: number): string {
  return `Process ${pid} still works in it, though the phasegate that started it has ended.`;
}
