/**
 * Changes of an attempt in the repository, from the commits that its records name.
 *
 * @module
 */
import { earlierIntegration, earlierSubtask, type SubtaskOutput } from '../fleet/level-outputs.ts';
import { PhasegateError, type ErrorCode } from '../model/errors/phasegate-error.ts';
import { readRun } from '../store/read-run.ts';
import type { Difference, DiffOptions } from '../workspaces/port.ts';
import type { UiChanges, UiFileChange } from './api.ts';
import { refused, RequestRefused } from './http/error-response.ts';
import type { ServerContext } from './server-context.ts';

/**
 * Lists the files that the task of a record has changed. If the repository cannot be read, they are those of the record.
 *
 * @throws RequestRefused if the record names no commit.
 */
export async function listChanges(context: ServerContext, runId: string, seq: number): Promise<UiChanges> {
  const { work, ...ends } = await commitsOf(context, runId, seq);
  const unexpected = new Set(work?.outOfScope);
  const isUnexpected = (path: string | undefined) => path !== undefined && unexpected.has(path);
  try {
    const { files, fileCount } = await compare(context, { ...ends, maxBytes: 0 });
    const shown = files.slice(0, MOST_FILES);
    return {
      commit: ends.to,
      files: shown.map((file) => ({ ...file, isUnexpected: isUnexpected(file.path) || isUnexpected(file.from) })),
      fileCount,
    };
  } catch (thrown) {
    if (!PhasegateError.is(thrown) || !OF_GIT.has(thrown.code)) throw thrown;
    const files = (work?.files ?? []).map((path) => ({ path, isUnexpected: isUnexpected(path) }));
    return { commit: ends.to, files, fileCount: work?.fileCount, problem: refused(thrown).body.error };
  }
}

/**
 * Reads the change of one file.
 *
 * @param from Earlier path of a renamed file.
 * @throws RequestRefused if the record names no commit; PhasegateError if the repository cannot be read.
 */
export async function readFileChange(
  context: ServerContext,
  {
    runId,
    seq,
    path,
    from,
  }: { readonly runId: string; readonly seq: number; readonly path: string; readonly from?: string | undefined },
): Promise<UiFileChange> {
  const { work: _work, ...ends } = await commitsOf(context, runId, seq);
  const paths = from === undefined ? [path] : [path, from];
  if (paths.some((one) => one === '' || one.includes('\0'))) throw noPath();
  const { text, isCut } = await compare(context, { ...ends, paths, maxBytes: MOST_BYTES });
  return { text, isCut };
}

// --- internal ---

/** Most files of a list. */
const MOST_FILES = 1000;
/** Most bytes of the change of one file. */
const MOST_BYTES = 512 * 1024;
/** Milliseconds for one comparison. */
const PATIENCE_MS = 30_000;

const OF_GIT: ReadonlySet<ErrorCode> = new Set(['GIT_FAILED', 'REPOSITORY_UNUSABLE', 'WORKSPACE_REFUSED']);

interface Commits extends Pick<DiffOptions, 'from' | 'to'> {
  /** The output of a subtask; absent for the work of a whole level. */
  readonly work?: SubtaskOutput | undefined;
}

async function commitsOf({ store }: ServerContext, runId: string, seq: number): Promise<Commits> {
  const [record] = await readRun(store, runId, seq, 1);
  const output = record?.event.type === 'task.completed' ? record.event.output : undefined;
  const level = earlierIntegration(output);
  if (level) return { from: level.base, to: level.commit };
  const work = earlierSubtask(output);
  if (work) return { from: work.start, to: work.commit, work };
  throw new RequestRefused(
    404,
    `Cannot show changes of record ${seq} of run ${runId} as it names no commit of an agent`,
  );
}

/** Compares commits. Only a full id of a commit that the repository has is looked up. */
async function compare(
  { workspaces, closing }: ServerContext,
  wanted: Omit<DiffOptions, 'signal'>,
): Promise<Difference> {
  if (!workspaces) {
    throw new PhasegateError('REPOSITORY_UNUSABLE', 'Cannot read the changes as this dashboard has no repository', {
      hint: 'Pass `workspaces` to serveDashboard, or use phasegate ui.',
    });
  }
  try {
    return await workspaces.diff({ ...wanted, signal: AbortSignal.any([closing, AbortSignal.timeout(PATIENCE_MS)]) });
  } catch (thrown) {
    // The hints of these are for those who make workspaces.
    if (!PhasegateError.is(thrown) || thrown.code === 'GIT_FAILED' || !OF_GIT.has(thrown.code)) throw thrown;
    throw new PhasegateError(thrown.code, refused(thrown).body.error.message, { hint: ELSEWHERE, cause: thrown });
  }
}

const ELSEWHERE = 'Start the dashboard in the repository that the run works on: phasegate ui --store <file>';

function noPath(): PhasegateError {
  return new PhasegateError('INPUT_INVALID', 'Cannot read the request as path must be the path of a file');
}
