/**
 * `phasegate workspaces`.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { gitWorkspace } from '../../workspaces/operations/git-workspace.ts';
import type { Pruned, WorkspaceInfo } from '../../workspaces/port.ts';
import { STORE_VARIABLE } from '../options/defaults.ts';
import { openStore } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate workspaces`. */
export interface WorkspacesFlags {
  readonly prune?: boolean | undefined;
  /** True to keep work that nothing else has as commits, so that its folders can be removed as well. */
  readonly rescue?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Lists the workspaces of the repository, or removes those whose content is kept. */
export async function listWorkspaces(flags: WorkspacesFlags, io: ProgramIo): Promise<ExitCode> {
  if (flags.rescue && !flags.prune) throw nothingPruned();
  const workspaces = gitWorkspace({ repository: io.cwd });
  const { signal } = new AbortController();
  const pruned: Pruned = flags.prune
    ? await workspaces.prune({ signal, rescue: flags.rescue })
    : { removed: [], left: await workspaces.list(signal) };
  const { rescued = [] } = pruned;
  const left = await advised(pruned.left, io);
  const refs = new Map(rescued.map(({ path, ref }) => [path, ref]));
  const removed = pruned.removed.map((path) => ({ path, state: 'removed', ref: refs.get(path) }));
  const isHinted = flags.prune && !flags.rescue && left.some(({ state }) => state === 'left');
  const text = flags.json
    ? [...removed, ...left].map((one) => `${JSON.stringify(one)}\n`)
    : [...removed.map(removedLine), ...left.map(lineOf), ...(isHinted ? [RESCUE_HINT] : [])];
  const shown = text.length === 0 ? 'There are no workspaces of this repository.\n' : text.join('');
  return (await print(shown, io)) ? exitCode.completed : exitCode.brokenPipe;
}

// --- internal ---

/** Adds what to do about processes that work on. Only an unfinished run of the store can be resumed. */
async function advised(infos: readonly WorkspaceInfo[], io: ProgramIo): Promise<readonly WorkspaceInfo[]> {
  if (infos.every(({ orphan }) => orphan === undefined)) return infos;
  const running = new Set<string>();
  try {
    const { store } = openStore({ store: io.env[STORE_VARIABLE] }, 'read', io);
    for (const { runId } of await store.runs({ status: ['running'] })) running.add(runId);
    await store.close();
  } catch {
    // Nothing can be resumed without a store that can be read.
  }
  return infos.map((info) => {
    const end = running.has(info.place.run)
      ? 'Resume the run, or end the process.'
      : 'End the process, as the store has no such run to resume.';
    return info.orphan === undefined ? info : { ...info, reason: `${info.reason} ${end}` };
  });
}

const STATES: Readonly<Record<WorkspaceInfo['state'], string>> = {
  inUse: 'in use',
  removable: 'removable',
  left: 'left',
};

function nothingPruned(): PhasegateError {
  return new PhasegateError('INPUT_INVALID', 'Cannot rescue content as nothing is pruned', {
    hint: 'Give both: phasegate workspaces --prune --rescue',
  });
}

const RESCUE_HINT =
  'To keep what is left as commits, and to remove its folders: phasegate workspaces --prune --rescue\n';

function removedLine({ path, ref }: { readonly path: string; readonly ref: string | undefined }): string {
  return `removed  ${oneLine(path)}${ref === undefined ? '' : `  Its content is kept in ${ref}.`}\n`;
}

function lineOf({ path, place, bytes, state, reason }: WorkspaceInfo): string {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  const whose = `run ${place.run}, ${place.phase}/${place.task}`;
  return `${STATES[state]}  ${oneLine(path)}  ${size}  ${oneLine(whose)}. ${oneLine(reason)}\n`;
}
