/**
 * The commits that a clone's refs name, read as files: git never runs in a repository that an agent has written to.
 *
 * @module
 */
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OBJECT_ID } from '../git/objects.ts';

/** A ref of a clone. */
export interface AgentRef {
  /** Such as `HEAD` or `refs/heads/fix`. */
  readonly name: string;
  /** Id of its object. */
  readonly id: string;
}

/** Refs of a clone. */
export interface AgentRefs {
  readonly refs: readonly AgentRef[];
  /** Reason, as the end of a sentence, if some may be missing. */
  readonly problem?: string;
}

/** Reads HEAD and the refs of a clone. Never throws. */
export async function readAgentRefs(gitDir: string): Promise<AgentRefs> {
  const stats = await lstat(gitDir).catch(() => undefined);
  if (!stats?.isDirectory()) return { refs: [], problem: 'its `.git` is no longer the folder that it was' };
  const found = new Map<string, string>();
  const state = { entries: 0 };
  for (const { name, id } of await packedRefs(gitDir)) found.set(name, id);
  for (const { name, id } of await looseRefs(gitDir, 'refs', state)) found.set(name, id);
  const head = await readSmall(join(gitDir, 'HEAD'), MOST_REF_BYTES);
  const named = head?.startsWith('ref: ') === true ? found.get(head.slice('ref: '.length).trim()) : head?.trim();
  if (named !== undefined && OBJECT_ID.test(named)) found.set('HEAD', named);
  const refs = [...found].map(([name, id]) => ({ name, id }));
  const isUnread = head === undefined || state.entries > MOST_ENTRIES || refs.length > MOST_ENTRIES;
  return { refs: refs.slice(0, MOST_ENTRIES), ...(isUnread && { problem: 'its refs cannot all be read' }) };
}

// --- internal ---

const MOST_REF_BYTES = 4096;
const MOST_PACKED_BYTES = 8 * 1024 * 1024;
/** Most files and folders of refs. */
const MOST_ENTRIES = 2000;
const MOST_LEVELS = 12;

async function packedRefs(gitDir: string): Promise<readonly AgentRef[]> {
  const text = (await readSmall(join(gitDir, 'packed-refs'), MOST_PACKED_BYTES)) ?? '';
  return text.split('\n').flatMap((line) => {
    const space = line.indexOf(' ');
    const [id, name] = [line.slice(0, space), line.slice(space + 1)];
    return space > 0 && OBJECT_ID.test(id) ? [{ id, name }] : [];
  });
}

async function looseRefs(
  gitDir: string,
  name: string,
  state: { entries: number },
  level = 0,
): Promise<readonly AgentRef[]> {
  const entries = await readdir(join(gitDir, name), { withFileTypes: true }).catch(() => []);
  const refs: AgentRef[] = [];
  for (const entry of entries) {
    state.entries += 1;
    if (state.entries > MOST_ENTRIES) break;
    const path = `${name}/${entry.name}`;
    if (entry.isDirectory() && level < MOST_LEVELS) refs.push(...(await looseRefs(gitDir, path, state, level + 1)));
    if (!entry.isFile()) continue;
    const id = (await readSmall(join(gitDir, path), MOST_REF_BYTES))?.trim() ?? '';
    if (OBJECT_ID.test(id)) refs.push({ name: path, id });
  }
  return refs;
}

/** Reads a regular file; `undefined` if it is none or is too large. A pipe in its place must not make the caller wait. */
async function readSmall(path: string, most: number): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)).catch(
    () => undefined,
  );
  try {
    const stats = await file?.stat();
    if (!file || !stats?.isFile() || stats.size > most) return undefined;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(most), 0, most, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
