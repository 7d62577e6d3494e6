/**
 * Commits that an agent has made itself. They are kept as they are, beside the snapshot.
 *
 * The objects of a clone are read as further objects of the user's repository, and copied with a check of each. Git does not
 * run in the clone, so its configuration has no effect.
 *
 * @module
 */
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { slug } from '../git/names.ts';
import { updateRefs } from '../git/refs.ts';
import { resolveName } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { detachedHead } from '../place/linked.ts';
import { readAgentRefs, type AgentRef } from './agent-refs.ts';

/** Options of {@link keepOwnCommits}. */
export interface OwnCommitsOptions {
  readonly repository: Repository;
  readonly work: string;
  readonly base: string;
  /** Start of the refs under which commits are kept. */
  readonly ref: string;
  /** An empty folder. */
  readonly scratch: string;
  /** Most bytes of a pack with the commits. */
  readonly maxBytes: number;
}

/** Commits of an agent that are kept, and the reason why some may not be. */
export interface OwnCommits {
  /** Names of the agent's refs whose commits are kept. */
  readonly kept: readonly string[];
  /** Reason, as the end of a sentence. */
  readonly problem?: string;
}

/** Keeps the commits of a clone that the user's repository does not have. */
export async function keepOwnCommits(options: OwnCommitsOptions): Promise<OwnCommits> {
  const { repository, work, base } = options;
  const { refs, problem } = await readAgentRefs(join(work, '.git'));
  const unknown = await unknownOf(repository, refs, [base]);
  if (unknown.length === 0) return { kept: [], ...(problem !== undefined && { problem }) };
  try {
    const packed = await copyObjects(options, unknown);
    if (packed !== undefined) return { kept: [], problem: packed };
    return { kept: await nameCommits(options, unknown), ...(problem !== undefined && { problem }) };
  } catch (error) {
    if (repository.signal.aborted) throw error;
    return { kept: [], problem: 'git refuses to copy its commits' };
  }
}

/** Keeps the commits of a working tree of the repository whose HEAD is on no branch. */
export async function keepDetached(options: OwnCommitsOptions): Promise<OwnCommits> {
  const { repository, work, base } = options;
  const head = await detachedHead(repository, work);
  if (head === undefined || head === base) return { kept: [] };
  return { kept: await nameCommits(options, [{ name: 'HEAD', id: head }]) };
}

/**
 * Names of refs of a clone that stand for objects which the user's repository does not have, and a problem in reading them.
 *
 * @param known Ids of commits that the repository has.
 */
export async function lostCommits(repository: Repository, work: string, known: readonly string[]): Promise<OwnCommits> {
  const { refs, problem } = await readAgentRefs(join(work, '.git'));
  const unknown = await unknownOf(repository, refs, known);
  return { kept: unknown.map(({ name }) => name), ...(problem !== undefined && { problem }) };
}

// --- internal ---

/** Milliseconds to read the objects of a clone, among which an agent may have put a pipe. */
const COPY_MS = 120_000;
/** Most refs whose commits are kept. */
const MOST_REFS = 50;

async function unknownOf(
  repository: Repository,
  found: readonly AgentRef[],
  known: readonly string[],
): Promise<readonly AgentRef[]> {
  const refs = found.filter(({ id }) => !known.includes(id));
  if (refs.length === 0) return [];
  const input = `${refs.map(({ id }) => id).join('\n')}\n`;
  const answers = await repository.text(['cat-file', '--batch-check=%(objecttype)'], { input });
  const lines = answers.split('\n');
  return refs.filter((_, index) => lines[index]?.endsWith(' missing') ?? true);
}

/** Copies what the refs reach. @returns A problem, as the end of a sentence. */
async function copyObjects(options: OwnCommitsOptions, refs: readonly AgentRef[]): Promise<string | undefined> {
  const { repository, work, base, scratch, maxBytes } = options;
  if (refs.length > MOST_REFS) return `it has more than ${MOST_REFS} refs with commits of their own`;
  const packs = join(scratch, 'packs');
  await mkdir(packs);
  const own = join(repository.commonDir, 'objects');
  const input = `${[...refs.map(({ id }) => id), `^${base}`].join('\n')}\n`;
  await repository.git(['pack-objects', '--revs', '--quiet', join(packs, 'own')], {
    input,
    objects: [own, join(work, '.git', 'objects')],
    timeout: COPY_MS,
  });
  const name = (await readdir(packs)).find((one) => one.endsWith('.pack'));
  if (name === undefined) return 'git packs none of its commits';
  const pack = join(packs, name);
  if ((await stat(pack)).size > maxBytes) return `its commits exceed ${maxBytes} bytes`;
  await repository.git(['unpack-objects', '-q', '--strict'], { input: { file: pack } });
  const check = ['rev-list', '--objects', '--quiet', '--stdin'];
  await repository.git(check, { input });
  return undefined;
}

async function nameCommits(
  { repository, ref }: OwnCommitsOptions,
  refs: readonly AgentRef[],
): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const { name, id } of refs) {
    const commit = await resolveName(repository, `${id}^{commit}`);
    // A tag of a file, for example, is not one of the agent's commits.
    if (commit === undefined) continue;
    const full = `${ref}/${slug(name)}`;
    const before = await resolveName(repository, full);
    if (before === commit || (await updateRefs(repository, [{ ref: full, to: commit, from: before }]))) kept.push(name);
  }
  return kept;
}
