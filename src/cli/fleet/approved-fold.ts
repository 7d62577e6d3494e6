/**
 * The work of approved phases as one commit, and in words.
 *
 * @module
 */
import { foldApproved } from '../../fleet/approved-work.ts';
import { cutList } from '../../model/values/counts.ts';
import { refuseUnknownRun } from '../../workspaces/operations/apply-run.ts';
import { gitWorkspace } from '../../workspaces/operations/git-workspace.ts';
import { quotedPath } from '../terminal/quoted-path.ts';
import { cut, oneLine } from '../terminal/text.ts';
import type { ApprovedPhases, OtherPhase } from './approved-phases.ts';

/** The commit with the work of all phases that are taken, or the reason why there is none, as lines. */
export type ApprovedFold =
  { readonly isWhole: true; readonly commit: string } | { readonly isWhole: false; readonly reason: string };

/** The run, and a folder of its repository. */
export interface FoldPlace {
  readonly runId: string;
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Folds the approved work of a run into one commit. No branch moves. @throws PhasegateError `WORKSPACE_REFUSED` */
export async function foldHeads(approved: ApprovedPhases, { runId, folder, signal }: FoldPlace): Promise<ApprovedFold> {
  const [first, ...others] = approved.heads;
  if (!first) return { isWhole: false, reason: `No phase of run ${runId} has approved work.\n${otherLines(approved)}` };
  await refuseUnknownRun({ repository: folder, run: runId, signal });
  const workspace = gitWorkspace({ repository: folder });
  const { commit, conflicts } = await foldApproved({ workspace }, [first, ...others], { run: runId, signal });
  if (conflicts.length === 0) return { isWhole: true, commit };
  const clashes = cutList(
    conflicts,
    MOST_NAMED,
    ({ name, paths }) => `${nameOf(name)}: ${listOf(paths.map(quotedPath))}`,
  );
  const commits = approved.heads.map(({ name, commit: head }) => `  git merge ${head}  # ${nameOf(name)}\n`);
  const reason = [
    'Approved phases have changed the same lines. These conflict with those before them:\n',
    ...clashes.map((line) => `  ${line}\n`),
    'To take the work yourself, merge one after the other, and resolve the conflicts:\n',
    ...commits,
  ].join('');
  return { isWhole: false, reason };
}

/** Returns lines with the phases whose work was taken, and those that are not approved. */
export function contentLines({ taken, unapproved }: ApprovedPhases): string {
  return `Approved phases: ${listOf(taken.map(nameOf))}\n${phasesLine('Not approved', unapproved)}`;
}

/** Returns a line with the approved phases whose work was not taken; none if there are none. */
export function leftLines({ left }: ApprovedPhases): string {
  return phasesLine('Approved, but not taken', left);
}

// --- internal ---

/** Most phases, or files, in a list. */
const MOST_NAMED = 20;

/** Most columns of the name of a phase. */
const LONGEST_NAME = 80;

function otherLines(approved: ApprovedPhases): string {
  return leftLines(approved) + phasesLine('Not approved', approved.unapproved);
}

function phasesLine(title: string, phases: readonly OtherPhase[]): string {
  if (phases.length === 0) return '';
  return `${title}: ${listOf(phases.map(({ phase, because }) => `${nameOf(phase)} (${cut(oneLine(because), LONGEST_NAME)})`))}\n`;
}

function nameOf(phase: string): string {
  return cut(oneLine(phase), LONGEST_NAME);
}

function listOf(names: readonly string[]): string {
  return cutList(names, MOST_NAMED).join(', ');
}
